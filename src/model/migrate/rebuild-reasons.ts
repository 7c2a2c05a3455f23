/** Reasons to rebuild a table, and whether it is open to writes meanwhile. */
import { FIELD_KINDS } from '../fields/kinds.ts'
import { type ColumnSchema, type ReferenceSchema, storageOf } from './column-schema.ts'
import { findFill, findQueryFill, planProjection, type Projected } from './projection.ts'
import type { ColumnMatch, SchemaMatch, TableMatch } from './schema-match.ts'

/** Writes of a deploy between the opening and the closing of its tables. */
export interface Stages {
  /**
   * True when a migration or the query of a Fill runs: removed columns stay readable until then.
   */
  isHeld: boolean
  /** Columns of the key of the reference rows, by entity. */
  rows: ReadonlyMap<string, readonly string[]>
}

/** True when a stored table cannot be changed in place. */
export const needsRebuild = (table: TableMatch, match: SchemaMatch): boolean =>
  table.stored !== undefined && rebuildReasons(table, match).length > 0

/**
 * True when it is rebuilt twice: without its constraints before rows are written, with them after.
 * A column may only get its value in between, and removed columns are read there.
 */
export function isOpen(table: TableMatch, match: SchemaMatch, stages: Stages): boolean {
  if (!needsRebuild(table, match)) return false
  return stages.isHeld || (stages.rows.has(table.entity.name) && table.columns.some(isMissing))
}

/** Stored rows have no value for it, unless reference rows bring one. */
const isMissing = (match: ColumnMatch): boolean => {
  const { wanted, stored, column } = match
  const isGiven = findFill(match) !== undefined || wanted.default !== null
  return wanted.notNull && !column.key && stored?.notNull !== true && !isGiven
}

/** The reasons, in words for the plan; none: it can be changed in place. */
export function rebuildReasons(table: TableMatch, match: SchemaMatch): string[] {
  const { stored, wanted, removed } = table
  const reasons = removed.map((column) => `without ${column.name}`)
  if (stored?.isDrifted) reasons.push('it was changed outside a deploy')
  for (const column of planProjection(table)) {
    const reason = columnReason(column, match)
    if (reason !== undefined) reasons.push(`${column.wanted.name} ${reason}`)
  }
  const keys = table.columns.filter(({ wanted: { name } }) => wanted.keys.includes(name))
  const storedKeys = wanted.keys.map(
    (name) => keys.find((key) => key.wanted.name === name)?.stored?.name,
  )
  if (storedKeys.join() !== stored?.keys.join()) reasons.push('another key')
  if (table.keyChange !== undefined && reasons.length === 0) reasons.push('new keys')
  return reasons
}

function columnReason(column: Projected, match: SchemaMatch): string | undefined {
  const { stored, wanted } = column
  if (stored === undefined) return newColumnReason(column)
  if (column.follows !== undefined) return 'follows its new key'
  if (stored.holdsDays && stored.type === wanted.type) return 'has dates that become times'
  if (!isStoredAlike(column, stored)) return `becomes ${wanted.type}`
  if (stored.notNull !== wanted.notNull) return wanted.notNull ? 'is required' : 'may be empty'
  if (stored.identity !== wanted.identity) return 'is numbered differently'
  if (stored.default !== wanted.default) return 'has another default'
  return isSameReference(stored.references, wanted.references, match)
    ? undefined
    : 'references differently'
}

/** Compares storage: a Date is a valid Text; a Text may not be a Date, nor a Date an instant. */
function isStoredAlike({ wanted, isConverted }: Projected, stored: ColumnSchema): boolean {
  if (FIELD_KINDS[stored.type].isFlag !== FIELD_KINDS[wanted.type].isFlag) return false
  return storageOf(stored.type) === storageOf(wanted.type) && !isConverted
}

function newColumnReason(column: Projected): string | undefined {
  const { wanted } = column
  if (wanted.identity) return 'is the new key'
  const isAsked = findQueryFill(column) !== undefined && (wanted.notNull || wanted.default !== null)
  if (isAsked || findFill(column) !== undefined) return 'is filled'
  if (wanted.notNull && wanted.default === null) return 'is new and required'
  return wanted.references !== null && wanted.default !== null ? 'is new with a default' : undefined
}

/** SQLite carries a foreign key over to the new names of its parent by itself. */
function isSameReference(
  stored: ReferenceSchema | null,
  wanted: ColumnSchema['references'],
  match: SchemaMatch,
): boolean {
  if (stored === null || wanted === null) return stored === wanted
  if (stored.onDelete !== wanted.onDelete) return false
  const parent = match.tables.find((table) => table.wanted.table === wanted.table)
  if (parent === undefined) return stored.table === wanted.table && stored.key === wanted.key
  const key = parent.columns.find((column) => column.wanted.name === wanted.key)?.stored?.name
  return stored.table === parent.stored?.table && stored.key === key
}
