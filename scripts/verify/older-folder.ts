/**
 * A data folder as an older version of the engine left it, with all the rows of a present one that
 * its tables have. Tests share it (`test/engine/upgrades.test.ts`).
 */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type NativeDatabase,
  openNative,
  prepareNative,
} from '../../src/store/connection/native.ts'
import { APPLICATION_ID, type DatabaseKind, MIGRATIONS } from '../../src/store/engine-tables.ts'
import type { FolderSchema } from '../../src/store/file/last-upgrade.ts'

/** The version that an older folder says it is of. */
export const OLDER_VERSION = '0.0.9'

/** The schema before the last migration of each database. */
export const BEFORE_LAST: FolderSchema = {
  engine: MIGRATIONS.engine.length - 1,
  state: MIGRATIONS.state.length - 1,
}

/** Copies the folder `from`, which nobody serves, to `to`, in the tables of an earlier schema. */
export function makeOlderFolder(from: string, to: string, schema = BEFORE_LAST): void {
  cpSync(from, to, { recursive: true })
  for (const kind of ['engine', 'state'] as const) {
    const file = join(to, `${kind}.db`)
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    makeOlderFile(join(from, `${kind}.db`), file, { kind, schema: schema[kind] })
  }
}

function makeOlderFile(
  from: string,
  to: string,
  { kind, schema }: { kind: DatabaseKind; schema: number },
): void {
  const database = openNative(to, 'rwc')
  database.exec('PRAGMA foreign_keys=OFF')
  for (const step of MIGRATIONS[kind].slice(0, schema)) database.exec(step)
  database.exec(`ATTACH '${from.replaceAll("'", "''")}' AS source`)
  const stored = readRows(
    database,
    `SELECT type, name, sql FROM source.sqlite_schema
     WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'`,
  )
  const own = stored.filter(([, name]) => !name?.startsWith('svc_'))
  database.exec('BEGIN')
  for (const [type, , sql = ''] of own) if (type === 'table') database.exec(sql)
  for (const [type, name = '', sql] of stored)
    if (type === 'table' && !sql?.startsWith('CREATE VIRTUAL')) copyRows(database, name)
  for (const [type, , sql = ''] of own) if (type !== 'table') database.exec(sql)
  if (kind === 'engine')
    database.exec(
      `INSERT INTO svc_facts (Name, Value) VALUES ('EngineVersion', '${OLDER_VERSION}')
       ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`,
    )
  database.exec('COMMIT; DETACH source')
  database.exec(`PRAGMA application_id=${APPLICATION_ID[kind]}; PRAGMA user_version=${schema}`)
  database.exec('PRAGMA journal_mode=WAL')
  database.close()
}

const readRows = (database: NativeDatabase, sql: string): string[][] =>
  [...prepareNative(database, sql).iterate([])].map((cells) => cells.map(String))

/** Copies what both tables have; those of the text index belong to its virtual table. */
function copyRows(database: NativeDatabase, table: string): void {
  const columns = (of: 'main' | 'source'): string[] =>
    readRows(
      database,
      `SELECT name FROM pragma_table_xinfo('${table}', '${of}') WHERE hidden = 0`,
    ).map(([name = '']) => name)
  const older = new Set(columns('main'))
  const common = columns('source').filter((name) => older.has(name))
  if (common.length === 0) return
  const names = common.map((name) => `"${name}"`).join(', ')
  database.exec(`DELETE FROM main."${table}"`)
  database.exec(`INSERT INTO main."${table}" (${names}) SELECT ${names} FROM source."${table}"`)
}
