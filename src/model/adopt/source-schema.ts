/** The schema of another program's database: tables, keys, references, and other objects. */
import type { SourceFile } from '../../store/file/source-file.ts'
import type { SqlRow } from '../../store/sql.ts'
import { quote, quoteText } from '../sql/quote.ts'

export interface SourceColumn {
  name: string
  /** Type as declared; '' without one. */
  declared: string
  notNull: boolean
  /** SQL text; undefined for none. */
  preset: string | undefined
  isGenerated: boolean
}

/** A foreign key: own columns, and the columns that they name in another table. */
export interface SourceReference {
  columns: readonly string[]
  table: string
  /** Empty where it means the key of that table. */
  to: readonly string[]
  onDelete: string
}

export interface SourceIndex {
  name: string
  unique: boolean
  /** Names of columns; undefined for an expression. */
  columns: readonly (string | undefined)[]
  isPartial: boolean
  /** True when it compares otherwise than by bytes. */
  isCollated: boolean
}

export interface SourceTable {
  name: string
  sql: string
  columns: readonly SourceColumn[]
  /** The columns of the primary key in their order. */
  keys: readonly string[]
  /** The key is the number by which SQLite stores the row. */
  isRowKey: boolean
  hasRowId: boolean
  references: readonly SourceReference[]
  indexes: readonly SourceIndex[]
}

/** An object that a model has no place for: it is named, and its text is kept. */
export interface LeftObject {
  kind: 'view' | 'trigger' | 'virtual table' | 'table'
  name: string
  sql: string
  /** Rows that only this object holds; undefined where it holds none, or none can be counted. */
  rows?: number
  /** A sentence about its rows. */
  remark?: string
}

interface SourceSchema {
  tables: readonly SourceTable[]
  left: readonly LeftObject[]
}

/** Tables that SQLite keeps for itself, and tables that tools keep beside an application's. */
const INNER = /^sqlite_/i
const OF_TOOLS = /^(?:libsql_|_litestream_|__drizzle_migrations$|_prisma_migrations$)/i

const TABLES = `SELECT l.name AS name, l.type AS type, l.wr AS wr, s.sql AS sql
  FROM pragma_table_list AS l LEFT JOIN main.sqlite_schema AS s
    ON s.name = l.name AND s.type IN ('table', 'view')
  WHERE l.schema = 'main' ORDER BY s.rowid`

/** Reads the whole schema. @throws SourceError */
export async function readSourceSchema(source: SourceFile): Promise<SourceSchema> {
  const tables: SourceTable[] = []
  const left: LeftObject[] = []
  for (const row of await source.all(TABLES)) {
    const name = String(row.name)
    const sql = String(row.sql ?? '')
    if (INNER.test(name)) continue
    if (OF_TOOLS.test(name)) left.push({ kind: 'table', name, sql })
    else if (row.type === 'table') tables.push(await readTable(source, { name, sql, row }))
    else if (row.type === 'view') left.push({ kind: 'view', name, sql })
    else if (row.type === 'virtual') left.push({ kind: 'virtual table', name, sql })
  }
  const triggers = await source.all(
    `SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' ORDER BY rowid`,
  )
  for (const { name, sql } of triggers)
    left.push({ kind: 'trigger', name: String(name), sql: String(sql) })
  return { tables, left }
}

async function readTable(
  source: SourceFile,
  { name, sql, row }: { name: string; sql: string; row: SqlRow },
): Promise<SourceTable> {
  const of = quoteText(name)
  const infos = await source.all(
    `SELECT name, type, "notnull" AS required, dflt_value AS preset, pk, hidden
     FROM pragma_table_xinfo(${of}) ORDER BY cid`,
  )
  const keyed = infos.filter((info) => Number(info.pk) > 0)
  const keys = keyed.toSorted((a, b) => Number(a.pk) - Number(b.pk))
  const hasRowId = Number(row.wr) === 0
  const indexes = await readIndexes(source, name)
  return {
    name,
    sql,
    columns: infos.filter(({ hidden }) => hidden !== 1).map(toColumn),
    keys: keys.map((info) => String(info.name)),
    isRowKey: hasRowId && keys.length === 1 && !indexes.hasKeyIndex && isInteger(keys[0]),
    hasRowId,
    references: await readReferences(source, name),
    indexes: indexes.list,
  }
}

const isInteger = (info: SqlRow | undefined): boolean => /^integer$/i.test(String(info?.type))

const toColumn = ({ name, type, required, preset, hidden }: SqlRow): SourceColumn => ({
  name: String(name),
  declared: String(type ?? ''),
  notNull: required === 1,
  preset: typeof preset === 'string' ? preset : undefined,
  isGenerated: hidden === 2 || hidden === 3,
})

async function readReferences(source: SourceFile, table: string): Promise<SourceReference[]> {
  const rows = await source.all(
    `SELECT id, "table" AS target, "from" AS own, "to" AS key, on_delete AS onDelete
     FROM pragma_foreign_key_list(${quoteText(table)}) ORDER BY id, seq`,
  )
  const byId = Map.groupBy(rows, ({ id }) => id)
  return [...byId.values()].reverse().map((parts) => ({
    columns: parts.map(({ own }) => String(own)),
    table: String(parts[0]?.target),
    to: parts.flatMap(({ key }) => (key === null ? [] : [String(key)])),
    onDelete: String(parts[0]?.onDelete),
  }))
}

async function readIndexes(
  source: SourceFile,
  table: string,
): Promise<{ list: SourceIndex[]; hasKeyIndex: boolean }> {
  const of = quoteText(table)
  const rows = await source.all(
    `SELECT name, "unique" AS isUnique, origin, partial FROM pragma_index_list(${of}) ORDER BY seq`,
  )
  const list: SourceIndex[] = []
  for (const { name, isUnique, origin, partial } of rows.reverse()) {
    if (origin === 'pk') continue
    const parts = await source.all(
      `SELECT name, coll FROM pragma_index_xinfo(${quoteText(String(name))})
       WHERE key = 1 ORDER BY seqno`,
    )
    list.push({
      name: String(name),
      unique: isUnique === 1,
      columns: parts.map((part) => (part.name === null ? undefined : String(part.name))),
      isPartial: partial === 1,
      isCollated: parts.some(({ coll }) => coll !== 'BINARY'),
    })
  }
  return { list, hasKeyIndex: rows.some(({ origin }) => origin === 'pk') }
}

/** Finds the name by which a row's own number is read; undefined where columns use all of them. */
export function findRowId({ columns, hasRowId }: SourceTable): string | undefined {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()))
  return hasRowId ? ['rowid', '_rowid_', 'oid'].find((name) => !taken.has(name)) : undefined
}

/** The expressions by which the rows are read in order; undefined where no order is certain. */
export function orderOf(table: SourceTable): readonly string[] | undefined {
  if (table.isRowKey || !table.hasRowId) return table.keys.map(quote)
  const rowId = findRowId(table)
  return rowId === undefined ? undefined : [rowId]
}
