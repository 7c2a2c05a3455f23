/** Reference rows with their values as they will be stored. */
import type { SqlValue } from '../../store/sql.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import type { ReferenceRows } from '../compiled/reference-rows.ts'
import { FieldFault } from '../fields/field-kind.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { isNotNull } from '../migrate/column-schema.ts'
import type { Model } from '../model.ts'
import type { Diagnostic, Place } from '../parse/element.ts'
import { isGeneratedKey } from '../sql/generated-key.ts'

export interface PlannedRow {
  /** Stored values by column name; columns that the row does not name keep what they have. */
  values: ReadonlyMap<string, SqlValue>
  place: Place
}

export interface PlannedRows {
  entity: Entity
  /** Names of the columns by which a stored record is found. */
  key: readonly string[]
  once: boolean
  /** True when each row is for every company, as none names one. */
  isForEachCompany: boolean
  rows: readonly PlannedRow[]
}

/** Plans the reference rows of a model: values of the right type, all that is required. Pure. */
export function planRows(model: Pick<Model, 'entities' | 'rows'>): {
  rows: PlannedRows[]
  faults: Diagnostic[]
} {
  const faults: Diagnostic[] = []
  const rows = model.rows.flatMap((reference) => {
    const entity = model.entities.get(reference.entity)
    return entity === undefined ? [] : [planEntityRows(reference, entity, faults)]
  })
  return { rows, faults }
}

function planEntityRows(
  reference: ReferenceRows,
  entity: Entity,
  faults: Diagnostic[],
): PlannedRows {
  const rows = reference.rows.map(({ values, place }) => ({
    values: readValues(values, entity),
    place,
  }))
  const naming = rows.filter(({ values }) => values.has(entity.company ?? ''))
  const isForEachCompany = entity.company !== undefined && naming.length === 0
  const key = reference.key.map((name) => findColumn(entity, name)?.name ?? name)
  for (const row of rows) checkRow(row, { entity, key, isForEachCompany, faults })
  return { entity, key, once: reference.once, isForEachCompany, rows }
}

const findColumn = (entity: Entity, name: string): Column | undefined =>
  entity.columnByName.get(name.toLowerCase())

/** The compiler has held each value against its column. */
function readValues(
  texts: Readonly<Record<string, string>>,
  entity: Entity,
): Map<string, SqlValue> {
  return new Map(
    Object.entries(texts).flatMap(([name, text]) => {
      const column = findColumn(entity, name)
      const value = column && FIELD_KINDS[column.type].parse(text, column)
      return column && value !== undefined && !(value instanceof FieldFault)
        ? [[column.name, value]]
        : []
    }),
  )
}

function checkRow(
  { values, place }: PlannedRow,
  of: { entity: Entity; key: readonly string[]; isForEachCompany: boolean; faults: Diagnostic[] },
): void {
  const refuse = (message: string): void => void of.faults.push({ place, message })
  const { entity } = of
  for (const name of of.key)
    if ((values.get(name) ?? null) === null) refuse(`The key column ${name} has no value`)
  if (entity.company !== undefined && !of.isForEachCompany && !values.has(entity.company))
    refuse(`Either every row names its ${entity.company}, or none does and every company gets them`)
  if (of.isForEachCompany && entity.keys.every((key) => values.has(key.name)))
    refuse(`Two companies cannot share a record's key: name ${entity.company}, or take another Key`)
  for (const column of entity.columns)
    if (!values.has(column.name) && isMissing(entity, column)) refuse(`${column.name} is required`)
}

/** A column that has no value from elsewhere when the row is inserted. */
function isMissing(entity: Entity, column: Column): boolean {
  if (isGeneratedKey(column)) return false
  if (column.identity || column.kind !== 'declared' || column.name === entity.company) return false
  const isGiven = column.default !== undefined && column.default.kind !== 'query'
  return isNotNull(entity, column) && !isGiven
}
