/** The known effect of statements that the engine composes for one record. */
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { KnownChange } from '../../../store/store.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import { storageOf } from '../../../model/migrate/column-schema.ts'
import { toKey } from './written-row.ts'

/** A record as it was read, and `Tx.touches` at that time. */
export interface ReadRow {
  row: SqlRow
  touches: number
}

/** Cells that an update sets; `isStamped`: the record's stamp moves by one. */
interface Update extends ReadRow {
  cells: ReadonlyMap<string, SqlValue>
  isStamped: boolean
}

/** An update of one record by its key; undefined where that changes the key. */
export function knownUpdate(
  entity: Entity,
  key: readonly SqlValue[],
  cells: Update['cells'],
  update?: Update,
): KnownChange | undefined {
  if (entity.keys.some(({ name }) => cells.has(name))) return undefined
  const after = update && planAfter(entity, update)
  return {
    entity: entity.name,
    key: key.map(toKey),
    what: 'update',
    before: after && update?.row,
    after,
    asOf: update?.touches,
  }
}

function planAfter(entity: Entity, { row, cells, isStamped }: Update): SqlRow | undefined {
  const after = { ...row }
  for (const [name, value] of cells) {
    const column = entity.columnByName.get(name.toLowerCase())
    if (column?.name !== name || !isStoredAsGiven(column, value)) return undefined
    after[name] = value
  }
  const stamp = isStamped ? entity.columns.find(({ kind }) => kind === 'stamp')?.name : undefined
  if (stamp === undefined) return after
  const next = Number(row[stamp]) + 1
  return Number.isSafeInteger(next) ? { ...after, [stamp]: next } : undefined
}

/** A new record of these cells, under a number that the server gives. */
export function knownInsert(
  entity: Entity,
  key: string,
  cells: ReadonlyMap<string, SqlValue>,
): ((id: number) => KnownChange) | undefined {
  const row: SqlRow = {}
  for (const column of entity.columns) {
    const { name } = column
    const value = cells.get(name) ?? null
    const isNamed = cells.has(name) || name === key
    // A column that the statement leaves out has the default of the table.
    if (!isNamed && (column.default || column.kind === 'stamp')) return undefined
    if (!isStoredAsGiven(column, value)) return undefined
    row[name] = value
  }
  return (id) => ({
    entity: entity.name,
    key: [id],
    what: 'insert',
    before: undefined,
    after: { ...row, [key]: id },
  })
}

/** Tells whether SQLite stores the value as given: tables are STRICT, but convert. */
function isStoredAsGiven({ type }: Column, value: SqlValue): boolean {
  if (value === null) return true
  const storage = storageOf(type)
  if (storage === 'TEXT') return typeof value === 'string'
  return storage === 'REAL' ? Number.isFinite(value) : Number.isSafeInteger(value)
}
