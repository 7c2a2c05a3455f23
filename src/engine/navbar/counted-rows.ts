/**
 * Which rows of a table a badge counts: those that its caller may read (src/engine/README.md,
 * Badges). Authored SQL is never edited: the rows stand under the table's own name.
 */
import type { Caller } from '../../access/caller.ts'
import { Grant } from '../../access/grant.ts'
import type { AuthoredCondition, AuthoredSql } from '../../model/compiled/authored-sql.ts'
import type { Entity } from '../../model/compiled/entity.ts'
import type { NavbarItem } from '../../model/compiled/navbar.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import { planNarrowedShadows, withShadows, type ShadowForm } from '../../model/shadow.ts'
import { listViewsOf } from '../../model/view-index.ts'
import { isSeen } from '../object/read/labels.ts'
import { composeFilters } from '../object/read/source.ts'
import { findReport } from '../reports/find-report.ts'

/** Whose rights decide, and by which model. */
export interface Reader {
  caller: Caller
  model: Model
}

/** What a badge counts of a company's rows. */
export interface CountedRows {
  /** By lower-case name of a table, a condition on its rows; others count whole. */
  conditions: (form: ShadowForm) => ReadonlyMap<string, string>
  /** What the conditions are made of. */
  parts: readonly (AuthoredSql | AuthoredCondition)[]
}

/** A view through which the caller reads records of an entity. */
interface Reading {
  view: View
  grant: Grant
}

/** A table that is held to the rows of some views; of none: to no row at all. */
interface HeldTable {
  entity: Entity
  readings: readonly Reading[]
}

/**
 * What a badge beside an item counts for a caller; undefined where it reads a column that they do
 * not see: then the badge is not for them.
 */
export function planCountedRows(
  reader: Reader,
  item: NavbarItem,
  sql: AuthoredSql,
): CountedRows | undefined {
  const held: HeldTable[] = []
  for (const table of reader.caller.isSystem ? [] : sql.reads) {
    // Published tables are no entity's: the company alone decides.
    const entity = reader.model.entityByTable.get(table.toLowerCase())
    if (!entity) continue
    const readings = listReadings(reader, item, entity)
    const prefix = `${table}.`.toLowerCase()
    const columns = sql.cells
      .filter((cell) => cell.toLowerCase().startsWith(prefix))
      .map((cell) => cell.slice(prefix.length))
    if (columns.some((column) => isHidden(readings, entity, column))) return undefined
    if (isHeld(reader, item, entity, readings)) held.push({ entity, readings })
  }
  return {
    conditions: (form) =>
      new Map(held.map((each) => [each.entity.table.toLowerCase(), compose(reader, each, form)])),
    parts: held.flatMap(({ readings }) => readings.flatMap(listParts)),
  }
}

/** By the item's own Object where it shows these records, else by all views that do. */
function listReadings(reader: Reader, { target }: NavbarItem, entity: Entity): Reading[] {
  const key = target?.kind === 'Object' ? target.target.toLowerCase() : ''
  const own = reader.model.viewByKey.get(key)
  const views = own?.entity === entity ? [own] : listViewsOf(reader.model, entity.name)
  return views.flatMap((view) => findReading(reader, view) ?? [])
}

function findReading({ caller, model }: Reader, view: View): Reading | undefined {
  if (view.viewType === 'Wizard') return undefined
  const grant =
    Grant.find(caller, model, view.resource, 'List') ??
    Grant.find(caller, model, view.resource, 'View')
  return grant && { view, grant }
}

/** Whether some of the company's records do not count. */
function isHeld(
  reader: Reader,
  item: NavbarItem,
  entity: Entity,
  readings: readonly Reading[],
): boolean {
  if (readings.length > 0) return readings.every(({ grant }) => grant.readFilters() !== undefined)
  const isShownByNone = listViewsOf(reader.model, entity.name).every(
    ({ viewType }) => viewType === 'Wizard',
  )
  return !isShownByNone && !listTargetTables(reader, item).has(entity.table.toLowerCase())
}

/** The tables behind a target that shows its caller every row: what it shows is no secret. */
function listTargetTables(reader: Reader, { target }: NavbarItem): ReadonlySet<string> {
  const reads = target ? listTargetReads(reader, target) : []
  return new Set(reads.map((table) => table.toLowerCase()))
}

function listTargetReads(
  { caller, model }: Reader,
  { kind, target }: NonNullable<NavbarItem['target']>,
): readonly string[] {
  if (kind === 'Object') {
    const view = model.viewByKey.get(target.toLowerCase())
    const reading = view && findReading({ caller, model }, view)
    return reading && reading.grant.readFilters() === undefined ? reading.view.query.reads : []
  }
  const report = kind === 'Report' ? findReport(model, target) : undefined
  const isFiltered = caller.roles.some((name) =>
    model.roles.get(name)?.rowFilters.some(({ resource }) => resource === report?.name),
  )
  return report && !isFiltered ? report.dataSets.flatMap(({ sql }) => sql.reads) : []
}

/** Whether a view has the column as a field, and none shows it on every row. */
function isHidden(readings: readonly Reading[], entity: Entity, column: string): boolean {
  const own = entity.columnByName.get(column.toLowerCase())
  const shown = readings.flatMap(({ view, grant }) =>
    view.fields
      .filter((field) => own !== undefined && field.column === own)
      .map((field) => isSeen(grant, field) && !grant.access.masked.has(field.name.toLowerCase())),
  )
  return shown.length > 0 && !shown.includes(true)
}

const listParts = ({ view, grant }: Reading): (AuthoredSql | AuthoredCondition)[] => [
  view.query,
  ...(grant.readFilters()?.flat() ?? []),
]

/** The keys that one of the views shows; each view's query has shadows of its own. */
function compose({ model }: Reader, { entity, readings }: HeldTable, form: ShadowForm): string {
  if (readings.length === 0) return '(0)'
  const keys = entity.keys.map(({ name }) => quote(name)).join(', ')
  const shown = readings.map((reading) => {
    const { view, grant } = reading
    if (isOfTable(reading)) return `(${composeFilters(grant.readFilters())})`
    const names = entity.keys.map(
      (column) => view.keys.find((field) => field.column === column)?.name ?? column.name,
    )
    const tables = new Set(listParts(reading).flatMap(({ reads }) => reads))
    const head = withShadows(planNarrowedShadows(model, tables, showWhole(model, tables), form))
    const rows = `${head}SELECT ${names.map(quote).join(', ')} FROM (\n${view.query.text}\n)`
    return `(${keys}) IN (${rows} WHERE ${composeFilters(grant.readFilters())})`
  })
  return `(${shown.join(' OR ')})`
}

/** Whether the filters can be asked of the table itself: a generated view has just its columns. */
const isOfTable = ({ view, grant }: Reading): boolean =>
  view.isGenerated && (grant.readFilters()?.flat() ?? []).every(({ reads }) => reads.length === 0)

/** Without a name of its own a table of no company would be the held one around it. */
function showWhole({ entityByTable }: Model, tables: Iterable<string>): Map<string, string> {
  const names = [...tables].map((table) => table.toLowerCase())
  const whole = names.filter((name) => entityByTable.get(name)?.company === undefined)
  return new Map(whole.map((name) => [name, '1']))
}
