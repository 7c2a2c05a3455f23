/**
 * Backup and restore of a large folder beside 200 writes a second: seconds, memory, growth of the
 * log, and what the writers wait. A quarter of the folder is files, the rest is rows.
 */
import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../data/demo/random.ts'
import { findServedDemo } from '../../test/support/executable.ts'
import { BackupShop } from '../verify/backup-shop.ts'

const MB = 1024 * 1024
const FILE_BYTES = MB
const CALM_MS = 10_000
const POLL_MS = 20
const TURNS = 3

/** Prints figures as they are known. */
export async function* measureBackup(executable: string, isQuick: boolean): AsyncGenerator<string> {
  const home = mkdtempSync(join(tmpdir(), 'appengine-bench-'))
  try {
    const demo = join(home, 'demo')
    cpSync(await findServedDemo(), demo, { recursive: true })
    grow(demo, (isQuick ? 256 : 2048) * MB)
    const shop = await BackupShop.open({ executable, demo, home, random: new Random(1) })
    try {
      yield* measureBeside(shop, executable, home)
    } finally {
      await shop.close()
    }
  } finally {
    rmSync(home, { force: true, recursive: true })
  }
}

/** A time without and a time with the work take turns: other work of the machine is in both. */
async function* measureBeside(
  shop: BackupShop,
  executable: string,
  home: string,
): AsyncGenerator<string> {
  const ratios = { backup: [] as number[], restore: [] as number[] }
  for (let turn = 1; turn <= TURNS; turn++) {
    const file = join(home, `measured-${turn}.tar.zst`)
    const target = join(home, `restored-${turn}`)
    const compare = await beginCompare(shop)
    yield `without a backup     ${compare.calm.text}`
    const backup = await measure([executable, 'backup', file, '--data', shop.folder])
    const after = shop.sentCount
    const made = readTimes(shop)
    ratios.backup.push(made.p99 / compare.calm.p99)
    yield `while it is made     ${made.text}`
    yield `backup               ${backup.text}, ${Math.round(statSync(file).size / MB)} MB`
    yield `                     ${backup.told}`
    const { calm } = await beginCompare(shop)
    yield `without a restore    ${calm.text}`
    const restore = await measure([executable, 'restore', file, '--data', target])
    const restored = readTimes(shop)
    ratios.restore.push(restored.p99 / calm.p99)
    yield `while it is restored ${restored.text}`
    yield `restore              ${restore.text}`
    const { orders, faults } = shop.compare(target, { before: compare.before, after })
    yield `orders               ${orders} compared, ${faults.length} faults ${faults[0] ?? ''}`
    for (const made of [file, target]) rmSync(made, { force: true, recursive: true })
  }
  for (const [name, each] of Object.entries(ratios))
    yield `${name}: p99 of writes ${formatMedian(each)} times that without`
}

/** Looks at the writes for a while, beside nothing. */
async function beginCompare(shop: BackupShop) {
  shop.times.length = 0
  await Bun.sleep(CALM_MS)
  return { calm: readTimes(shop), before: shop.ackedCount }
}

const formatMedian = (ratios: readonly number[]): string =>
  (ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0).toFixed(1)

/** The times since the last call. */
function readTimes({ times }: BackupShop): { p99: number; text: string } {
  const sorted = times.splice(0).toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  const text = [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${at(share).toFixed(1)} ms`)
  return { p99: at(0.99), text: `${sorted.length} writes, ${text.join(', ')}` }
}

async function measure(command: string[]): Promise<{ text: string; told: string }> {
  const idle = await findPeak([command[0] ?? '', 'version'])
  const startedAt = performance.now()
  const { peak, told } = await findPeak(command)
  const seconds = (performance.now() - startedAt) / 1000
  const memory = `${Math.round(peak / MB)} MB of memory, ${Math.round(idle.peak / MB)} idle`
  return { text: `${seconds.toFixed(1)} s, ${memory}`, told }
}

/** The most resident memory of a command, in bytes. */
async function findPeak(command: string[]): Promise<{ peak: number; told: string }> {
  const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'pipe'] })
  let peak = 0
  const poll = setInterval(() => {
    peak = Math.max(peak, readPeak(child.pid))
  }, POLL_MS)
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  clearInterval(poll)
  if (code !== 0) throw new Error(errors)
  return { peak, told: out.split('\n')[0] ?? '' }
}

function readPeak(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** Fills a folder at rest: rows with two indexes in a table of its own, and files of a record. */
function grow(folder: string, bytes: number): void {
  const database = new Database(join(folder, 'engine.db'))
  database.run('PRAGMA synchronous=OFF')
  database.run(`CREATE TABLE bulk (Id INTEGER PRIMARY KEY, Name TEXT, Body TEXT, Cost REAL)`)
  database.run('CREATE INDEX bulk_name ON bulk (Name)')
  database.run('CREATE INDEX bulk_cost ON bulk (Cost)')
  const insert = database.query(`WITH RECURSIVE n (i) AS
      (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO bulk (Name, Body, Cost) SELECT 'Customer ' || abs(random() % 100000),
      'Deliver before noon, ' || hex(randomblob(120)) || ' and ring twice', random() / 1e9 FROM n`)
  while (statSync(join(folder, 'engine.db')).size < bytes * 0.75) insert.run()
  mkdirSync(join(folder, 'files'), { recursive: true, mode: 0o700 })
  for (let at = 0; at < (bytes * 0.25) / FILE_BYTES; at++) addFile(database, folder, at)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

function addFile(database: Database, folder: string, at: number): void {
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
  const content = Buffer.alloc(FILE_BYTES, `scan ${at} `)
  crypto.getRandomValues(content.subarray(0, 65_536))
  writeFileSync(join(folder, 'files', id), content, { mode: 0o600 })
  database.run(
    `INSERT INTO svc_files (Path, Entity, RecordKey, Field, FileName, ContentType, Size, Sha256,
       CreatedAt) VALUES (?, 'Bulk', '[1]', 'Scan', 'scan.pdf', 'application/pdf', ?, ?, '')`,
    [id, content.length, createHash('sha256').update(content).digest('hex')],
  )
}
