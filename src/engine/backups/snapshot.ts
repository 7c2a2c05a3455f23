/** One state of a data folder, fixed beside the process that serves it. */
import { copyFile, link, readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { makeFolder } from '../../kernel/durable.ts'
import { findAuditHead } from '../../store/audit/check.ts'
import { type AuditHead, EMPTY_LOG } from '../../store/audit/record.ts'
import { copyDatabase, type DatabaseCopy } from '../../store/file/copy-database.ts'
import { openReadOnly } from '../../store/file/open.ts'
import type { StoreLimits } from '../../store/limits.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { UNFINISHED } from '../../store/tables/jobs.ts'
import { AUDIT_FOLDER, listArchiveFiles } from '../audit/archive-file.ts'
import type { PackedFile } from './archive-writer.ts'
import { FILES_FOLDER } from '../files/file-vault.ts'

/** A state of a data folder, as files that stay as they are. */
export interface Snapshot {
  at: Date
  engine: DatabaseCopy
  state: DatabaseCopy | undefined
  audit: AuditHead
  files: PackedFile[]
  /** Files that rows name and that are not there. */
  missing: string[]
}

interface SnapshotOptions {
  /** The data folder. */
  folder: string
  /** A folder for the copies of the databases. */
  copies: string
  /** A folder for links to the files, on the disk of the data folder. */
  links: string
  limits: StoreLimits
  now: () => Date
}

/**
 * A file that is removed between the copy of the database and its link has the copy made again:
 * the files that were linked before stay, so one more turn is nearly always enough.
 */
const TURNS = 5

/** Fixes a state of the databases, and each file that it names. Reads only. */
export async function takeSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const { folder, copies } = options
  const linked = new Set<string>()
  await linkFiles(options, join(folder, 'engine.db'), linked)
  for (let turn = 1; ; turn++) {
    // All that was committed before the last piece is in the copy.
    let at = options.now()
    const engine = await copyDatabase(
      join(folder, 'engine.db'),
      'engine',
      join(copies, 'engine.db'),
      () => (at = options.now()),
    )
    const lost = await linkFiles(options, join(copies, 'engine.db'), linked)
    const missing = await findDamage(options, lost)
    if (missing.length < lost.length && turn < TURNS) continue
    const state = await copyState(options)
    const { audit, names } = await readNames(options, join(copies, 'engine.db'))
    const absent = new Set(lost)
    const files = await toFiles(
      options,
      [...names].filter((name) => !absent.has(name)),
    )
    return {
      at,
      engine,
      state,
      audit,
      files: [...databases(copies, engine, state), ...files],
      missing,
    }
  }
}

/** A folder whose `state.db` was lost has none until its next start. */
async function copyState({ folder, copies }: SnapshotOptions): Promise<DatabaseCopy | undefined> {
  const file = join(folder, 'state.db')
  if (!(await Bun.file(file).exists())) return undefined
  return copyDatabase(file, 'state', join(copies, 'state.db'))
}

const databases = (
  copies: string,
  engine: DatabaseCopy,
  state: DatabaseCopy | undefined,
): PackedFile[] => [
  { name: 'engine.db', path: join(copies, 'engine.db'), size: engine.size },
  ...(state ? [{ name: 'state.db', path: join(copies, 'state.db'), size: state.size }] : []),
]

/** Files of records, uploads that wait for one, and imports that a job is to make. */
const NAMED: readonly { folder: string; tables: readonly string[]; sql: string }[] = [
  {
    folder: FILES_FOLDER,
    tables: ['svc_files', 'svc_uploads'],
    sql: 'SELECT Path AS Name FROM svc_files UNION SELECT Key FROM svc_uploads',
  },
  {
    folder: 'imports',
    tables: ['svc_jobs'],
    sql: `SELECT json_extract(Arguments, '$.File') AS Name FROM svc_jobs
      WHERE Name = 'table-import' AND ${UNFINISHED}`,
  },
]

async function readNames(
  { limits, folder }: SnapshotOptions,
  file: string,
): Promise<{ audit: AuditHead; names: Set<string> }> {
  const reader = await openReadOnly(file, { ...limits, readTimeoutMs: READ_MS_MAX })
  try {
    const names = new Set<string>()
    for (const { folder, tables, sql } of NAMED) {
      if (!(await hasTables(reader, tables))) continue
      const rows = await reader.all<SqlRow>({ sql, args: {}, runs: 'lane' })
      for (const { Name } of rows) if (isBare(Name)) names.add(`${folder}/${Name}`)
    }
    for (const name of listArchiveFiles(folder)) names.add(`${AUDIT_FOLDER}/${name}`)
    return { audit: (await findAuditHead(reader)) ?? { ...EMPTY_LOG }, names }
  } finally {
    await reader.close()
  }
}

const READ_MS_MAX = 60 * 60 * 1000

/** Checks that a value names a file in a folder, and nothing elsewhere. */
const isBare = (name: unknown): name is string =>
  typeof name === 'string' && /^[\w.-]{1,200}$/.test(name) && !/^\.+$/.test(name)

/** An early version of the engine had fewer tables. */
async function hasTables(reader: Reader, tables: readonly string[]): Promise<boolean> {
  const sql = `SELECT count(*) AS Found FROM sqlite_schema
    WHERE type = 'table' AND name IN (SELECT value FROM json_each(@names))`
  const row = await reader.get({ sql, args: { names: JSON.stringify(tables) }, runs: 'inline' })
  return Number(row?.Found) === tables.length
}

/** Links the files that a database names and that are not linked yet; resolves to the lost ones. */
async function linkFiles(
  options: SnapshotOptions,
  database: string,
  linked: Set<string>,
): Promise<string[]> {
  const { folder, links } = options
  for (const each of [AUDIT_FOLDER, ...NAMED.map((named) => named.folder)])
    makeFolder(join(links, each))
  const lost: string[] = []
  for (const name of (await readNames(options, database)).names) {
    if (linked.has(name)) continue
    if (await tryLink(join(folder, name), join(links, name))) linked.add(name)
    else lost.push(name)
  }
  return lost
}

/** Where the disk knows no links a copy takes their place; false for a file that is not there. */
async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    if (!NO_LINKS.has(codeOf(error))) throw error
  }
  await copyFile(from, to)
  return true
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'])

const codeOf = (error: unknown): string =>
  error instanceof Error ? String(Reflect.get(error, 'code')) : ''

/** Lost files that the database still names: no commit has removed them. */
async function findDamage(options: SnapshotOptions, lost: readonly string[]): Promise<string[]> {
  if (lost.length === 0) return []
  const { names } = await readNames(options, join(options.folder, 'engine.db'))
  return lost.filter((name) => names.has(name))
}

async function toFiles({ folder, links }: SnapshotOptions, names: readonly string[]) {
  const files: PackedFile[] = []
  for (const name of names.toSorted()) files.push(await toFile(links, name))
  for (const path of await listExtensionFiles(folder)) files.push(await toFile(folder, path))
  return files
}

async function toFile(root: string, name: string): Promise<PackedFile> {
  const path = join(root, name)
  return { name, path, size: (await stat(path)).size }
}

const EXTENSIONS = 'extensions'

/** Files of extensions by their paths in the data folder; links to elsewhere are not followed. */
async function listExtensionFiles(folder: string): Promise<string[]> {
  const root = join(folder, EXTENSIONS)
  try {
    const found = await readdir(root, { recursive: true, withFileTypes: true })
    return found
      .filter((each) => each.isFile())
      .map((each) => relative(folder, join(each.parentPath, each.name)).split(sep).join('/'))
      .toSorted()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}
