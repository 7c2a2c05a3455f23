import { expect, test } from 'bun:test'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { describeStorageFault } from '../../src/store/file/explain-fault.ts'
import { ALL, failureOf, openShop, rows } from './temporary.ts'

const REFUSED = { kind: 'unavailable', code: 'STORAGE_FAILED' }

const asFault = (error: unknown): unknown => error

/** Ways in which a path stops naming what the server has open. */
const WAYS: [string, (file: string) => void][] = [
  ['its file is removed', (file) => renameSync(file, `${file}.away`)],
  [
    'another is put in its place',
    (file) => {
      copyFileSync(file, `${file}.other`)
      renameSync(file, `${file}.away`)
      renameSync(`${file}.other`, file)
    },
  ],
  ['its log is removed', (file) => renameSync(`${file}-wal`, `${file}-wal.away`)],
]

test.each(WAYS)('writes of a database are refused with 503 while %s', async (_, take) => {
  await using shop = await openShop()
  const { store, file } = shop
  const add = (id: number) =>
    store.write((tx) => tx.run('INSERT INTO orders (Id, CompanyId) VALUES (@id, 1)', { id }), ALL)
  await add(10)
  await store.requireServing()
  take(file)
  expect(await failureOf(add(11))).toMatchObject(REFUSED)
  expect(await failureOf(store.requireServing())).toMatchObject(REFUSED)
  expect(describeStorageFault(await add(11).catch(asFault))).toContain(file)
  expect(await failureOf(store.migrate((tx) => tx.run('CREATE TABLE t (Id)')))).toMatchObject(
    REFUSED,
  )
  expect(await rows(store, 'SELECT Id FROM orders WHERE Id = 10')).toEqual([{ Id: 10 }])
  for (const end of ['', '-wal'])
    if (await Bun.file(`${file}${end}.away`).exists()) renameSync(`${file}${end}.away`, file + end)
  await store.requireServing()
  expect(await add(12)).toBe(1)
  // What was refused is not there, also for who opens the file anew.
  const found =
    "SELECT group_concat(Id) AS Ids FROM orders WHERE Id > 9 UNION ALL SELECT name FROM sqlite_schema WHERE name = 't'"
  expect(await rows(store, found)).toEqual([{ Ids: '10,12' }])
})

test('a lane that cannot be opened again is given back, and opens later', async () => {
  await using shop = await openShop()
  const { store, file } = shop
  const ask = () => store.text({ sql: 'SELECT count(*) FROM orders', args: {}, runs: 'lane' })
  await store.migrate((tx) => tx.run('ALTER TABLE orders ADD COLUMN Note TEXT'))
  renameSync(file, `${file}.away`)
  for (let times = 0; times < 5; times++)
    expect(await failureOf(ask())).toMatchObject({ kind: 'unavailable' })
  expect(describeStorageFault(await ask().catch(asFault))).toContain(`${file} was removed`)
  rmSync(file, { force: true })
  renameSync(`${file}.away`, file)
  expect(await ask()).toBe('3')
})

test('a stage whose folder cannot be used is 503, filled or written from', async () => {
  await using shop = await openShop()
  const { store, file } = shop
  const path = `${file}.nowhere/rows.stage`
  const open = async () => store.stage(path)
  expect(await failureOf(open())).toMatchObject(REFUSED)
  expect(await failureOf(store.writeAlone(async () => {}, ALL, { path }))).toMatchObject(REFUSED)
  expect(await store.write((tx) => tx.run('UPDATE orders SET Total = 1 WHERE Id = 1'), ALL)).toBe(1)
})
