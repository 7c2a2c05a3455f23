/** The schema of another program's database: tables, keys, references, and other objects. */
import type { SourceFile } from '../../store/file/source-file.ts'
import type { SqlRow } from '../../store/sql.ts'
import { listComputed } from './computed-columns.ts'
import { listInnerTables } from './virtual-tables.ts'
import { quote } from '../sql/quote.ts'

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
  /** The collation by which it compares otherwise than by bytes. */
  collation: string | undefined
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
  /** The collation by which its keys compare otherwise than by bytes. */
  keyCollation: string | undefined
  /** Its rows lie in another order than that of their keys. */
  isUnsorted: boolean
  /** Columns that are computed each time they are read: none of them is read. */
  computed: readonly string[]
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

/**
 * The schema as it is stored. SQLite's own list of tables opens every view and virtual table, and
 * so runs what a hostile file says; a virtual table has no page of its own.
 */
const OBJECTS = `SELECT name, type, sql, coalesce(rootpage, 0) AS root FROM main.sqlite_schema
  WHERE type IN ('table', 'view', 'trigger') ORDER BY type = 'trigger', rowid`

/** A table is what its text says, and not the word beside it. */
const TABLE = /^CREATE TABLE\b/i
const VIEW = /^CREATE VIEW\b/i

/** Reads the whole schema. @throws SourceError */
export async function readSourceSchema(source: SourceFile): Promise<SourceSchema> {
  const tables: SourceTable[] = []
  const left: LeftObject[] = []
  const rows = await source.all(OBJECTS)
  const inner = new Set(rows.flatMap(listInner))
  for (const row of rows) {
    const name = String(row.name)
    const sql = String(row.sql ?? '')
    const leave = (kind: LeftObject['kind'], remark?: string): number =>
      left.push({ kind, name, sql, ...(remark !== undefined && { remark }) })
    if (INNER.test(name) || inner.has(name.toLowerCase())) continue
    if (row.type === 'trigger') leave('trigger')
    else if (isVirtual(row)) leave('virtual table')
    else if (VIEW.test(sql)) leave('view')
    else if (OF_TOOLS.test(name)) leave('table')
    else if (!TABLE.test(sql)) leave('table', 'it is none by its own words')
    else {
      const table = await readTable(source, { name, sql })
      if (table === undefined) leave('table', 'a name of it or in it is no text')
      else tables.push(table)
    }
  }
  return { tables, left }
}

const isVirtual = ({ type, root, sql }: SqlRow): boolean =>
  type === 'table' && root === 0 && !VIEW.test(String(sql))

/** Names of the tables that a virtual table keeps, in lower case. */
const listInner = (row: SqlRow): string[] =>
  isVirtual(row)
    ? listInnerTables(String(row.name), String(row.sql)).map((name) => name.toLowerCase())
    : []

/** The sign for bytes that are no text: a name with it may be another one. */
const BROKEN = '\ufffd'

/** Undefined for a table that cannot be named, or a column of which cannot. */
async function readTable(
  source: SourceFile,
  { name, sql }: { name: string; sql: string },
): Promise<SourceTable | undefined> {
  const infos = await source.all(
    `SELECT name, type, "notnull" AS required, dflt_value AS preset, pk, hidden
     FROM pragma_table_xinfo(@name) ORDER BY cid`,
    { name },
  )
  const isBroken = [name, ...infos.map((info) => String(info.name))].some((each) =>
    each.includes(BROKEN),
  )
  if (infos.length === 0 || isBroken) return undefined
  const keyed = infos.filter((info) => Number(info.pk) > 0)
  const keys = keyed.toSorted((a, b) => Number(a.pk) - Number(b.pk))
  // Of a table without row numbers its name is that of its key's index.
  const [keyIndex] = await source.all('SELECT 1 AS n FROM pragma_index_info(@name)', { name })
  const hasRowId = keyIndex === undefined
  const collation = source.unsorted.get(name.toLowerCase())
  const computed = listComputed(sql, infos)
  const indexes = await readIndexes(source, name)
  return {
    name,
    sql,
    columns: infos
      .filter((info) => info.hidden !== 1 && !computed.includes(String(info.name)))
      .map(toColumn),
    keys: keys.map((info) => String(info.name)),
    isRowKey: hasRowId && keys.length === 1 && !indexes.hasKeyIndex && isInteger(keys[0]),
    hasRowId,
    keyCollation: collation ?? indexes.keyCollation,
    isUnsorted: collation !== undefined,
    computed,
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
     FROM pragma_foreign_key_list(@table) ORDER BY id, seq`,
    { table },
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
): Promise<{ list: SourceIndex[]; hasKeyIndex: boolean; keyCollation: string | undefined }> {
  const rows = await source.all(
    `SELECT name, "unique" AS isUnique, origin, partial FROM pragma_index_list(@table)
     ORDER BY seq`,
    { table },
  )
  const list: SourceIndex[] = []
  let keyCollation: string | undefined
  for (const { name, isUnique, origin, partial } of rows.reverse()) {
    const parts = await source.all(
      'SELECT name, coll FROM pragma_index_xinfo(@name) WHERE key = 1 ORDER BY seqno',
      { name: String(name) },
    )
    const collation = parts.map(({ coll }) => String(coll)).find((coll) => !/^binary$/i.test(coll))
    if (origin === 'pk') {
      keyCollation = collation
      continue
    }
    list.push({
      name: String(name),
      unique: isUnique === 1,
      columns: parts.map((part) => (part.name === null ? undefined : String(part.name))),
      isPartial: partial === 1,
      collation,
    })
  }
  return { list, hasKeyIndex: rows.some(({ origin }) => origin === 'pk'), keyCollation }
}

/** Finds the name by which a row's own number is read; undefined where columns use all of them. */
export function findRowId({ columns, hasRowId }: SourceTable): string | undefined {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()))
  return hasRowId ? ['rowid', '_rowid_', 'oid'].find((name) => !taken.has(name)) : undefined
}

/** The expressions by which the rows are read in order; undefined where no order is certain. */
export function orderOf(table: SourceTable): readonly string[] | undefined {
  // A sign in front keeps SQLite from trusting an order that the rows do not have.
  if (table.isUnsorted) return table.keys.map((key) => `+${quote(key)}`)
  if (table.isRowKey || !table.hasRowId) return table.keys.map(quote)
  const rowId = findRowId(table)
  return rowId === undefined ? undefined : [rowId]
}
