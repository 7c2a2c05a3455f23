/**
 * Rows of the engine's own tables: SQL text, with the columns and the types of the schema. Parts of
 * rows, joins, counts and deletions are texts of their own, for the methods of `Reader` and `Tx`.
 */
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SqlArg, SqlRow } from './sql.ts'
import type { Reader, Tx } from './store.ts'

type Row<T extends SQLiteTable> = T['$inferSelect']
type NewRow<T extends SQLiteTable> = T['$inferInsert']

/** A text that the compiler knows to the letter: no value can get into it. */
type Fixed<Text extends string> = Record<never, never> extends Record<Text, 1> ? never : Text

type Before<Text extends string, End extends string> = Text extends `${infer Head}${End}${string}`
  ? Head
  : Text

/** Names of the parameters of a text: `id` of `WHERE Id = @id`. */
type ParameterOf<Text extends string> = Text extends `${string}@${infer Rest}`
  ? Before<Before<Before<Before<Rest, ' '>, ')'>, ','>, '\n'> | ParameterOf<Rest>
  : never

/** Values of all parameters of a text. */
type Values<Text extends string> = Readonly<Record<ParameterOf<Text>, SqlArg>>

/** The same as the last argument, left out for a text without parameters. */
type ValuesOf<Text extends string> = [ParameterOf<Text>] extends [never] ? [] : [Values<Text>]

/**
 * The first row of a table that a text selects: `getRow(reader, users, 'WHERE Id = @id', { id })`.
 */
export async function getRow<T extends SQLiteTable, const Text extends string>(
  reader: Pick<Reader, 'get'>,
  table: T,
  text: Text & Fixed<Text>,
  ...[values]: ValuesOf<Text>
): Promise<Row<T> | undefined> {
  const layout = layoutOf(table)
  const row = await reader.get(layout.select(text), values)
  return row && layout.toRow(row)
}

/** The rows of a table that a text selects: `allRows(reader, companies, 'ORDER BY Code')`. */
export async function allRows<T extends SQLiteTable, const Text extends string>(
  reader: Pick<Reader, 'all'>,
  table: T,
  text: Text & Fixed<Text>,
  ...[values]: ValuesOf<Text>
): Promise<Row<T>[]> {
  const layout = layoutOf(table)
  const rows = await reader.all(layout.select(text), values)
  return layout.flags.length === 0 ? rows : rows.map((row) => layout.toRow(row))
}

/**
 * Adds a row; a column that is left out or undefined has its default, else NULL. Resolves to
 * SQLite's own number of the row, which is its `Id` where that is a number.
 */
export function insertRow<T extends SQLiteTable>(
  tx: Tx,
  table: T,
  row: NewRow<T>,
): Promise<number> {
  const layout = layoutOf(table)
  return tx.insert(layout.insert(''), layout.toCells(row))
}

/**
 * Adds a row, or does what the text says where there is one already:
 * `ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`.
 */
export async function upsertRow<T extends SQLiteTable, const Text extends string>(
  tx: Tx,
  table: T,
  row: NewRow<T>,
  onConflict: Text & Fixed<Text>,
): Promise<void> {
  const layout = layoutOf(table)
  await tx.insert(layout.insert(onConflict), layout.toCells(row))
}

/**
 * Sets columns of the rows that a text selects, and resolves to how many there were:
 * `updateRows(tx, users, 'WHERE Id = @id', { id, set: { Active: false } })`. A column whose value
 * is undefined stays. What a row's own columns give (`Failures + 1`) is a text for `tx.run`.
 */
export function updateRows<T extends SQLiteTable, const Text extends string>(
  tx: Tx,
  table: T,
  text: Text & Fixed<Text>,
  { set, ...values }: Values<Text> & { set: Partial<NewRow<T>> },
): Promise<number> {
  const args: Record<string, SqlArg> = { ...values }
  const parts: string[] = []
  for (const [name, value] of Object.entries(set as Readonly<Record<string, Cell>>)) {
    if (value === undefined) continue
    parts.push(`"${name}" = @set_${name}`)
    args[`set_${name}`] = toArg(value)
  }
  return tx.run(`UPDATE ${getTableName(table)} SET ${parts.join(', ')} ${text}`, args)
}

/** A value of a row to be written. */
type Cell = SqlArg | boolean | undefined

const toArg = (cell: Exclude<Cell, undefined>): SqlArg =>
  typeof cell === 'boolean' ? Number(cell) : cell

/** A table as its texts name it. */
class Layout {
  /** Columns of 0 and 1 that rows have as false and true. */
  readonly flags: readonly string[]
  readonly #name: string
  readonly #columns: readonly { name: string; fallback: SqlArg }[]
  readonly #selects = new Map<string, string>()
  readonly #inserts = new Map<string, string>()

  constructor(table: SQLiteTable) {
    const columns = Object.values(getTableColumns(table))
    this.#name = getTableName(table)
    this.flags = columns.flatMap(({ name, dataType }) => (dataType === 'boolean' ? [name] : []))
    this.#columns = columns.map(({ name, default: fallback }) => ({
      name,
      fallback: toArg((fallback ?? null) as SqlArg | boolean),
    }))
  }

  select(text: string): string {
    const known = this.#selects.get(text)
    if (known !== undefined) return known
    const sql = `SELECT ${this.#list()} FROM ${this.#name} ${text}`
    this.#selects.set(text, sql)
    return sql
  }

  insert(onConflict: string): string {
    const known = this.#inserts.get(onConflict)
    if (known !== undefined) return known
    const places = this.#columns.map((_, at) => `?${at + 1}`).join(', ')
    const sql = `INSERT INTO ${this.#name} (${this.#list()}) VALUES (${places}) ${onConflict}`
    this.#inserts.set(onConflict, sql)
    return sql
  }

  /** The row that a statement of `select` gave, which is changed in its place. */
  toRow(row: SqlRow): Record<string, SqlRow[string] | boolean> {
    const read: Record<string, SqlRow[string] | boolean> = row
    for (const name of this.flags) if (row[name] !== null) read[name] = row[name] === 1
    return read
  }

  /** The values of a new row by their places. */
  toCells(row: Readonly<Record<string, Cell>>): SqlArg[] {
    return this.#columns.map(({ name, fallback }) => {
      const cell = row[name]
      return cell === undefined ? fallback : toArg(cell)
    })
  }

  #list(): string {
    return this.#columns.map(({ name }) => `"${name}"`).join(', ')
  }
}

const layouts = new Map<SQLiteTable, Layout>()

function layoutOf(table: SQLiteTable): Layout {
  let layout = layouts.get(table)
  if (!layout) layouts.set(table, (layout = new Layout(table)))
  return layout
}
