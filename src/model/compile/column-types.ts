/** Types and scales of the column names in a statement, by the tables that it reads. */
import type { FindColumnScale } from './output-scales.ts'
import type { FindColumnType } from './output-types.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import type { FieldType } from '../compiled/field-features.ts'
import { DECIMAL_SCALE_DEFAULT } from '../fields/decimal.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

/** The tables of a model, or of one that is being compiled. */
interface ReadTables {
  /** Entities by lower-case name of their table. */
  entityByTable: ReadonlyMap<string, Entity>
}

/** Finds the columns of a name in the tables. */
const planColumns = (c: ReadTables, reads: readonly string[]): ((key: string) => Column[]) => {
  const entities = reads.flatMap((table) => c.entityByTable.get(table.toLowerCase()) ?? [])
  return (key) => entities.flatMap(({ columnByName }) => columnByName.get(key) ?? [])
}

/** A stamp is shown as a text. */
export const typeOfColumn = (column: Column): FieldType =>
  column.kind === 'stamp' ? 'Text' : column.type

/** The type that all columns of a name have; undefined where they differ. */
export function columnTypes(c: ReadTables, reads: readonly string[]): FindColumnType {
  const columnsOf = planColumns(c, reads)
  return (key) => {
    const types = new Set(columnsOf(key).map(typeOfColumn))
    return types.size === 1 ? [...types][0] : undefined
  }
}

const named = new WeakMap<ReadTables, ReadonlyMap<string, FieldType>>()

/** The types of names that mean one kind of column in all tables, by lower-case name. */
export const namedTypes = (c: ReadTables): ReadonlyMap<string, FieldType> =>
  named.getOrInsertComputed(c, () => {
    const types = new Map<string, Set<FieldType>>()
    for (const { columns } of c.entityByTable.values())
      for (const column of columns)
        types
          .getOrInsertComputed(column.name.toLowerCase(), () => new Set<FieldType>())
          .add(typeOfColumn(column))
    return new Map(
      [...types].flatMap(([key, found]) => {
        const [type] = found
        return found.size === 1 && type !== undefined ? [[key, type] as const] : []
      }),
    )
  })

/** Columns of the published tables of workflows that are instants, in lower case. */
export const WORKFLOW_INSTANTS: ReadonlySet<string> = new Set([
  ...['enteredat', 'startedat', 'endedat', 'at', 'since', 'dueat', 'createdat', 'escalatedat'],
])

/** The most decimal places that a column of a name has; undefined where one of them has none. */
export function columnScales(c: ReadTables, reads: readonly string[]): FindColumnScale {
  const columnsOf = planColumns(c, reads)
  return (key) => {
    const columns = columnsOf(key)
    if (columns.length === 0 || !columns.every(({ type }) => FIELD_KINDS[type].sqlType !== 'TEXT'))
      return undefined
    return Math.max(...columns.map(scaleOf))
  }
}

const scaleOf = ({ type, scale }: Column): number =>
  FIELD_KINDS[type].number === 'scaled' ? (scale ?? DECIMAL_SCALE_DEFAULT) : 0
