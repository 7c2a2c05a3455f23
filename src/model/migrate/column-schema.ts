/** A column as the database holds it. */
import type { Column, Entity } from '../compiled/entity.ts'
import type { FieldType } from '../compiled/field-features.ts'
import { DECIMAL_SCALE_DEFAULT } from '../fields/decimal.ts'
import { FieldFault } from '../fields/field-kind.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { TEXT_LENGTH_DEFAULT } from '../fields/text.ts'
import type { Model } from '../model.ts'
import { quoteText } from '../sql/quote.ts'

export interface ReferenceSchema {
  table: string
  key: string
  onDelete: Column['onDelete']
}

export interface ColumnSchema {
  name: string
  type: FieldType
  notNull: boolean
  identity: boolean
  /** SQL literal. */
  default: string | null
  references: ReferenceSchema | null
  /** Stamps and computed columns: nothing is lost with them. */
  isDerived: boolean
  /** Decimal places; null for other types. */
  scale: number | null
  /** Characters; null for other types than Text. */
  maxLength: number | null
  /** The values that are allowed, as written; none: all are. */
  options: readonly string[]
  /** The `Was` that it was deployed with: a rename is done once. */
  was: string | null
  /** Set for a stored DateTime with days (`2024-04-26`) in its rows, from an earlier version. */
  holdsDays?: boolean
}

/** Returns the storage class of a field type; tables are STRICT, so they hold nothing else. */
export const storageOf = (type: FieldType): 'INTEGER' | 'REAL' | 'TEXT' => FIELD_KINDS[type].sqlType

/** The wanted column of an entity. Pure; a reference to an unknown entity has no foreign key. */
export function planColumn(
  entity: Entity,
  column: Column,
  model: Pick<Model, 'entities'>,
): ColumnSchema {
  return {
    name: column.name,
    type: column.type,
    notNull: isNotNull(entity, column),
    identity: column.identity,
    default: defaultLiteral(column),
    references: referenceOf(column, model),
    isDerived: column.kind === 'stamp' || column.compute !== undefined,
    scale:
      FIELD_KINDS[column.type].number === 'scaled' ? (column.scale ?? DECIMAL_SCALE_DEFAULT) : null,
    maxLength: FIELD_KINDS[column.type].isText ? (column.maxLength ?? TEXT_LENGTH_DEFAULT) : null,
    options: column.options.map((option) => option.value),
    was: column.was ?? null,
  }
}

/**
 * True when a column is NOT NULL. The tenant column is, Required or not: a row without it would
 * belong to no company. A computed column is NULL between its INSERT and the after-write pass, a
 * tracking column in rows older than it.
 */
export function isNotNull(entity: Entity, column: Column): boolean {
  if (column.kind === 'stamp' || column.key || column.name === entity.company) return true
  return column.required && column.compute === undefined && column.kind === 'declared'
}

/** Returns the default; a literal not of its type is the compiler's fault, and no default here. */
function defaultLiteral(column: Column): string | null {
  if (column.kind === 'stamp') return '1'
  if (column.default?.kind !== 'literal' || column.identity) return null
  const value = FIELD_KINDS[column.type].parse(column.default.value, column)
  if (value === null || value instanceof FieldFault) return null
  return typeof value === 'string' ? quoteText(value) : String(value)
}

function referenceOf(column: Column, model: Pick<Model, 'entities'>): ReferenceSchema | null {
  if (column.references === undefined) return null
  const target = model.entities.get(column.references)
  const key = target?.keys[0]?.name
  if (target !== undefined && key !== undefined)
    return { table: target.table, key, onDelete: column.onDelete }
  if (column.references !== 'User') return null
  return { table: 'svc_users', key: 'Id', onDelete: column.onDelete }
}
