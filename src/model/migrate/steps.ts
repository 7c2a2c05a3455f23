/** The steps of a migration: from the stored tables to the wanted ones. */
import { Yielder } from '../../kernel/yielder.ts'
import { planKeyMap } from './key-changes.ts'
import { projectColumn } from './projection.ts'
import { isOpen, needsRebuild, rebuildReasons, type Stages } from './rebuild-reasons.ts'
import { openSchema, planClosing, planRebuild, storedRows } from './rebuild.ts'
import type { ColumnMatch, SchemaMatch, StoredTable, TableMatch } from './schema-match.ts'
import type { MigrationStep } from './step.ts'
import { renderColumn, renderTable } from '../sql/ddl.ts'
import { quote } from '../sql/quote.ts'

/** Steps before and after the rows, fills and migrations of a deploy. */
export interface StagedSteps {
  /** Adds new tables, columns and keys, with all that refers to them. */
  opening: MigrationStep[]
  /** Removes tables and columns, and puts the constraints up. */
  closing: MigrationStep[]
}

/**
 * Plans the steps in the order in which they run: all renames before anything else, so that a
 * foreign key that follows its parent's new name needs no rebuild; maps of keys before what they
 * lead. Pure.
 */
export async function planSteps(match: SchemaMatch, stages: Stages): Promise<StagedSteps> {
  const { tables } = match
  const wantedNames = new Set(tables.map(({ wanted }) => wanted.table.toLowerCase()))
  const staysAWhile = ({ table }: StoredTable): boolean =>
    stages.isHeld && !wantedNames.has(table.toLowerCase())
  const opening = [
    ...match.removed.filter((table) => !staysAWhile(table)).map(dropTable),
    ...tables.flatMap(dropIndexes),
    ...tables.flatMap(planRenames),
    ...match.rekeyed.map(mapKeys),
  ]
  const closing: MigrationStep[] = match.removed.filter(staysAWhile).map(dropTable)
  const indexes: MigrationStep[] = []
  const lateIndexes: MigrationStep[] = []
  const yielder = new Yielder()
  for (const table of tables) {
    const isRebuilt = needsRebuild(table, match)
    const isLate = isOpen(table, match, stages)
    opening.push(...changeTable(table, match, isLate))
    if (isLate) closing.push(closeTable(table))
    const created = createIndexes(table, isRebuilt)
    const waits = table.stored !== undefined && (isLate || stages.isHeld)
    if (waits) lateIndexes.push(...created)
    else indexes.push(...created)
    if (isLate) opening.push(...rowsIndexes(table, stages))
    await yielder.yieldWhenDue()
  }
  closing.push(...match.rekeyed.flatMap(dropKeyMap), ...lateIndexes)
  return { opening: [...opening, ...indexes], closing }
}

const dropTable = ({ table, entity }: StoredTable): MigrationStep => ({
  kind: 'dropTable',
  table,
  text: `drop table ${table} of entity ${entity}`,
  place: undefined,
  sql: [`DROP TABLE ${quote(table)}`],
})

function dropIndexes({ entity, wanted, stored }: TableMatch): MigrationStep[] {
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

const mapKeys = (table: TableMatch): MigrationStep => ({
  kind: 'mapKeys',
  table: table.wanted.table,
  text: `replace the keys of ${table.wanted.table} and all references to them`,
  place: table.entity.place,
  sql: planKeyMap(table, storedRows(table)),
})

/** Drops the key map; this is part of its making, so the plan has no line for it. */
const dropKeyMap = ({ wanted, keyChange, entity }: TableMatch): MigrationStep[] =>
  keyChange === undefined
    ? []
    : [
        {
          kind: 'mapKeys',
          table: wanted.table,
          text: '',
          place: entity.place,
          sql: [`DROP TABLE ${quote(keyChange.table)}`],
        },
      ]

function changeTable(table: TableMatch, match: SchemaMatch, isLate: boolean): MigrationStep[] {
  const { entity, wanted, stored, columns } = table
  const at = { table: wanted.table, place: entity.place }
  if (stored === undefined) {
    const sql = [renderTable(wanted, wanted.table)]
    return [{ ...at, kind: 'createTable', text: `create table ${wanted.table}`, sql }]
  }
  const reasons = rebuildReasons(table, match)
  if (reasons.length > 0) {
    const text = `rebuild table ${wanted.table}: ${reasons.join(', ')}`
    const rebuild = planRebuild(table, isLate ? openSchema(table) : wanted)
    return [{ ...at, kind: 'rebuildTable', text, sql: [], rebuild }]
  }
  const added = columns
    .filter((column) => column.stored === undefined)
    .map((column): MigrationStep => ({
      kind: 'addColumn',
      table: wanted.table,
      text: `add column ${wanted.table}.${column.wanted.name}`,
      place: column.column.place,
      sql: [`ALTER TABLE ${quote(wanted.table)} ADD COLUMN ${renderColumn(column.wanted)}`],
    }))
  return [...added, ...fitColumns(table)]
}

/** Rounds and cuts in place what no longer fits, and moves the stamps of what changes. */
function fitColumns({ wanted: { table }, columns }: TableMatch): MigrationStep[] {
  const stamp = columns.find(({ column, stored }) => column.kind === 'stamp' && stored)?.wanted
  const more = stamp === undefined ? '' : `, ${quote(stamp.name)} = ${quote(stamp.name)} + 1`
  return columns.flatMap((match): MigrationStep[] => {
    const { column, wanted, stored } = match
    if (stored === undefined) return []
    // The column has its new name by now.
    const renamed = { ...match, stored: { ...stored, name: wanted.name } }
    const { unfitted, value } = projectColumn(renamed)
    if (unfitted === undefined || value === undefined) return []
    const to = wanted.scale === null ? `${wanted.maxLength} characters` : `Scale ${wanted.scale}`
    const how = wanted.scale === null ? 'cut' : 'round'
    const name = quote(wanted.name)
    const sql =
      `UPDATE ${quote(table)} SET ${name} = ${value}${more} ` + `WHERE ${name} IS NOT ${value}`
    const text = `${how} ${table}.${wanted.name} to ${to}`
    return [{ kind: 'fitColumn', table, text, place: column.place, sql: [sql] }]
  })
}

const closeTable = (table: TableMatch): MigrationStep => ({
  kind: 'rebuildTable',
  table: table.wanted.table,
  text: `rebuild table ${table.wanted.table} with its constraints`,
  place: table.entity.place,
  sql: [],
  rebuild: planClosing(table),
})

/** Plans the index by which the deploy's rows find theirs in an open table; it goes with that. */
function rowsIndexes({ wanted, entity }: TableMatch, { rows }: Stages): MigrationStep[] {
  const key = rows.get(entity.name)
  if (key === undefined) return []
  const columns = [...new Set([...(wanted.company ? [wanted.company] : []), ...key])]
  const name = `${wanted.table}.rows`
  const on = `${quote(wanted.table)} (${columns.map(quote).join(', ')})`
  const sql = [`CREATE INDEX ${quote(name)} ON ${on}`]
  return [{ kind: 'createIndex', table: wanted.table, text: '', place: entity.place, sql }]
}

function createIndexes(
  { entity, wanted, stored }: TableMatch,
  isRebuilt: boolean,
): MigrationStep[] {
  const existing = new Set(isRebuilt ? [] : stored?.indexes.map((index) => index.name))
  const known = new Set(stored?.indexes.map((index) => index.name))
  return wanted.indexes
    .filter((index) => !existing.has(index.name))
    .map(({ name, sql }) => ({
      kind: 'createIndex',
      table: wanted.table,
      text: known.has(name) ? `create index ${name} again` : `create index ${name}`,
      place: entity.place,
      sql: [sql],
    }))
}

/** The renames of a table and of its columns. Pure. */
const planRenames = (table: TableMatch): MigrationStep[] => [
  ...renameTable(table),
  ...renameColumns(table),
]

function renameTable({ entity, wanted, stored }: TableMatch): MigrationStep[] {
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

/** Renames columns; those whose new name is still in use get a name aside first. */
function renameColumns({ wanted: { table }, stored, columns }: TableMatch): MigrationStep[] {
  const renamed = columns.filter((one) => one.stored && one.stored.name !== one.wanted.name)
  const borne = new Set(stored?.columns.map((column) => column.name.toLowerCase()))
  const stepAside = ({ wanted, stored: from }: ColumnMatch): boolean =>
    from?.name.toLowerCase() !== wanted.name.toLowerCase() && borne.has(wanted.name.toLowerCase())
  const rename = (from: string, to: string): string =>
    `ALTER TABLE ${quote(table)} RENAME COLUMN ${quote(from)} TO ${quote(to)}`
  const aside = renamed.filter(stepAside)
  const first = aside.map(({ stored: from, wanted }) =>
    rename(from?.name ?? '', `${wanted.name}.was`),
  )
  const last = aside.map(({ wanted }) => rename(`${wanted.name}.was`, wanted.name))
  const steps = renamed.map((one): MigrationStep => {
    const { column, stored: from, wanted } = one
    return {
      kind: 'renameColumn',
      table,
      text: `rename column ${table}.${from?.name} to ${wanted.name}`,
      place: column.place,
      sql: stepAside(one) ? [] : [rename(from?.name ?? '', wanted.name)],
    }
  })
  const [head] = steps
  if (head !== undefined) steps[0] = { ...head, sql: [...first, ...head.sql] }
  const tail = steps.at(-1)
  if (tail !== undefined) steps[steps.length - 1] = { ...tail, sql: [...tail.sql, ...last] }
  return steps
}
