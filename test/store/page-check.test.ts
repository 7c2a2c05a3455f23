/** Pages of a large file are read behind its start; what is damaged takes no changes. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { ALL, failureOf, openFile, openTemporary } from './temporary.ts'

const LARGE_BYTES = 66 * 1024 * 1024
const MB = 1024 * 1024
const PAGE = 4096
const REFUSED = { kind: 'unavailable', code: 'STORAGE_FAILED' }
const DAMAGED = 'The database is damaged, so nothing can be changed'

/** A database above the size that a start reads, closed. */
async function makeLarge() {
  const made = await openTemporary()
  await made.store.close()
  const database = new Database(made.file)
  const insert = database.query('INSERT INTO svc_facts (Name, Value) VALUES (?, ?)')
  const blob = new Uint8Array(MB)
  for (let at = 0; at * MB < LARGE_BYTES; at++) insert.run(`bulk ${at}`, blob)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return made
}

/** Swaps a page of the file, one of the last unless told, for noise; gives what was there. */
function spoil(file: string, page = new Uint8Array(PAGE).fill(0x5a), number?: number) {
  const descriptor = openSync(file, 'r+')
  const at = number === undefined ? statSync(file).size - 2 * PAGE : (number - 1) * PAGE
  const before = new Uint8Array(PAGE)
  readSync(descriptor, before, 0, PAGE, at)
  writeSync(descriptor, page, 0, PAGE, at)
  closeSync(descriptor)
  return before
}

test('a large file that is whole is read once, and served meanwhile', async () => {
  await using made = await makeLarge()
  await using store = closing(await openFile(made.file))
  const checked = store.checkPages()
  await store.write((tx) => tx.run("UPDATE svc_facts SET Value = 'x' WHERE Name = 'bulk 1'"), ALL)
  expect(await checked).toBeUndefined()
  await store.requireServing()
})

test('a large file with a damaged page takes no changes, and is not ready', async () => {
  await using made = await makeLarge()
  spoil(made.file)
  await using store = closing(await openFile(made.file))
  await store.requireServing()
  expect(await store.checkPages()).toContain(`${made.file} is damaged (`)
  expect(await failureOf(store.requireServing())).toMatchObject({ ...REFUSED, message: DAMAGED })
  const write = store.write((tx) => tx.run('DELETE FROM svc_facts'), ALL)
  expect(await failureOf(write)).toMatchObject({ ...REFUSED, message: DAMAGED })
  const read = { sql: "SELECT count(*) FROM svc_facts WHERE Name = 'DataId'", args: {} }
  expect(await store.text({ ...read, runs: 'lane' })).toBe('1')
})

test('damage that a statement meets is looked for', async () => {
  await using made = await makeLarge()
  await using store = closing(await openFile(made.file))
  expect(await store.checkPages()).toBeUndefined()
  const page = spoil(made.file)
  const read = { sql: 'SELECT sum(length(hex(Value))) FROM svc_facts', args: {} }
  expect(await failureOf(store.text({ ...read, runs: 'lane' }))).toMatchObject(REFUSED)
  expect(await store.checkPages()).toContain('is damaged')
  spoil(made.file, page)
  expect(Number(await store.text({ ...read, runs: 'lane' }))).toBeGreaterThan(LARGE_BYTES)
})

test('damage is told until what was found reads otherwise, and then the file serves', async () => {
  await using made = await makeLarge()
  const root = rootOf(made.file, 'svc_companies')
  const page = spoil(made.file, undefined, root)
  await using store = closing(await openFile(made.file))
  const add = () => store.write((tx) => tx.run("DELETE FROM svc_facts WHERE Name = 'bulk 1'"), ALL)
  for (let look = 0; look < 3; look++) {
    expect(await store.checkPages()).toContain('is damaged')
    expect(await failureOf(add())).toMatchObject({ ...REFUSED, message: DAMAGED })
  }
  spoil(made.file, page, root)
  expect(await store.checkPages()).toBeUndefined()
  await store.requireServing()
  expect(await add()).toBe(1)
})

function rootOf(file: string, table: string): number {
  const database = new Database(file, { readonly: true })
  const found = database.query('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)
  database.close()
  return (found as { rootpage: number }).rootpage
}

type Closed<T> = T & AsyncDisposable

const closing = <T extends { close(): Promise<void> }>(store: T): Closed<T> =>
  Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
