/**
 * Which rows of a table a badge counts: those that its caller may read (src/engine/README.md,
 * Badges). Authored SQL is never edited: the rows stand under the table's own name.
 */
import type { Caller } from '../../access/caller.ts'
import { Grant } from '../../access/grant.ts'
import type { AuthoredCondition, AuthoredSql } from '../../model/compiled/authored-sql.ts'
import type { Column, Entity } from '../../model/compiled/entity.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { NavbarItem } from '../../model/compiled/navbar.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import { planNarrowedShadows, withShadows, type ShadowForm } from '../../model/shadow.ts'
import { isOnSurface, listViewsOf } from '../../model/view-index.ts'
import { tokenize } from '../../store/tokenize.ts'
import { isSeen } from '../object/read/labels.ts'
import { composeFilters } from '../object/read/source.ts'
import { findReport } from '../reports/find-report.ts'
import { listShownDataSets } from '../reports/load-report.ts'

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

/**
 * A table that is held to rows which views show: a row counts that some view of each group shows.
 * An empty group shows none.
 */
interface HeldTable {
  entity: Entity
  groups: readonly (readonly Reading[])[]
}

/**
 * What a badge beside an item counts for a caller; undefined where it reads a column that no view
 * of theirs serves: then the badge is not for them.
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
    const groups = planGroups(reader, item, entity, listColumns(sql, entity))
    if (!groups) return undefined
    if (groups.length > 0) held.push({ entity, groups })
  }
  return {
    conditions: (form) =>
      new Map(held.map((each) => [each.entity.table.toLowerCase(), compose(reader, each, form)])),
    parts: held.flatMap(({ groups }) => groups.flat().flatMap(listParts)),
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
  reader: Reader,
  item: NavbarItem,
  entity: Entity,
  columns: readonly Column[],
): (readonly Reading[])[] | undefined {
  const views = listViewsOf(reader.model, entity.name).filter(
    ({ viewType }) => viewType !== 'Wizard',
  )
  if (views.length === 0)
    return columns.every((column) => isOfStructure(entity, column)) || entity.builtIn
      ? []
      : undefined
  const all = views.flatMap((view) => findReading(reader, view) ?? [])
  if (all.length === 0) return isShownByReport(reader, item, entity, columns) ? [] : [[]]
  const serving = columns.flatMap((column) => {
    if (isOfEach(entity, column) && !isHidden(all, column)) return []
    return [all.filter((reading) => isServed(reading, entity, column))]
  })
  if (serving.some((group) => group.length === 0)) return undefined
  const own = all.filter(({ view }) => view === findOwn(reader, item))
  const groups = [own.length > 0 ? own : all, ...serving].filter((group) => !group.some(showsAll))
  const byViews = groups.map(
    (group) => [group.map(({ view }) => view.name).join(' '), group] as const,
  )
  return [...new Map(byViews).values()]
}

/** The view that an item opens. */
const findOwn = ({ model }: Reader, { target }: NavbarItem): View | undefined =>
  target?.kind === 'Object' ? model.viewByKey.get(target.target.toLowerCase()) : undefined

function findReading({ caller, model }: Reader, view: View): Reading | undefined {
  const grant =
    Grant.find(caller, model, view.resource, 'List') ??
    Grant.find(caller, model, view.resource, 'View')
  return grant && { view, grant }
}

/** An authored query may leave rows out by itself, whatever the filters. */
const showsAll = ({ view, grant }: Reading): boolean =>
  view.isGenerated && grant.readFilters() === undefined

/** Every row has them, and no right sets them apart. */
const isOfEach = (entity: Entity, { name, key, kind }: Column): boolean =>
  key || kind === 'stamp' || name === entity.company

/** What ties the records of a table that no view shows to others. */
const isOfStructure = (entity: Entity, column: Column): boolean =>
  isOfEach(entity, column) || column.references !== undefined

const listFieldsOf = ({ view }: Reading, entity: Entity, column: Column): Field[] =>
  view.fields.filter((field) => {
    if (field.column === column) return true
    const output = view.query.columns.find(({ name }) => name === field.name)
    return (
      output?.table?.toLowerCase() === entity.table.toLowerCase() &&
      output.column?.toLowerCase() === column.name.toLowerCase()
    )
  })

/** Whether a view serves the column on each of its rows. */
const isServed = (reading: Reading, entity: Entity, column: Column): boolean =>
  listFieldsOf(reading, entity, column).some(
    (field) =>
      isOnSurface(reading.view, field) &&
      isSeen(reading.grant, field) &&
      !reading.grant.access.masked.has(field.name.toLowerCase()),
  )

/** Whether views have the column as a field, and none shows it. */
function isHidden(readings: readonly Reading[], column: Column): boolean {
  const shown = readings.flatMap(({ view, grant }) =>
    view.fields.filter((field) => field.column === column).map((field) => isSeen(grant, field)),
  )
  return shown.length > 0 && !shown.includes(true)
}

/**
 * Whether the report that an item opens shows all of a table to its caller: a dataset over this
 * table alone that leaves no row out, by a widget that is there for them. What it shows is no
 * secret.
 */
function isShownByReport(
  { caller, model }: Reader,
  { target }: NavbarItem,
  entity: Entity,
  columns: readonly Column[],
): boolean {
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

/** Whether a query may show fewer rows than its table has. */
const leavesOut = (text: string): boolean =>
  tokenize(text).some(({ kind, key }) => kind === 'word' && LEAVING_OUT.has(key))

const listParts = ({ view, grant }: Reading): (AuthoredSql | AuthoredCondition)[] => [
  view.query,
  ...(grant.readFilters()?.flat() ?? []),
]

/** The rows that a view of each group shows. */
const compose = (reader: Reader, held: HeldTable, form: ShadowForm): string =>
  held.groups.map((group) => composeGroup(reader, held.entity, group, form)).join(' AND ')

/** The keys that one of the views shows; each view's query has shadows of its own. */
function composeGroup(
  { model }: Reader,
  entity: Entity,
  group: readonly Reading[],
  form: ShadowForm,
): string {
  if (group.length === 0) return '(0)'
  const keys = entity.keys.map(({ name }) => quote(name)).join(', ')
  const shown = group.map((reading) => {
    const { view, grant } = reading
    const filters = composeFilters(grant.readFilters())
    if (isOfTable(reading)) return `(${filters})`
    const names = entity.keys.map(
      (column) => view.keys.find((field) => field.column === column)?.name ?? column.name,
    )
    const tables = new Set(listParts(reading).flatMap(({ reads }) => reads))
    const head = withShadows(planNarrowedShadows(model, tables, showWhole(model, tables), form))
    const rows = `${head}SELECT ${names.map(quote).join(', ')} FROM (\n${view.query.text}\n)`
    return `(${keys}) IN (${rows}${filters === '' ? '' : ` WHERE ${filters}`})`
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
