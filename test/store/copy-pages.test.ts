/** A database is copied while others write it and move its log into its file. */
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openNative } from '../../src/store/connection/native.ts'
import { copyPages } from '../../src/store/file/copy-pages.ts'
import { LogFrames } from '../../src/store/file/log-frames.ts'
import { Random } from '../../data/demo/random.ts'
import { makeFolder } from './temporary.ts'

type Writer = ReturnType<typeof openNative>

/** A row is filled up to the size of several pages. */
const BODY_BYTES = 700

/** A file of a bit over a megabyte. */
function makeDatabase(folder: string, pageBytes = 4096, journal = 'WAL'): string {
  const file = join(folder, 'data.db')
  const writer = openNative(file, 'rwc')
  writer.exec(`PRAGMA synchronous=OFF; PRAGMA page_size=${pageBytes};
    PRAGMA auto_vacuum=INCREMENTAL;
    PRAGMA journal_mode=${journal}; CREATE TABLE t (Id INTEGER PRIMARY KEY, Body TEXT);
    CREATE INDEX t_body ON t (Body);
    CREATE TABLE state (Commits INTEGER); INSERT INTO state VALUES (0)`)
  fill(writer, 900)
  writer.close()
  return file
}

const fill = (writer: Writer, rows: number): void =>
  writer.exec(`INSERT INTO t (Body) WITH RECURSIVE n (i) AS
    (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    SELECT i || hex(randomblob(${BODY_BYTES / 2})) FROM n`)

interface State {
  commits: number
  hash: string
}

/** The content of a copy, which is whole. */
function readCopy(file: string): State {
  const database = new Database(file, { readonly: true })
  try {
    const read = (sql: string): unknown[][] => database.query(sql).values()
    expect(read('PRAGMA integrity_check')).toEqual([['ok']])
    return readState(read)
  } finally {
    database.close()
  }
}

function readState(read: (sql: string) => Iterable<unknown[]>): State {
  const hash = new Bun.CryptoHasher('sha256')
  for (const row of read('SELECT Id, Body FROM t ORDER BY Id')) hash.update(row.join(' '))
  const [[commits] = []] = [...read('SELECT Commits FROM state')]
  return { commits: Number(commits), hash: hash.digest('hex') }
}

/** The state that the writer sees; another library would drop the locks of this process. */
const readLive = (writer: Writer): State =>
  readState((sql) => writer.prepare(sql).raw(true).iterate([]))

/** Things that a writer does between two pieces of a copy. */
type Step = (writer: Writer, random: Random) => void
const STEPS: readonly [Step, ...Step[]] = [
  (writer, random) => commit(writer, () => fill(writer, random.int(1, 200))),
  (writer, random) =>
    commit(writer, () =>
      writer.exec(`UPDATE t SET Body = Body || 'x' WHERE Id % ${random.int(2, 40)} = 0`),
    ),
  (writer, random) =>
    commit(writer, () => writer.exec(`DELETE FROM t WHERE Id % ${random.int(2, 9)} = 1`)),
  (writer) => commit(writer, () => writer.exec('PRAGMA incremental_vacuum(400)')),
  (writer) => {
    // More than its cache has: its pages are in the log before it is taken back.
    writer.exec('PRAGMA cache_size=10; BEGIN')
    fill(writer, 300)
    writer.exec('ROLLBACK')
  },
  (writer) => checkpoint(writer, 'PASSIVE'),
  (writer) => checkpoint(writer, 'TRUNCATE'),
]

function commit(writer: Writer, work: () => void): void {
  writer.exec('BEGIN')
  work()
  writer.exec('UPDATE state SET Commits = Commits + 1; COMMIT')
}

function checkpoint(writer: Writer, mode: string): void {
  writer.prepare(`PRAGMA wal_checkpoint(${mode})`).raw(true).get([])
}

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed)

describe('a copy beside a writer', () => {
  test.each(SEEDS)('is the state behind the last commit, seed %d', async (seed) => {
    using home = makeFolder()
    const random = new Random(seed + 1)
    const file = makeDatabase(home.folder, [512, 4096, 65_536][seed % 3] ?? 4096)
    const writer = openNative(file, 'rw')
    writer.exec('PRAGMA synchronous=OFF; PRAGMA busy_timeout=0; PRAGMA wal_autocheckpoint=100')
    const act = (most: number): void => {
      for (let at = random.int(0, most); at > 0; at--) random.pick(STEPS)(writer, random)
    }
    act(3)
    if (seed % 2 === 0) checkpoint(writer, 'TRUNCATE')
    const target = join(home.folder, 'copy.db')
    let pieces = 0
    const tell = (): void => {
      pieces++
      act(1)
    }
    await copyPages({ file, target, tell, pieceBytes: 64 * 1024 })
    expect(pieces).toBeGreaterThan(12)
    expect(readCopy(target)).toEqual(readLive(writer))
    // It needs no log to be read.
    expect([...readFileSync(target).subarray(18, 20)]).toEqual([1, 1])
    expect(readdirSync(home.folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db'])
    writer.close()
  })
})

test('a copy is given up where the log grows too much', async () => {
  using home = makeFolder()
  const file = makeDatabase(home.folder)
  const writer = openNative(file, 'rw')
  const tell = (): void => commit(writer, () => fill(writer, 300))
  const copy = copyPages({ file, target: join(home.folder, 'copy.db'), tell, growthMax: 100_000 })
  expect(await copy.catch(String)).toBe(
    `LogOutgrown: ${file}-wal grew by more than 100000 bytes while the database was copied. ` +
      'Back up when less is written.',
  )
  writer.close()
})

test('a database that keeps no log is copied as it is', async () => {
  using home = makeFolder()
  const file = makeDatabase(home.folder, 4096, 'DELETE')
  const target = join(home.folder, 'copy.db')
  expect(await copyPages({ file, target })).toBe(0)
  expect(readFileSync(target).equals(readFileSync(file))).toBe(true)
})

test('pages of a log that began again are not taken for its pages of before', async () => {
  using home = makeFolder()
  const file = makeDatabase(home.folder)
  const writer = openNative(file, 'rw')
  commit(writer, () => fill(writer, 10))
  await using log = await LogFrames.open(file)
  const before = await log.readCommits()
  const [[pages] = []] = [...writer.prepare('PRAGMA page_count').raw(true).iterate([])]
  expect(before?.count).toBe(Number(pages))
  expect(await before?.isCurrent()).toBe(true)
  checkpoint(writer, 'TRUNCATE')
  expect(await before?.isCurrent()).toBe(false)
  expect(await log.readCommits()).toBeUndefined()
  commit(writer, () => fill(writer, 1))
  expect(await before?.isCurrent()).toBe(false)
  expect((await log.readCommits())?.places.size).toBeLessThan(before?.places.size ?? 0)
  writer.close()
})

test('a log is read to an end while it grows faster than it is read', async () => {
  using home = makeFolder()
  const file = makeDatabase(home.folder)
  const writer = openNative(file, 'rw')
  writer.exec('PRAGMA wal_autocheckpoint=0; UPDATE state SET Commits = 1')
  fill(writer, 3000)
  await using log = await LogFrames.open(file)
  const reading = log.readCommits()
  let isRead = false
  void reading.finally(() => (isRead = true))
  let rounds = 0
  while (!isRead && rounds < 50) {
    rounds++
    fill(writer, 3000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await reading)?.count).toBeGreaterThan(0)
  expect(rounds).toBeLessThan(50)
  writer.close()
})
