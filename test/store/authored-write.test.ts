/** Authored statements that write: at once where they have shown that they are quick. */
import { expect, test } from 'bun:test'
import type { Tx } from '../../src/store/store.ts'
import { ALL, ENDLESS, failureOf, openShop, rows, type Temporary } from './temporary.ts'

const BY_KEY = 'UPDATE orders SET Number = @n WHERE Id = 1'

/** Runs a statement that changes one row; gives whether it was done before others had a turn. */
async function isAtOnce(tx: Tx, sql: string, n: string): Promise<boolean> {
  let isDone = false
  const written = tx.authored(sql, { n }).finally(() => (isDone = true))
  for (let microtask = 0; microtask < 20; microtask++) await Promise.resolve()
  const wasDone = isDone
  expect((await written).changes).toBe(1)
  return wasDone
}

/** The same of so many runs, one a transaction. */
async function runTimes({ store }: Temporary, sql: string, times: number): Promise<boolean[]> {
  const runs: boolean[] = []
  for (let at = 0; at < times; at++)
    runs.push(await store.write((tx) => isAtOnce(tx, sql, `N${at}`), ALL))
  return runs
}

test('an update by key that was quick runs at once, and does all that it did', async () => {
  await using shop = await openShop()
  expect(await runTimes(shop, BY_KEY, 1)).toEqual([false])
  // As soon as it has shown it, which a busy machine may hide for a while.
  let n = ''
  for (let at = 1; !(await shop.store.write((tx) => isAtOnce(tx, BY_KEY, n), ALL)); at++)
    n = `n${at}`
  expect(await rows(shop.store, 'SELECT Number FROM orders WHERE Id = 1')).toEqual([{ Number: n }])
  const { value, logged } = await shop.store.write(async (tx) => {
    const value = await tx.authored(`${BY_KEY} RETURNING Id, Number`, { n: 'last' })
    await tx.authored(BY_KEY, { n: 'very last' })
    return { value, logged: await tx.takeChangeLog() }
  }, ALL)
  expect(value).toEqual({ rows: [{ Id: 1, Number: 'last' }], changes: 1 })
  expect(logged).toMatchObject([{ entity: 'Order', key: [1], before: { Number: n } }])
})

test('what may be long stays off the event loop, however quick it was', async () => {
  await using shop = await openShop()
  const runs = await runTimes(shop, 'UPDATE orders SET Number = @n WHERE Id + 0 = 1', 40)
  expect(runs).not.toContain(true)
})

test('what fails at once fails as it did, and takes nothing along', async () => {
  await using shop = await openShop({ writeTimeoutMs: 500 })
  await runTimes(shop, BY_KEY, 40)
  const bad = "UPDATE orders SET Number = json_extract(@n, '$.a') WHERE Id = 1"
  const failures: unknown[] = []
  for (let at = 0; at < 12; at++) {
    await shop.store.write((tx) => tx.authored(bad, { n: '{"a": "N0"}' }), ALL)
    const { message, kind } = await failureOf(
      shop.store.write((tx) => tx.authored(bad, { n: 'no JSON' }, 'The action'), ALL),
    )
    failures.push({ message, kind })
  }
  expect(new Set(failures.map((each) => JSON.stringify(each))).size).toBe(1)
  const company = shop.store.write((tx) => tx.authored(BY_KEY, { n: 'theirs' }), { company: 2 })
  expect((await company).changes).toBe(0)
  const endless = `UPDATE orders SET Total = (${ENDLESS}) WHERE Id = 1`
  const failure = await failureOf(shop.store.write((tx) => tx.authored(endless), ALL))
  expect(failure.message).toContain('Svc:Sql:WriteTimeout')
})
