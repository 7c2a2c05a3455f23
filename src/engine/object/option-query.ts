/** Pages of options: sought by text, an exact hit alone, every value a string. */
import type { FieldType } from '../../model/model.ts'
import { quoteText } from '../../model/quote.ts'
import type { Quickness } from '../../store/sql.ts'
import type { Bindings } from './bindings.ts'
import type { KeptReader } from './kept.ts'
import { composeJsonObject } from './projection.ts'
import type { TableSet } from './table-set.ts'
import { planTextPattern } from './text-match.ts'

/** An SQL expression over an option's row, with the type of what it gives. */
export interface OptionCell {
  sql: string
  type: FieldType
}

/** Rows that are options. */
export interface OptionRows {
  /** `WITH …` for the shadows, or ''. */
  with: string
  from: string
  conditions: readonly string[]
  /** What stands after ORDER BY; '' leaves the query's own order. */
  order: string
  /** The stored value, and the texts of an entry by name, `Value` and `Label` first. */
  value: OptionCell
  cells: readonly { name: string; sql: string }[]
  /** What a text is sought in, and what one is compared with as a whole. */
  searched: readonly string[]
  exact: readonly OptionCell[]
  bindings: Bindings
  /** All that they are read from. */
  tables: TableSet
  quick: Quickness
}

/** What of the options is asked for. */
export interface OptionQuery {
  sought: string | undefined
  skip: number
  size: number
  /** The first page of all. */
  isFirst: boolean
}

/** The entries of a page. One exact hit comes alone, so that a scanner picks it; several first. */
export async function loadOptions(
  reader: KeptReader,
  rows: OptionRows,
  { sought, skip, size }: OptionQuery,
): Promise<Record<string, string>[]> {
  if (sought === undefined) return loadEntries(reader, rows, { conditions: [], skip, size })
  const exact = planExact(rows, sought)
  if (exact !== '') {
    const hits = await loadEntries(reader, rows, { conditions: [exact], skip: 0, size: 2 })
    if (hits.length === 1) return skip === 0 ? hits : []
    const found = [exact, planSought(rows, sought)].join(' OR ')
    const first = hits.length > 1 ? exact : undefined
    return loadEntries(reader, rows, { conditions: [found], skip, size, first, mayStall: true })
  }
  const conditions = [planSought(rows, sought)]
  return loadEntries(reader, rows, { conditions, skip, size, mayStall: true })
}

/** The entry of one value; undefined when it is none of the options. */
export async function findOption(
  reader: KeptReader,
  rows: OptionRows,
  value: string,
): Promise<Record<string, string> | undefined> {
  const condition = `${toText(rows.value.sql)} = ${rows.bindings.add(value)}`
  return (await loadEntries(reader, rows, { conditions: [condition], skip: 0, size: 1 }))[0]
}

interface Page {
  conditions: readonly string[]
  skip: number
  size: number
  /** Rows of which this is true come first. */
  first?: string | undefined
  /** Texts are matched: the time depends on what is sought. */
  mayStall?: boolean
}

async function loadEntries(
  reader: KeptReader,
  rows: OptionRows,
  { conditions, skip, size, first, mayStall }: Page,
): Promise<Record<string, string>[]> {
  const { bindings } = rows
  bindings.set('_limit', size)
  bindings.set('_offset', skip)
  const where = [...rows.conditions, ...conditions]
  const condition = where.length > 0 ? ` WHERE (${where.join(') AND (')})` : ''
  const orders = [first === undefined ? '' : `(${first}) DESC`, rows.order].filter((part) => part)
  const order = orders.length > 0 ? ` ORDER BY ${orders.join(', ')}` : ''
  const pairs = rows.cells.map(({ name, sql }) => `${quoteText(name)},coalesce(${sql},'')`)
  const page = `SELECT * FROM ${rows.from}${condition}${order} LIMIT @_limit OFFSET @_offset`
  const sql = `${rows.with}SELECT json_group_array(${composeJsonObject(pairs)}) FROM (${page})`
  const quick = mayStall ? 'never' : rows.quick
  const noted = reader.note(rows.tables)
  const text = await reader.text({ sql, args: bindings.args(), quick }, noted)
  return JSON.parse(text) as Record<string, string>[]
}

/** A value as text, whatever its type. */
export const toText = (sql: string): string => `CAST(${sql} AS TEXT)`

function planSought({ searched, bindings }: OptionRows, sought: string): string {
  if (searched.length === 0) return '0'
  const pattern = bindings.add(planTextPattern(sought, 'anywhere'))
  return searched.map((sql) => `${sql} GLOB ${pattern}`).join(' OR ')
}

/** As it was typed, or in capitals or small letters: what an index answers. */
function planExact({ exact, bindings }: OptionRows, sought: string): string {
  const forms = new Set([sought, sought.toUpperCase(), sought.toLowerCase()])
  const texts = [...forms].map((form) => bindings.add(form)).join(', ')
  const number = /^-?\d{1,15}$/.test(sought) ? bindings.add(Number(sought)) : undefined
  return exact
    .flatMap(({ sql, type }) => {
      if (type !== 'Integer') return [`${sql} IN (${texts})`]
      return number === undefined ? [] : [`${sql} = ${number}`]
    })
    .join(' OR ')
}
