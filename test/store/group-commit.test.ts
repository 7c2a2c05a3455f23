import { expect, test } from 'bun:test'
import { findAccount, onAccount } from '../../src/kernel/charged.ts'
import type { EndWork } from '../../src/store/store.ts'
import { ALL, ENDLESS, failureOf, openShop, rows } from './temporary.ts'

const LINE = 'INSERT INTO order_lines VALUES (2, @line, @text)'

test('a hundred writes at once are all stored', async () => {
  await using shop = await openShop()
  const lines = Array.from({ length: 100 }, (_, at) => at)
  const answers = await Promise.all(
    lines.map((line) =>
      shop.store.write(async (tx) => [await tx.run(LINE, { line, text: 'x' }), line], ALL),
    ),
  )
  expect(answers).toEqual(lines.map((line) => [1, line]))
  const [count] = await rows(shop.store, 'SELECT count(*) AS n FROM order_lines WHERE OrderId = 2')
  expect(count).toEqual({ n: 100 })
})

test('a failing member harms no other, and leaves nothing behind', async () => {
  await using shop = await openShop()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, line) =>
      shop.store.write(async (tx) => {
        await tx.run(LINE, { line, text: 'x' })
        if (line === 7) throw new Error('no')
        if (line === 9) await tx.run(LINE, { line, text: 'again' })
      }, ALL),
    ),
  )
  expect(outcomes.flatMap((outcome, at) => (outcome.status === 'rejected' ? [at] : []))).toEqual([
    7, 9,
  ])
  const stored = await rows(shop.store, 'SELECT Line FROM order_lines WHERE OrderId = 2')
  expect(stored.map((row) => row.Line)).toEqual(
    Array.from({ length: 20 }, (_, at) => at).filter((at) => at !== 7 && at !== 9),
  )
})

test('what waits behind a long write is refused at its time, and is not written', async () => {
  await using shop = await openShop({ writerMaxWaitMs: 100 })
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const write = (line: number, until?: Promise<void>) =>
    shop.store.write(async (tx) => {
      begun.resolve()
      await until
      return tx.run(LINE, { line, text: 'x' })
    }, ALL)
  const first = write(1, over.promise)
  await begun.promise
  const others = [write(2), write(3)]
  for (const failure of await Promise.all(others.map(failureOf)))
    expect(failure).toMatchObject({
      kind: 'unavailable',
      message: 'The change waited for its turn longer than Svc:Writer:MaxWait allows. Try again.',
    })
  over.resolve()
  expect(await first).toBe(1)
  expect(await write(4)).toBe(1)
  const lines = await rows(
    shop.store,
    "SELECT Line FROM order_lines WHERE Text = 'x' ORDER BY Line",
  )
  expect(lines).toEqual([{ Line: 1 }, { Line: 4 }])
})

test('who writes once goes before all that another has asked for', async () => {
  await using shop = await openShop()
  const order: string[] = []
  const write = (name: string, line: number): Promise<void> =>
    onAccount({ name, waitedMs: 0 }, () =>
      shop.store.write(async (tx) => {
        order.push(name)
        await tx.run(LINE, { line, text: name })
        // Who is charged is who asked for the work, and not who began the group.
        expect(findAccount()?.name).toBe(name)
        if (line === 1) later.push(write('polite', 100))
      }, ALL),
    )
  const later: Promise<void>[] = []
  await Promise.all(Array.from({ length: 20 }, (_, at) => write('greedy', at + 1)))
  await Promise.all(later)
  expect(order.indexOf('polite')).toBeLessThan(4)
})

test('an endless authored write ends with 400; the others of its group succeed', async () => {
  await using shop = await openShop({ writeTimeoutMs: 100 })
  const write = (line: number) => shop.store.write((tx) => tx.run(LINE, { line, text: 'x' }), ALL)
  const before = [write(1), write(2)]
  const endless = shop.store.write(
    (tx) => tx.authored(`UPDATE orders SET Total = (${ENDLESS})`),
    ALL,
  )
  const selecting = shop.store.write((tx) => tx.authored(ENDLESS), ALL)
  const after = [write(3), write(4)]
  for (const failure of await Promise.all([failureOf(endless), failureOf(selecting)]))
    expect(failure).toMatchObject({
      kind: 'invalid',
      code: 'SQL_TIMEOUT',
      message: expect.stringContaining('Svc:Sql:WriteTimeout'),
    })
  expect(await Promise.all([...before, ...after])).toEqual([1, 1, 1, 1])
  expect(await write(5)).toBe(1)
  expect(await rows(shop.store, 'SELECT Total FROM orders ORDER BY Id')).toEqual([
    { Total: 0.1 },
    { Total: 0.2 },
    { Total: 0.3 },
  ])
})

test('work that catches an interruption cannot go on outside of its transaction', async () => {
  await using shop = await openShop({ writeTimeoutMs: 50 })
  const write = shop.store.write(async (tx) => {
    await tx.authored(`UPDATE orders SET Total = (${ENDLESS})`).catch(() => undefined)
    await tx.run('DELETE FROM orders').catch(() => undefined)
  }, ALL)
  expect(await failureOf(write)).toMatchObject({ code: 'SQL_TIMEOUT' })
  expect(await rows(shop.store, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 3 }])
})

test('a statement that rolls everything back costs the others nothing', async () => {
  await using shop = await openShop()
  const first = shop.store.write((tx) => tx.run(LINE, { line: 1, text: 'x' }), ALL)
  const rollback = shop.store.write(
    (tx) => tx.authored("INSERT OR ROLLBACK INTO customers VALUES (1, 'Oak', 1)"),
    ALL,
  )
  const last = shop.store.write((tx) => tx.run(LINE, { line: 2, text: 'x' }), ALL)
  expect(await failureOf(rollback)).toMatchObject({ code: 'UNIQUE' })
  expect(await Promise.all([first, last])).toEqual([1, 1])
})

test('a mutation that waits too long is refused with 503 and Retry-After', async () => {
  await using shop = await openShop({ writeTimeoutMs: 1000, writerMaxWaitMs: 100 })
  const begun = Promise.withResolvers<void>()
  const endless = shop.store.write((tx) => {
    begun.resolve()
    return tx.authored(`UPDATE orders SET Total = (${ENDLESS})`)
  }, ALL)
  await begun.promise
  const late = shop.store.write((tx) => tx.run(LINE, { line: 1, text: 'x' }), ALL)
  expect(await failureOf(late)).toMatchObject({
    kind: 'unavailable',
    headers: { 'Retry-After': '1' },
  })
  expect(await failureOf(endless)).toMatchObject({ code: 'SQL_TIMEOUT' })
})

test('effects run after the commit, and not at all for a member that failed', async () => {
  await using shop = await openShop()
  const seen: unknown[] = []
  const good = shop.store.write(async (tx) => {
    tx.afterCommit(() => seen.push(shop.store.version('orders')))
    await tx.run("UPDATE orders SET Number = 'Z'")
  }, ALL)
  const bad = shop.store.write(async (tx) => {
    tx.afterCommit(() => seen.push('bad'))
    await tx.run('UPDATE orders SET Total = -1')
  }, ALL)
  expect(await failureOf(bad)).toMatchObject({ code: 'CHECK' })
  await good
  expect(seen).toEqual([shop.store.version('orders')])
})

test('versions rise for the tables that a commit touched, cascades included', async () => {
  await using shop = await openShop()
  const versions = () =>
    ['customers', 'ORDERS', 'order_lines', 'svc_facts'].map((table) => shop.store.version(table))
  const [customers = 0, orders = 0, lines = 0, facts = 0] = versions()
  await shop.store.write((tx) => tx.run('DELETE FROM orders WHERE Id = 1'), ALL)
  expect(versions()).toEqual([customers, orders + 1, lines + 1, facts])
  await shop.store.write((tx) => tx.run("INSERT INTO svc_facts VALUES ('a', 'b')"), ALL)
  await failureOf(shop.store.write((tx) => tx.run('UPDATE orders SET Total = -1'), ALL))
  expect(versions()).toEqual([customers, orders + 1, lines + 1, facts + 1])
})

test('statements of one transaction run one after another, awaited or not', async () => {
  await using shop = await openShop()
  const results = await shop.store.write(
    (tx) =>
      Promise.all([
        tx.authored("UPDATE orders SET Number = 'one'"),
        tx.authored("UPDATE orders SET Number = Number || ' two'"),
        tx.run("UPDATE orders SET Number = Number || ' three' WHERE Id = 1"),
        tx.get('SELECT Number FROM orders WHERE Id = 1'),
      ]),
    ALL,
  )
  expect(results).toEqual([
    { rows: [], changes: 3 },
    { rows: [], changes: 3 },
    1,
    { Number: 'one two three' },
  ])
})

test('a transaction is closed to what its work did not wait for', async () => {
  await using shop = await openShop()
  const kept = await shop.store.write((tx) => Promise.resolve({ tx }), ALL)
  expect(await failureOf(kept.tx.run('DELETE FROM orders'))).toMatchObject({
    message: expect.stringContaining('after the end'),
  })
})

test('a store that closes finishes what is queued and takes no more', async () => {
  await using shop = await openShop()
  const queued = shop.store.write((tx) => tx.run(LINE, { line: 1, text: 'x' }), ALL)
  const closing = shop.store.close()
  const late = shop.store.write((tx) => tx.run(LINE, { line: 2, text: 'x' }), ALL)
  expect(await failureOf(late)).toMatchObject({ kind: 'unavailable' })
  expect(await queued).toBe(1)
  await closing
})

test('who asks while several write joins their commit; a lone one waits for nobody', async () => {
  await using shop = await openShop()
  let commits = 0
  const count = (): void => void commits++
  shop.store.follow({ follows: (table) => table === 'order_lines', begin: count })
  const write = (line: number, asNext?: () => void): Promise<number> =>
    shop.store.write((tx) => {
      if (asNext) setImmediate(asNext)
      return tx.run(LINE, { line, text: 'x' })
    }, ALL)
  // Settles with what another writes in the next turn of the event loop.
  const writeBefore = (line: number, next: number): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>()
    return Promise.all([write(line, () => resolve(write(next))), promise]).then(([, late]) => late)
  }
  expect(await Promise.all([write(1), writeBefore(2, 3)])).toEqual([1, 1])
  expect(commits).toBe(1)
  await write(4)
  commits = 0
  expect(await writeBefore(5, 6)).toBe(1)
  expect(commits).toBe(2)
})

/** Writes lines at once; one that fails does so before its statement, by it, or behind it. */
async function writeLines(
  { store }: Awaited<ReturnType<typeof openShop>>,
  from: number,
  fails: { at: number; when: 'before' | 'within' | 'behind' },
): Promise<{ failed: number[]; runs: number }> {
  let runs = 0
  const write = (line: number): Promise<void> =>
    store.write(async (tx) => {
      runs++
      const isFailing = line === from + fails.at
      if (isFailing && fails.when === 'before') throw new Error('no')
      const isTwice = isFailing && fails.when === 'within'
      await tx.run(LINE, { line: isTwice ? from : line, text: 'x' })
      if (isFailing) throw new Error('no')
    }, ALL)
  const lines = [0, 1, 2, 3, 4].map((at) => from + at)
  const outcomes = await Promise.allSettled(lines.map(write))
  const failed = outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))
  return { failed, runs }
}

test('one that fails when it has changed something has the others run again, rarely', async () => {
  await using shop = await openShop()
  // Nothing is to be undone.
  expect(await writeLines(shop, 10, { at: 3, when: 'before' })).toEqual({ failed: [3], runs: 5 })
  expect(await writeLines(shop, 15, { at: 3, when: 'within' })).toEqual({ failed: [3], runs: 5 })
  // The first three, and then all of them with savepoints.
  expect(await writeLines(shop, 20, { at: 2, when: 'behind' })).toEqual({ failed: [2], runs: 8 })
  // From then on they have savepoints for a while.
  for (let group = 3; group < 8; group++)
    expect(await writeLines(shop, group * 10, { at: 2, when: 'behind' })).toEqual({
      failed: [2],
      runs: 5,
    })
  const stored = await rows(shop.store, 'SELECT Line FROM order_lines WHERE Line >= 10')
  const groups = [2, 3, 4, 5, 6, 7].flatMap((group) => [0, 1, 3, 4].map((at) => group * 10 + at))
  expect(stored.map(({ Line }) => Line)).toEqual([10, 11, 12, 14, 15, 16, 17, 19, ...groups])
})

test('what fails by what another member did is told so only if that one is stored', async () => {
  await using shop = await openShop()
  const write = (line: number, text: string, isFailing = false): Promise<void> =>
    shop.store.write(async (tx) => {
      await tx.run(LINE, { line, text })
      if (isFailing) throw new Error('no')
    }, ALL)
  const outcomes = await Promise.allSettled([
    ...[write(10, 'first', true), write(10, 'second'), write(10, 'third'), write(11, 'x')],
  ])
  const failed = outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))
  expect(failed).toEqual([0, 2])
  const stored = await rows(shop.store, 'SELECT Text FROM order_lines WHERE Line IN (10, 11)')
  expect(stored).toEqual([{ Text: 'second' }, { Text: 'x' }])
})

const FACT = 'INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)'
const FACTS = "SELECT Name, Value FROM svc_facts WHERE Name LIKE 'fact%' ORDER BY Name"

const taken: string[][] = []
const KEEP_FACTS: EndWork<string> = {
  run: async (tx, names) => {
    taken.push([...names])
    for (const name of names) await tx.run(FACT, { name, value: String(names.length) })
  },
}

test('what members leave for the end is done at once, not for one that failed', async () => {
  await using shop = await openShop()
  taken.length = 0
  const write = (name: string, isFailing: boolean): Promise<number> =>
    shop.store.write(async (tx) => {
      tx.leave(KEEP_FACTS, name)
      if (isFailing) throw new Error('no')
      return (await tx.all(FACTS)).length
    }, ALL)
  const before = shop.store.version('svc_facts')
  const outcomes = await Promise.allSettled([
    ...[write('fact 1', false), write('fact 2', true), write('fact 3', false)],
  ])
  // Nothing of it was there yet while members ran.
  expect(outcomes).toMatchObject([{ value: 0 }, { status: 'rejected' }, { value: 0 }])
  expect(taken).toEqual([['fact 1', 'fact 3']])
  expect(await rows(shop.store, FACTS)).toEqual([
    { Name: 'fact 1', Value: '2' },
    { Name: 'fact 3', Value: '2' },
  ])
  expect(shop.store.version('svc_facts')).toBeGreaterThan(before)
})

test('what fails at the end of a group takes none of the other members along', async () => {
  await using shop = await openShop()
  const write = (line: number, name: string): Promise<void> =>
    shop.store.write(async (tx) => {
      await tx.run(LINE, { line, text: name })
      tx.leave(KEEP_FACTS, name)
    }, ALL)
  const names = ['fact 1', 'fact 2', 'fact 1', 'fact 3']
  const outcomes = await Promise.allSettled(names.map((name, at) => write(20 + at, name)))
  expect(outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([2])
  expect(await rows(shop.store, FACTS)).toEqual(
    ['fact 1', 'fact 2', 'fact 3'].map((Name) => ({ Name, Value: '1' })),
  )
  const lines = await rows(shop.store, 'SELECT Line FROM order_lines WHERE Line > 19 ORDER BY Line')
  expect(lines.map(({ Line }) => Line)).toEqual([20, 21, 23])
})

test('what runs too long at the end of a group ends its own member alone', async () => {
  await using shop = await openShop({ writeTimeoutMs: 100 })
  const endless: EndWork<number> = {
    run: async (tx, lines) => {
      if (lines.includes(7)) await tx.authored(ENDLESS).catch(() => undefined)
      for (const line of lines) await tx.run(LINE, { line, text: 'left' })
    },
  }
  const write = (line: number) =>
    shop.store.write(async (tx) => {
      tx.leave(endless, line)
    }, ALL)
  const outcomes = await Promise.allSettled([6, 7, 8].map(write))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const lines = await rows(shop.store, "SELECT Line FROM order_lines WHERE Text = 'left'")
  expect(lines.map(({ Line }) => Line)).toEqual([6, 8])
})

test('who has the writer alone leaves for the end, too', async () => {
  await using shop = await openShop()
  await shop.store.writeAlone(async (tx) => tx.leave(KEEP_FACTS, 'fact 1'), ALL)
  expect(await rows(shop.store, FACTS)).toEqual([{ Name: 'fact 1', Value: '1' }])
})
