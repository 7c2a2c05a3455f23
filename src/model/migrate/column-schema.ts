/** A column as the database holds it. */
import type { Column, Entity, FieldType, Model } from '../model.ts'
import { quoteText } from '../quote.ts'

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
}

/** The storage class of a field type; tables are STRICT, so nothing else can get in. */
export function storageOf(type: FieldType): 'INTEGER' | 'REAL' | 'TEXT' {
  if (type === 'Integer' || type === 'Boolean') return 'INTEGER'
  return type === 'Decimal' ? 'REAL' : 'TEXT'
}

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
  }
}

/**
 * The tenant column is never NULL, Required or not: such a row would belong to nobody. A computed
 * column is NULL between its INSERT and the settle pass, and a tracking column in rows older than it.
 */
export function isNotNull(entity: Entity, column: Column): boolean {
  if (column.kind === 'stamp' || column.key || column.name === entity.company) return true
  return column.required && column.compute === undefined && column.kind === 'declared'
}

function defaultLiteral(column: Column): string | null {
  if (column.kind === 'stamp') return '1'
  if (column.default?.kind !== 'literal' || column.identity) return null
  return literalOf(column.type, column.default.value)
}

/** A literal of the model as SQL; null where it is no value of the type (a fault of the compiler's). */
export function literalOf(type: FieldType, value: string): string | null {
  if (type === 'Boolean') return /^(true|1)$/i.test(value) ? '1' : '0'
  if (type === 'Integer') return /^-?\d{1,18}$/.test(value) ? value : null
  if (type === 'Decimal') return /^-?\d+(\.\d+)?$/.test(value) ? value : null
  return quoteText(value)
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
