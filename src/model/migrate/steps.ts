/** The steps of a migration: from the stored tables to the wanted ones. */
import { renderColumn, renderTable } from '../ddl.ts'
import type { Steps } from '../compile/steps.ts'
import type { Place } from '../element.ts'
import { quote } from '../quote.ts'
import type { ColumnSchema, ReferenceSchema } from './column-schema.ts'
import { storageOf } from './column-schema.ts'
import type { SchemaMatch, StoredTable, TableMatch } from './match.ts'
import { findFill, planProjection } from './projection.ts'
import type { Projected } from './projection.ts'
import { planRebuild } from './rebuild.ts'
import type { Rebuild } from './rebuild.ts'

export type StepKind =
  | 'dropTable'
  | 'dropIndex'
  | 'renameTable'
  | 'renameColumn'
  | 'createTable'
  | 'addColumn'
  | 'rebuildTable'
  | 'createIndex'

export interface Step {
  kind: StepKind
  table: string
  /** What it does, for the plan. */
  text: string
  /** Undefined for an entity that is gone. */
  place: Place | undefined
  sql: readonly string[]
  /** Set for a rebuild, whose rows are counted before and after. */
  rebuild?: Rebuild
}

/**
 * Plans the steps in the order in which they run: all renames before anything else, so that a
 * foreign key that follows its parent's new name needs no rebuild. Pure.
 */
export function* planSteps(match: SchemaMatch): Steps<Step[]> {
  const { tables } = match
  const steps = [
    ...match.removed.map(dropTable),
    ...tables.flatMap(dropIndexes),
    ...tables.flatMap(renameTable),
    ...tables.flatMap(renameColumns),
  ]
  const indexes: Step[] = []
  for (const table of tables) {
    steps.push(...changeTable(table, match))
    indexes.push(...createIndexes(table, needsRebuild(table, match)))
    yield
  }
  return [...steps, ...indexes]
}

const dropTable = ({ table, entity }: StoredTable): Step => ({
  kind: 'dropTable',
  table,
  text: `drop table ${table} of entity ${entity}`,
  place: undefined,
  sql: [`DROP TABLE ${quote(table)}`],
})

function dropIndexes({ entity, wanted, stored }: TableMatch): Step[] {
  const names = new Set(wanted.indexes.map((index) => index.name))
  return (stored?.indexes ?? [])
    .filter((index) => !names.has(index.name))
    .map(({ name }) => ({
      kind: 'dropIndex',
      table: wanted.table,
      text: `drop index ${name}`,
      place: entity.place,
      sql: [`DROP INDEX IF EXISTS ${quote(name)}`],
    }))
}

function renameTable({ entity, wanted, stored }: TableMatch): Step[] {
  if (stored === undefined || stored.table === wanted.table) return []
  return [
    {
      kind: 'renameTable',
      table: wanted.table,
      text: `rename table ${stored.table} to ${wanted.table}`,
      place: entity.place,
      sql: [`ALTER TABLE ${quote(stored.table)} RENAME TO ${quote(wanted.table)}`],
    },
  ]
}

const renameColumns = ({ wanted: { table }, columns }: TableMatch): Step[] =>
  columns.flatMap(({ column, stored, wanted }): Step[] => {
    if (stored === undefined || stored.name === wanted.name) return []
    const names = `${quote(stored.name)} TO ${quote(wanted.name)}`
    return [
      {
        kind: 'renameColumn',
        table,
        text: `rename column ${table}.${stored.name} to ${wanted.name}`,
        place: column.place,
        sql: [`ALTER TABLE ${quote(table)} RENAME COLUMN ${names}`],
      },
    ]
  })

function changeTable(table: TableMatch, match: SchemaMatch): Step[] {
  const { entity, wanted, stored, columns } = table
  const at = { table: wanted.table, place: entity.place }
  if (stored === undefined) {
    const sql = [renderTable(wanted, wanted.table)]
    return [{ ...at, kind: 'createTable', text: `create table ${wanted.table}`, sql }]
  }
  const reasons = rebuildReasons(table, match)
  if (reasons.length > 0) {
    const text = `rebuild table ${wanted.table}: ${reasons.join(', ')}`
    return [{ ...at, kind: 'rebuildTable', text, sql: [], rebuild: planRebuild(table) }]
  }
  return columns
    .filter((column) => column.stored === undefined)
    .map((column) => ({
      kind: 'addColumn',
      table: wanted.table,
      text: `add column ${wanted.table}.${column.wanted.name}`,
      place: column.column.place,
      sql: [`ALTER TABLE ${quote(wanted.table)} ADD COLUMN ${renderColumn(column.wanted)}`],
    }))
}

function createIndexes({ entity, wanted, stored }: TableMatch, isRebuilt: boolean): Step[] {
  const kept = new Set(isRebuilt ? [] : stored?.indexes.map((index) => index.name))
  const known = new Set(stored?.indexes.map((index) => index.name))
  return wanted.indexes
    .filter((index) => !kept.has(index.name))
    .map(({ name, sql }) => ({
      kind: 'createIndex',
      table: wanted.table,
      text: known.has(name) ? `create index ${name} again` : `create index ${name}`,
      place: entity.place,
      sql: [sql],
    }))
}

const needsRebuild = (table: TableMatch, match: SchemaMatch): boolean =>
  table.stored !== undefined && rebuildReasons(table, match).length > 0

function rebuildReasons(table: TableMatch, match: SchemaMatch): string[] {
  const { stored, wanted, removed } = table
  const reasons = removed.map((column) => `without ${column.name}`)
  if (stored?.isDrifted) reasons.push('it was changed by other means')
  for (const column of planProjection(table)) {
    const reason = columnReason(column, match)
    if (reason !== undefined) reasons.push(`${column.wanted.name} ${reason}`)
  }
  const keys = table.columns.filter(({ wanted: { name } }) => wanted.keys.includes(name))
  const storedKeys = wanted.keys.map(
    (name) => keys.find((key) => key.wanted.name === name)?.stored?.name,
  )
  if (storedKeys.join() !== stored?.keys.join()) reasons.push('another key')
  return reasons
}

function columnReason(column: Projected, match: SchemaMatch): string | undefined {
  const { stored, wanted } = column
  if (stored === undefined) return newColumnReason(column)
  if (!isStoredAlike(column, stored)) return `becomes ${wanted.type}`
  if (stored.notNull !== wanted.notNull) return wanted.notNull ? 'is required' : 'may be empty'
  if (stored.identity !== wanted.identity) return 'is numbered otherwise'
  if (stored.default !== wanted.default) return 'has another default'
  return isSameReference(stored.references, wanted.references, match)
    ? undefined
    : 'references otherwise'
}

/** A Date is a Text as it stands; a Text may be no Date. */
function isStoredAlike({ wanted, isKept }: Projected, stored: ColumnSchema): boolean {
  if ((stored.type === 'Boolean') !== (wanted.type === 'Boolean')) return false
  return storageOf(stored.type) === storageOf(wanted.type) && isKept === undefined
}

function newColumnReason(column: Projected): string | undefined {
  const { wanted } = column
  if (wanted.identity) return 'is the new key'
  if (findFill(column) !== undefined) return 'is filled'
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
