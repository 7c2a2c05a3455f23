/** `appengine check` of a data folder, beside its server and without one. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand, startExecutable, temporaryFolder } from '../support/executable.ts'

const home = temporaryFolder()
const good = join(home.path, 'good')
const FILE = '00000000-0000-4000-8000-000000000001'
const EXPORT = `orders-${'0'.repeat(32)}.csv`
const WIDE = Array.from({ length: 1901 }, (_, at) => `c${at}`)
const BYTES = 'what was stored'
const SHA256 = createHash('sha256').update(BYTES).digest('hex')

afterAll(() => home[Symbol.dispose]())

async function check(folder: string, words: string[] = ['--json']) {
  const end = await runCommand(['check', '--data', folder, ...words], { cwd: home.path })
  return { ...end, found: words.includes('--json') ? JSON.parse(end.stdout) : undefined }
}

const change = (folder: string, name: 'engine' | 'state', sql: string): void => {
  const database = new Database(join(folder, `${name}.db`))
  database.run(sql)
  database.close()
}

/** A folder that was served, is looked at meanwhile, and names a file and an export. */
beforeAll(async () => {
  mkdirSync(good, { mode: 0o700 })
  await using server = await startExecutable({ dataFolder: good })
  const beside = await check(good)
  expect(beside).toMatchObject({ exitCode: 0, stderr: '', found: { Whole: true, Faults: [] } })
  await server.stop()
  writeFileSync(join(good, 'files', FILE), BYTES)
  // A server makes it with its first export, or when it first looks for expired ones.
  mkdirSync(join(good, 'exports'), { recursive: true, mode: 0o700 })
  writeFileSync(join(good, 'exports', EXPORT), BYTES)
  change(
    good,
    'engine',
    `INSERT INTO svc_files (Path, Entity, RecordKey, Field, FileName, ContentType, Size, Sha256,
       CreatedAt) VALUES ('${FILE}', 'Order', '[1]', 'F', 'a', 't', ${BYTES.length}, '${SHA256}', '')`,
  )
  change(
    good,
    'state',
    `INSERT INTO svc_exports VALUES ('${EXPORT}', 1, 1, 'a', 't', ${BYTES.length}, '${SHA256}',
       '', '9')`,
  )
})

test('a folder that is whole is told to be, with its files; nothing in it changes', async () => {
  const { exitCode, stdout, stderr } = await check(good, [])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toBe(
    `${good}: both databases and 2 files (30 bytes) were read; nothing is damaged.\n`,
  )
  const missing = await check(join(home.path, 'nowhere'))
  expect(missing).toMatchObject({ exitCode: 1, found: { Whole: false } })
  expect(existsSync(join(home.path, 'nowhere'))).toBe(false)
})

test.each<[string, (folder: string) => void, string, string]>([
  [
    'a table is wider than can be written',
    (at) => change(at, 'engine', `CREATE TABLE wide (${WIDE.join(', ')})`),
    'The table wide',
    'has 1901 columns; at most 1900 can be written: deploy its entity with fewer',
  ],
  ['a file is gone', (at) => rmSync(join(at, 'files', FILE)), `files/${FILE}`, 'is missing'],
  [
    'a file is shorter',
    (at) => writeFileSync(join(at, 'files', FILE), 'what'),
    `files/${FILE}`,
    'has 4 bytes where 15 were stored',
  ],
  [
    'a file is another',
    (at) => writeFileSync(join(at, 'files', FILE), BYTES.toUpperCase()),
    `files/${FILE}`,
    'is not as it was stored',
  ],
  ['an export is gone', (at) => rmSync(join(at, 'exports', EXPORT)), EXPORT, 'is missing'],
  ['a database is gone', (at) => rmSync(join(at, 'engine.db')), 'engine.db', 'is missing'],
  ['a page is damaged', spoilPage, 'engine.db', 'restore a backup'],
  [
    'a reference leads nowhere',
    (at) => change(at, 'engine', 'INSERT INTO svc_user_companies VALUES (1, 999)'),
    'engine.db',
    '1 rows of svc_user_companies refer to no row of svc_companies',
  ],
  [
    'a table is another',
    (at) => change(at, 'engine', 'ALTER TABLE svc_keys RENAME COLUMN PublicJwk TO Open'),
    'engine.db',
    'column PublicJwk of table svc_keys is missing',
  ],
  [
    "it is another folder's database",
    (at) => writeFileSync(join(at, 'engine.db.id'), 'another'),
    'engine.db',
    'is not the database that',
  ],
  [
    'the volatile database is damaged',
    (at) => writeFileSync(join(at, 'state.db'), 'noise'.repeat(100)),
    'state.db',
    'is not a database, or is damaged',
  ],
])('it is named and the exit code is 1 when %s', async (_, spoil, name, what) => {
  const folder = join(home.path, 'copy')
  rmSync(folder, { recursive: true, force: true })
  cpSync(good, folder, { recursive: true })
  spoil(folder)
  const { exitCode, stderr, found } = await check(folder)
  expect(exitCode).toBe(1)
  expect(found).toMatchObject({ Whole: false, Faults: [expect.stringContaining(name)] })
  expect(stderr).toContain(what)
})

/** A page that is in use: of one that is free nothing is lost. */
function spoilPage(folder: string): void {
  const file = join(folder, 'engine.db')
  using database = new Database(file, { readonly: true })
  const root = `SELECT rootpage AS Page FROM sqlite_schema WHERE name = 'svc_users'`
  const { Page } = database.query(root).get() as { Page: number }
  const bytes = readFileSync(file)
  bytes.fill(0xa5, (Page - 1) * 4096, Page * 4096)
  writeFileSync(file, bytes)
}

test('a start gives a database of its own version what it lacks', async () => {
  const folder = join(home.path, 'lacking')
  cpSync(good, folder, { recursive: true })
  const INDEXES = "SELECT count(*) AS n FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
  const count = (): unknown => {
    using database = new Database(join(folder, 'engine.db'))
    return database.query(INDEXES).get()
  }
  const whole = count()
  change(folder, 'engine', 'DROP INDEX svc_jobs_states')
  expect(count()).not.toEqual(whole)
  const server = await startExecutable({ dataFolder: folder })
  await server.stop()
  expect(count()).toEqual(whole)
})
