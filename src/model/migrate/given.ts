/** Values that a deploy itself gave to new columns and tables: no data is lost with them. */
import type { SqlValue } from '../../store/sql.ts'
import type { Entity } from '../compiled/entity.ts'
import { storageOf } from './column-schema.ts'
import { findFill } from './projection.ts'
import type { SchemaMatch, TableMatch } from './schema-match.ts'
import { isGeneratedKey } from '../sql/generated-key.ts'
import { quote, quoteText } from '../sql/quote.ts'

/** The `Fill` of a new column, over rows as they were stored before. */
interface GivenColumn {
  entity: string
  column: string
  /** The expression as authored, and as it was stored: rounded to its Scale. */
  fill: string
  value: string
}

/** The reference rows of a new table. */
interface GivenTable {
  entity: string
  /** SQL that counts the rows that are as the deploy wrote them. */
  count: string
}

/** The values of new columns and the rows of new tables, by entity. */
export interface GivenByDeploy {
  columns: readonly GivenColumn[]
  tables: readonly GivenTable[]
}

/** Nothing was given, or nothing is known of it. */
export const NOTHING_GIVEN: GivenByDeploy = { columns: [], tables: [] }

/** Reference rows as they are written. */
interface WrittenRows {
  entity: Entity
  /** True when each row is for every company. */
  isForEachCompany: boolean
  rows: readonly { values: ReadonlyMap<string, SqlValue> }[]
}

/** Lists what a migration and its reference rows give. Pure. */
export function listGiven({ tables }: SchemaMatch, rows: readonly WrittenRows[]): GivenByDeploy {
  const columns = tables.flatMap(({ entity, stored, columns }) =>
    columns.flatMap((each): GivenColumn[] => {
      const value = stored && !each.stored ? findFill(each) : undefined
      const fill = each.column.fill?.sql
      if (value === undefined || fill === undefined) return []
      return [{ entity: entity.name, column: each.wanted.name, fill, value }]
    }),
  )
  const counted = rows.flatMap((each): GivenTable[] => {
    const table = tables.find(({ entity, stored }) => entity === each.entity && !stored)
    if (!table || each.rows.length === 0) return []
    return [{ entity: each.entity.name, count: countWritten(each, table) }]
  })
  return { columns, tables: counted }
}

/**
 * SQL that counts the rows of a table that hold what reference rows gave them. Rows that name the
 * same columns are one list, whose other columns hold their default.
 */
function countWritten({ entity, isForEachCompany, rows }: WrittenRows, table: TableMatch): string {
  const { company } = entity
  const lists = new Map<string, { names: string[]; rows: string[] }>()
  for (const { values } of rows) {
    const names = [...values.keys()].sort()
    const list = lists.getOrInsertComputed(names.join(' '), () => ({ names, rows: [] }))
    const cells = names.map((name) => toLiteral(values.get(name) ?? null, name, entity))
    list.rows.push(`(${cells.join(', ')})`)
  }
  const counts = [...lists.values()].map(({ names, rows: written }) => {
    const own = isForEachCompany && company !== undefined ? [company] : []
    const columns = [...own, ...names].map(quote).join(', ')
    const values = `VALUES ${written.join(', ')}`
    const wanted =
      own.length === 0 ? values : `SELECT c.Id, v.* FROM svc_companies AS c, (${values}) AS v`
    const others = listUnnamed(table, [...own, ...names])
    const where = others.length === 0 ? '' : ` WHERE ${others.join(' AND ')}`
    const found = `SELECT ${columns} FROM ${quote(entity.table)}${where}`
    return `(SELECT count(*) FROM (${found} INTERSECT ${wanted}))`
  })
  return counts.join(' + ')
}

/** Conditions that the columns which a row does not name hold what an INSERT gave them. */
const listUnnamed = ({ columns }: TableMatch, named: readonly string[]): string[] =>
  columns.flatMap(({ column, wanted }) => {
    const isOwn = column.kind === 'declared' && !wanted.isDerived && !wanted.identity
    const isGiven = isGeneratedKey(column) || column.default?.kind === 'context'
    if (!isOwn || isGiven || named.includes(wanted.name)) return []
    return [`${quote(wanted.name)} IS ${wanted.default ?? 'NULL'}`]
  })

function toLiteral(value: SqlValue, name: string, { columnByName }: Entity): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return quoteText(value)
  const column = columnByName.get(name.toLowerCase())
  const isReal = column !== undefined && storageOf(column.type) === 'REAL'
  return isReal ? `CAST(${String(value)} AS REAL)` : String(value)
}
