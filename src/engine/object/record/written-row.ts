/** Touched records as the after-write pass knows them. */
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { LoggedChange } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'

/** A touched record with its row after the change. */
export interface WrittenRow {
  entity: Entity
  touched: LoggedChange
  after: SqlRow | undefined
  /** Names of the declared columns that moved. */
  changed: readonly string[]
}

/** Records by entity and key, in the order in which they were touched. */
export type WrittenRows = Map<string, WrittenRow>

/** The key of a record in `WrittenRows`. */
export const rowId = (entity: Entity, key: readonly SqlValue[]): string =>
  `${entity.name}${keyText(key)}`

/** A key as JSON, as the change log has it. */
export const keyText = (key: readonly SqlValue[]): string => JSON.stringify(key.map(toKey))

/** A key's value as the change log has it. */
export function toKey(value: SqlValue): string | number | null {
  return value === null || typeof value === 'number' || typeof value === 'string'
    ? value
    : String(value)
}

/** The declared columns that differ. */
export function listChanged(
  entity: Entity,
  before: SqlRow | undefined,
  after: SqlRow | undefined,
): string[] {
  return entity.columns
    .filter((column) => column.kind === 'declared')
    .filter((column) => (before?.[column.name] ?? null) !== (after?.[column.name] ?? null))
    .map((column) => column.name)
}

/** Adds the effect of a further round on a record: its net change since the first one. */
export function mergeWritten(net: WrittenRows, id: string, next: WrittenRow): void {
  const first = net.get(id)
  if (!first) {
    net.set(id, next)
    return
  }
  const { entity, after } = next
  const { before } = first.touched
  if (!after && first.touched.what === 'insert') {
    net.delete(id)
    return
  }
  const what = first.touched.what === 'insert' ? 'insert' : after ? 'update' : 'delete'
  const changed = after ? listChanged(entity, before, after) : []
  net.set(id, { entity, touched: { ...first.touched, what }, after, changed })
}
