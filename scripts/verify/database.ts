/** The data folder from outside: its databases are opened read-only, by another SQLite. */
import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inspectAudit } from './audit.ts'
import { inspectSearchIndex } from './search-index.ts'

/** Everything that a data folder may hold, at rest or while it is served. */
const BELONGS =
  /^(?:(?:engine|state)\.db(?:-wal|-shm|\.open|\.before-\d+)?|engine\.db\.id|lock\.db(-journal)?)$/

/** Folders of a data folder; the worlds of a verification put nothing into them. */
const EMPTY_FOLDERS: ReadonlySet<string> = new Set(['exports', 'files', 'imports', 'uploads'])

/** The demo's own extension lies here. */
const EXTENSIONS = 'extensions'

/** Reads one of the folder's databases. */
export function readDatabase<T>(
  folder: string,
  name: 'engine' | 'state',
  read: (database: Database) => T,
): T {
  const database = new Database(join(folder, `${name}.db`), { readonly: true })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

const isFolderOfOurs = (folder: string, name: string): boolean =>
  name === EXTENSIONS || (EMPTY_FOLDERS.has(name) && readdirSync(join(folder, name)).length === 0)

/** Damage, broken references, a broken audit log and files that were left over, as sentences. */
export function inspectFolder(folder: string): string[] {
  const faults = readdirSync(folder)
    .filter((name) => !BELONGS.test(name) && !isFolderOfOurs(folder, name))
    .map((name) => `${name} was left in the data folder`)
  for (const name of ['engine', 'state'] as const)
    faults.push(
      ...readDatabase(folder, name, (database) => {
        const checks = ['PRAGMA integrity_check', 'PRAGMA foreign_key_check']
        const [integrity, references] = checks.map((sql) => database.query(sql).values())
        return [
          ...(JSON.stringify(integrity) === '[["ok"]]'
            ? []
            : [`${name}.db: integrity_check says ${JSON.stringify(integrity)}`]),
          ...(references?.length
            ? [`${name}.db: ${references.length} references lead nowhere`]
            : []),
          ...(name === 'engine'
            ? [...inspectAudit(database), ...inspectSearchIndex(database)]
            : []),
        ]
      }),
    )
  return faults
}

/** A session has one refresh token that is not used up, and each used one has its successor. */
export function inspectSessions(folder: string): string[] {
  const sql = `
    SELECT SessionId || ': ' || count(*) || ' refresh tokens are good' FROM svc_refresh_tokens
      WHERE UsedAt IS NULL GROUP BY SessionId HAVING count(*) > 1
    UNION ALL
    SELECT SessionId || ': a used refresh token has no successor' FROM svc_refresh_tokens t
      WHERE (UsedAt IS NULL) <> (ReplacedBy IS NULL)
        OR (UsedAt IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM svc_refresh_tokens n WHERE n.Hash = t.ReplacedBy))`
  return readDatabase(folder, 'state', (database) =>
    database
      .query(sql)
      .values()
      .map(([text]) => `session ${text}`),
  )
}
