/** Reads of the serving thread share a transaction, and nobody can tell. */
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { openWriter } from '../../src/store/connection/connection.ts'
import type { Store } from '../../src/store/store.ts'
import { ALL, failureOf, openShop } from './temporary.ts'

const FACT = `INSERT INTO svc_facts (Name, Value) VALUES ('fact', @value)
  ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`
const READ = "SELECT Value FROM svc_facts WHERE Name = 'fact'"
const NUMBER = 'SELECT Number FROM orders WHERE Id = 1'

/** The result of each form of a read at once. */
async function readAll(store: Store): Promise<unknown[]> {
  const read = (sql: string) => ({ sql, args: {}, runs: 'inline' as const })
  return [
    (await store.get(read(READ)))?.Value,
    (await store.all(read(READ)))[0]?.Value,
    await store.text(read(READ)),
    await store.text(read(NUMBER)),
    (await store.all(read(NUMBER)))[0]?.Number,
  ]
}

test('a read sees each commit that was answered before it', async () => {
  await using shop = await openShop()
  const { store } = shop
  for (let at = 0; at < 200; at++) {
    const value = `v${at}`
    const writing = store.write(async (tx) => {
      await tx.run(FACT, { value })
      await tx.run('UPDATE orders SET Number = @value WHERE Id = 1', { value })
    }, ALL)
    // Reads before, beside and after it.
    const beside = at === 0 ? [] : await readAll(store)
    await writing
    expect(new Set(beside).size).toBeLessThan(3)
    expect(await readAll(store)).toEqual(Array.from({ length: 5 }, () => value))
  }
})

test('who reads again and again does not keep the log from the file', async () => {
  await using shop = await openShop()
  const { store, file } = shop
  let isOver = false
  let most = 0
  const reading = (async () => {
    while (!isOver) {
      await readAll(store)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  // Four megabytes go into the file at once: these are ten times as much.
  for (let at = 0; at < 400; at++) {
    await store.write((tx) => tx.run(FACT, { value: `${at}`.padEnd(100_000, 'x') }), ALL)
    most = Math.max(most, statSync(`${file}-wal`).size)
  }
  isOver = true
  await reading
  expect(most).toBeLessThan(12_000_000)
})

test('what another process commits is seen soon', async () => {
  await using shop = await openShop()
  const { store, file } = shop
  await store.write((tx) => tx.run(FACT, { value: 'own' }), ALL)
  await readAll(store)
  const other = openWriter(file)
  other.statement(FACT).run({ value: 'of another' })
  other.close()
  while ((await readAll(store))[0] !== 'of another') await Bun.sleep(1)
})

test('a read that fails takes nothing from those behind it', async () => {
  await using shop = await openShop()
  const { store } = shop
  for (let at = 0; at < 5; at++) {
    const value = `v${at}`
    const bad = store.text({ sql: "SELECT json('{')", args: {}, runs: 'inline', of: 'a view' })
    expect((await failureOf(bad)).message).toContain('a view')
    await store.write((tx) => tx.run(FACT, { value }), ALL)
    expect((await readAll(store)).slice(0, 3)).toEqual([value, value, value])
  }
})
