/**
 * The rows of a table that a badge counts: those that its caller may read (src/engine/README.md,
 * Badges). Authored SQL is never edited: the rows take the table's own name.
 */
import { tokenize } from '../../store/gate/tokenize.ts'
import type { AuthoredCondition, AuthoredSql } from '../../model/compiled/authored-sql.ts'
import type { Column, Entity } from '../../model/compiled/entity.ts'
import type { NavbarItem } from '../../model/compiled/navbar.ts'
import { type View, VIEW_TYPES } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import type { ShadowForm } from '../../model/sql/shadow.ts'
import { listViewsOf } from '../../model/view-index.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { isSeen } from '../object/read/labels.ts'
import {
  composeShown,
  findServed,
  type ListedReading,
  listShownParts,
  namesTwice,
  type ShownRows,
  showsAll,
} from '../object/read/listed-rows.ts'
import { findReport } from '../report-pages/find-report.ts'
import { listShownDataSets } from '../report-pages/load-report.ts'

/** The caller whose rights decide, and the model. */
export interface CountReader {
  caller: Caller
  model: Model
  /** True when a report shows the same to all its readers (`Svc:Designer:Sql`). */
  isReportWhole?: boolean
}

/** The rows of a company that a badge counts. */
interface CountedRows {
  /** Conditions on a table's rows by its lower-case name; other tables count whole. */
  conditions: (form: ShadowForm) => ReadonlyMap<string, string>
  /** The authored parts of the conditions. */
  parts: readonly (AuthoredSql | AuthoredCondition)[]
}

/**
 * A table that is held to rows which views show: a row counts that some view of each group shows.
 * An empty group shows none.
 */
interface HeldTable {
  entity: Entity
  groups: readonly (readonly ShownRows[])[]
}

/**
 * The rows that a badge beside an item counts for a caller; undefined where it reads a column that
 * no view of theirs serves: then the badge is not for them.
 */
export function planCountedRows(
  reader: CountReader,
  item: NavbarItem,
  sql: AuthoredSql,
): CountedRows | undefined {
  const held: HeldTable[] = []
  for (const table of reader.caller.isSystem ? [] : sql.reads) {
    // A published table belongs to no entity: the company alone decides.
    const entity = reader.model.entityByTable.get(table.toLowerCase())
    if (!entity) continue
    const groups = planGroups(reader, item, entity, listColumns(sql, entity))
    if (!groups) return undefined
    if (groups.length > 0) held.push({ entity, groups })
  }
  return {
    conditions: (form) =>
      new Map(held.map((each) => [each.entity.table.toLowerCase(), compose(reader, each, form)])),
    parts: held.flatMap(({ groups }) => groups.flat().flatMap(listShownParts)),
  }
}

/** The columns of an entity whose cells a statement reads. */
function listColumns({ cells }: AuthoredSql, entity: Entity): Column[] {
  const prefix = `${entity.table}.`.toLowerCase()
  return cells.flatMap((cell) => {
    const key = cell.toLowerCase()
    return key.startsWith(prefix) ? (entity.columnByName.get(key.slice(prefix.length)) ?? []) : []
  })
}

/**
 * The groups of views that decide on an entity's rows; none where all of them count, undefined
 * where a column is served by no view.
 */
function planGroups(
  reader: CountReader,
  item: NavbarItem,
  entity: Entity,
  columns: readonly Column[],
): (readonly ShownRows[])[] | undefined {
  const views = listViewsOf(reader.model, entity.name).filter(
    ({ viewType }) => !VIEW_TYPES[viewType].hasSteps,
  )
  if (views.length === 0)
    return columns.every((column) => isOfStructure(entity, column)) || entity.builtIn
      ? []
      : undefined
  const all = views.flatMap((view) => findReading(reader, view) ?? [])
  if (all.length === 0) return isShownByReport(reader, item, entity, columns) ? [] : [[]]
  const serving = columns.flatMap((column) => {
    if (isOfEach(entity, column) && !isHidden(all, column)) return []
    return [all.flatMap((reading) => findWhole(reading, entity, column))]
  })
  if (serving.some((group) => group.length === 0)) return undefined
  const own = all.filter(({ view }) => view === findOwn(reader, item))
  const rows = (own.length > 0 ? own : all).map((reading): ShownRows => ({ reading }))
  const groups = [rows, ...serving].filter(
    (group) => !group.some(({ reading }) => showsAll(reading)),
  )
  const byText = groups.map((group) => [keyOf(group), group] as const)
  return [...new Map(byText).values()]
}

const keyOf = (group: readonly ShownRows[]): string =>
  group.map(({ reading, cell }) => `${reading.view.name} ${cell?.field.name ?? ''}`).join('\n')

/** The rows of a view that serves the column on each of them; with a cell where values tell. */
function findWhole(reading: ListedReading, entity: Entity, column: Column): ShownRows[] {
  const cell = findServed(reading, entity, column)
  if (!cell || cell.mask !== undefined) return []
  return [namesTwice(reading.view, entity) ? { reading, cell } : { reading }]
}

/** The view that an item opens. */
const findOwn = ({ model }: CountReader, { target }: NavbarItem): View | undefined =>
  target?.kind === 'Object' ? model.viewByKey.get(target.target.toLowerCase()) : undefined

function findReading({ caller, model }: CountReader, view: View): ListedReading | undefined {
  const grant =
    Grant.find(caller, model, view.resource, 'List') ??
    Grant.find(caller, model, view.resource, 'View')
  return grant && { view, grant }
}

/** True for a column that every row has, and that no right sets apart. */
const isOfEach = (entity: Entity, { name, key, kind }: Column): boolean =>
  key || kind === 'stamp' || name === entity.company

/** True for a column that ties the records of a table that no view shows to others. */
const isOfStructure = (entity: Entity, column: Column): boolean =>
  isOfEach(entity, column) || column.references !== undefined

/** True when views have the column as a field, and none shows it. */
function isHidden(readings: readonly ListedReading[], column: Column): boolean {
  const shown = readings.flatMap(({ view, grant }) =>
    view.fields.filter((field) => field.column === column).map((field) => isSeen(grant, field)),
  )
  return shown.length > 0 && !shown.includes(true)
}

/**
 * True when the report that an item opens shows all of a table to its caller: a dataset over this
 * table alone that leaves no row out, by a widget that is there for them. Its values are not secret
 * then.
 */
function isShownByReport(
  { caller, model, isReportWhole = true }: CountReader,
  { target }: NavbarItem,
  entity: Entity,
  columns: readonly Column[],
): boolean {
  if (!isReportWhole) return false
  const report = target?.kind === 'Report' ? findReport(model, target.target) : undefined
  if (!report) return false
  const grant = Grant.find(caller, model, report.name, 'List')
  const isFiltered = caller.roles.some((name) =>
    model.roles.get(name)?.rowFilters.some(({ resource }) => resource === report.name),
  )
  if (!grant || isFiltered) return false
  return listShownDataSets(report, caller).some(({ sql, mode }) => {
    const isAlone = sql.reads.every((table) => table.toLowerCase() === entity.table.toLowerCase())
    const isWhole = mode === 'Rows' || sql.columns.every(({ table }) => table === undefined)
    const read = listColumns(sql, entity)
    const isTold = columns.every((column) => isOfEach(entity, column) || read.includes(column))
    return sql.reads.length > 0 && isAlone && isWhole && isTold && !leavesOut(sql.text)
  })
}

const LEAVING_OUT = new Set(
  'where having limit join on using intersect except exists in case filter with distinct'.split(
    ' ',
  ),
)

/** True when a query may show fewer rows than its table has. */
const leavesOut = (text: string): boolean =>
  tokenize(text).some(({ kind, key }) => kind === 'word' && LEAVING_OUT.has(key))

/** The rows that a view of each group shows. */
const compose = ({ model }: CountReader, { entity, groups }: HeldTable, form: ShadowForm): string =>
  groups.map((group) => composeShown(model, entity, group, form)).join(' AND ')
