/** The engine's tables as a file has them, beside what the number of its schema promises. */
import { type Connection, openScratch } from '../connection/connection.ts'
import type { SqlRow } from '../sql.ts'

/** A column as `pragma_table_xinfo` tells it. */
interface StoredColumn {
  name: string
  /** Type in upper case. */
  type: string
  notNull: boolean
  /** SQL text; null for none. */
  preset: string | null
  /** Place of the column in the primary key, from 1; 0 outside of it. */
  keyPlace: number
}

export interface FileTable {
  name: string
  sql: string
  columns: ReadonlyMap<string, StoredColumn>
  /** `Column > table.Column action`, sorted. */
  references: string
}

/** The engine's tables and indexes by name. */
interface StoredSchema {
  tables: ReadonlyMap<string, FileTable>
  /** SQL texts. */
  indexes: ReadonlyMap<string, string>
}

/** The tables, columns and indexes that a file lacks of its schema, and can be given. */
export interface SchemaRepair {
  tables: FileTable[]
  columns: { table: FileTable; column: StoredColumn }[]
  /** SQL texts by name; what bears the name now is another index. */
  indexes: Map<string, string>
}

/** A part of a file that its schema does not promise and no repair removes: table and column. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch'
}

/** The tables and indexes of the engine that statements make. */
export const promiseSchema = (migrations: readonly string[]): StoredSchema =>
  withSchema(migrations, readSchema)

/** SQL texts of the schema alone, which are all that a comparison needs. */
export const promiseTexts = (migrations: readonly string[]): string[] =>
  withSchema(migrations, readTexts)

function withSchema<T>(migrations: readonly string[], read: (made: Connection) => T): T {
  const scratch = openScratch()
  try {
    for (const migration of migrations) scratch.database.exec(migration)
    return read(scratch)
  } finally {
    scratch.close()
  }
}

/** Checks that a database has all of these tables and indexes, to the letter: it lacks nothing. */
export function hasTexts(connection: Connection, promised: readonly string[]): boolean {
  const stored = new Set(readTexts(connection))
  return promised.every((text) => stored.has(text))
}

const readTexts = (connection: Connection): string[] =>
  connection
    .statement(OWN_SCHEMA)
    .all({})
    .map(({ sql }) => String(sql))

/**
 * Returns the parts of `promised` that are missing; undefined if it is complete. Throws a
 * SchemaMismatch for a column that differs from the promised one.
 */
export function compareSchema(
  promised: StoredSchema,
  stored: StoredSchema,
): SchemaRepair | undefined {
  const repair: SchemaRepair = { tables: [], columns: [], indexes: new Map() }
  for (const table of promised.tables.values()) {
    const found = stored.tables.get(table.name)
    if (!found) repair.tables.push(table)
    else if (found.sql !== table.sql) repair.columns.push(...compareTable(table, found))
  }
  for (const [name, sql] of promised.indexes)
    if (stored.indexes.get(name) !== sql) repair.indexes.set(name, sql)
  const { tables, columns, indexes } = repair
  return tables.length + columns.length + indexes.size > 0 ? repair : undefined
}

function compareTable(promised: FileTable, stored: FileTable): SchemaRepair['columns'] {
  const missing: SchemaRepair['columns'] = []
  for (const column of promised.columns.values()) {
    const found = stored.columns.get(column.name)
    if (found) requireSameColumn(promised.name, column, found)
    else if (canAdd(column) || isChained(promised, column))
      missing.push({ table: promised, column })
    else throw mismatch(promised.name, column, 'is missing')
  }
  for (const column of stored.columns.values())
    if (!promised.columns.has(column.name) && column.notNull && column.preset === null)
      throw mismatch(promised.name, column, 'does not belong there')
  if (promised.references !== stored.references)
    throw new SchemaMismatch(
      `the references of table ${promised.name} are (${stored.references}) ` +
        `where (${promised.references}) belongs`,
    )
  return missing
}

const canAdd = ({ notNull, preset, keyPlace }: StoredColumn): boolean =>
  keyPlace === 0 && (!notNull || preset !== null)

/** The one column without a default of which each row's value can be computed. */
export const CHAINED = { table: 'svc_audit', column: 'Hash' } as const

/** Checks that a column is the one that chains the entries of the audit log. */
export const isChained = (table: FileTable, column: StoredColumn): boolean =>
  table.name === CHAINED.table && column.name === CHAINED.column

function requireSameColumn(table: string, promised: StoredColumn, stored: StoredColumn): void {
  const [wanted, found] = [describeColumn(promised), describeColumn(stored)]
  if (wanted !== found) throw mismatch(table, promised, `is ${found} where ${wanted} belongs`)
}

const mismatch = (table: string, column: StoredColumn, what: string): SchemaMismatch =>
  new SchemaMismatch(`column ${column.name} of table ${table} ${what}`)

/** Describes a column as it is declared, without its name. */
export const describeColumn = ({ type, notNull, preset, keyPlace }: StoredColumn): string =>
  [
    type,
    ...(keyPlace > 0 ? [`PRIMARY KEY(${keyPlace})`] : []),
    ...(notNull ? ['NOT NULL'] : []),
    ...(preset === null ? [] : [`DEFAULT ${preset}`]),
  ].join(' ')

/**
 * The engine's tables and indexes of a database. Its statements are kept by the connection: the
 * collector would wait for whatever runs on it to take others.
 */
export function readSchema(connection: Connection): StoredSchema {
  const tables = new Map<string, FileTable>()
  const indexes = new Map<string, string>()
  for (const row of connection.statement(OWN_SCHEMA).all({})) {
    const [type, name, sql] = [String(row.type), String(row.name), String(row.sql)]
    if (type === 'index') indexes.set(name, sql)
    if (type !== 'table') continue
    const columns = connection.statement(COLUMNS).all({ name }).map(toColumn)
    const references = connection.statement(REFERENCES).all({ name })
    tables.set(name, {
      name,
      sql,
      columns: new Map(columns.map((column) => [column.name, column])),
      references: references
        .map(({ reference }) => String(reference))
        .sort()
        .join(', '),
    })
  }
  return { tables, indexes }
}

const OWN_SCHEMA = `SELECT type, name, sql FROM sqlite_schema
  WHERE name LIKE 'svc\\_%' ESCAPE '\\' AND sql IS NOT NULL`
const COLUMNS = `SELECT name, upper(type) AS type, "notnull" AS "notNull", dflt_value AS preset,
  pk AS keyPlace FROM pragma_table_xinfo(@name)`
const REFERENCES = `SELECT "from" || ' > ' || "table" || '.' || coalesce("to", '') || ' '
  || on_update || ' ' || on_delete AS reference FROM pragma_foreign_key_list(@name)`

const toColumn = ({ name, type, notNull, preset, keyPlace }: SqlRow): StoredColumn => ({
  name: String(name),
  type: String(type),
  notNull: notNull === 1,
  preset: typeof preset === 'string' ? preset : null,
  keyPlace: Number(keyPlace),
})
