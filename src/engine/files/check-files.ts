/** Checks that the files that rows name are there, as they were stored. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SqlRow } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'

/** The number of files checked, and the faults, as sentences that name each file. */
export interface FilesReport {
  files: number
  bytes: number
  faults: string[]
}

/** A kind of files: its folder in the data folder, and the rows that name them. */
interface Kind {
  folder: string
  tables: readonly string[]
  /** Gives Name, Size and Sha256 in the order of names, which `compared` holds against `@name`. */
  plan: (compared: '>' | '=') => string
}

const PAGE = 500

const STORED: Kind = {
  folder: 'files',
  tables: ['svc_files', 'svc_uploads'],
  plan: (compared) => `SELECT Name, max(Size) AS Size, max(Sha256) AS Sha256 FROM (
      SELECT Path AS Name, Size, Sha256 FROM svc_files WHERE Path ${compared} @name
      UNION ALL SELECT Key, Size, Sha256 FROM svc_uploads WHERE Key ${compared} @name)
    GROUP BY Name ORDER BY Name LIMIT ${PAGE}`,
}

const MADE: Kind = {
  folder: 'exports',
  tables: ['svc_exports'],
  plan: (compared) =>
    `SELECT Name, Size, Sha256 FROM svc_exports WHERE Name ${compared} @name
     ORDER BY Name LIMIT ${PAGE}`,
}

/** Looks at files of records and uploads, by `engine.db`. Every byte is read. */
export const checkStoredFiles = (folder: string, engine: Reader): Promise<FilesReport> =>
  check(folder, engine, STORED)

/** Looks at exports that wait to be fetched, by `state.db`. */
export const checkMadeFiles = (folder: string, state: Reader): Promise<FilesReport> =>
  check(folder, state, MADE)

async function check(folder: string, reader: Reader, kind: Kind): Promise<FilesReport> {
  const report: FilesReport = { files: 0, bytes: 0, faults: [] }
  const load = (compared: '>' | '=', name: string): Promise<SqlRow[]> =>
    reader.all({ sql: kind.plan(compared), args: { name }, runs: 'lane' })
  // An early version of the engine had no files.
  if (!(await hasTables(reader, kind.tables))) return report
  for (let rows = await load('>', ''); rows.length > 0; rows = await load('>', lastName(rows))) {
    for (const row of rows) {
      report.files++
      report.bytes += Number(row.Size)
      const name = String(row.Name)
      const fault = await findFault(join(folder, kind.folder, name), row)
      // A server beside this one may have removed it, with its row, since the row was read.
      if (fault !== undefined && (await load('=', name)).length > 0) report.faults.push(fault)
    }
  }
  return report
}

const lastName = (rows: readonly SqlRow[]): string => String(rows.at(-1)?.Name)

async function hasTables(reader: Reader, tables: readonly string[]): Promise<boolean> {
  const sql = `SELECT count(*) AS Found FROM sqlite_schema
    WHERE type = 'table' AND name IN (SELECT value FROM json_each(@names))`
  const args = { names: JSON.stringify(tables) }
  return (await reader.get({ sql, args, runs: 'inline' }))?.Found === tables.length
}

async function findFault(path: string, row: SqlRow): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    if (size !== Number(row.Size)) return `${path} has ${size} bytes where ${row.Size} were stored`
    return (await hashFile(path)) === row.Sha256 ? undefined : `${path} is not as it was stored`
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    if (code === 'ENOENT') return `${path} is missing`
    return `${path} cannot be read (${String(code ?? error)})`
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}
