/**
 * Reports that a designer wrote, held to what their readers may List (`Svc:Designer:Sql`): common
 * table expressions give each table, under its own name, the rows and cells that views show. The
 * authored text itself is not edited.
 */
import type { Reader } from '../../store/store.ts'
import type { AuthoredSql } from '../../model/compiled/authored-sql.ts'
import type { Column, Entity } from '../../model/compiled/entity.ts'
import type { FieldFeatures } from '../../model/compiled/field-features.ts'
import type { Report } from '../../model/compiled/report.ts'
import { type View, VIEW_TYPES } from '../../model/compiled/view.ts'
import { loadChangedHere } from '../../model/deploy/catalog.ts'
import { quote } from '../../model/sql/quote.ts'
import { planNarrowedShadows, withShadows } from '../../model/sql/shadow.ts'
import { listViewsOf } from '../../model/view-index.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { DESIGNER_SQL } from '../floor.ts'
import { isContextName } from '../object/context.ts'
import {
  composeShown,
  findServed,
  type ListedReading,
  listShownParts,
  namesTwice,
  type ShownRows,
  showsAll,
} from '../object/read/listed-rows.ts'
import type { ReportUse } from './find-report.ts'
import type { ReportReader } from './read-datasets.ts'

/** Published tables that reveal nothing: the reader's own company and own zone. */
const OPEN_TABLES = new Set(['svc_companies', 'svc_zone'])

const heldOf = new WeakMap<Caller, Map<string, WeakMap<Report, Report>>>()
const held = new WeakSet<Report>()
const designed = new WeakMap<Report, Promise<boolean>>()

/** The report as its reader may have it: held to views where a designer wrote it. */
export async function holdReport(
  { store, settings }: Pick<ReportReader, 'store' | 'settings'>,
  use: ReportUse,
): Promise<ReportUse> {
  const { report, grant, isDraft = false } = use
  if (settings.get(DESIGNER_SQL) === 'All' || !grant || grant.caller.isSystem) return use
  if (held.has(report) || !(isDraft || (await isDesigned(store, report)))) return use
  const kept = heldOf
    .getOrInsertComputed(grant.caller, () => new Map<string, WeakMap<Report, Report>>())
    .getOrInsertComputed(String(grant.isFile), () => new WeakMap<Report, Report>())
    .getOrInsertComputed(report, () => planHeldReport(report, grant))
  return { ...use, report: kept }
}

/** Tells whether the serving text comes from a designer, not from a deploy. */
function isDesigned(store: Reader, report: Report): Promise<boolean> {
  const find = async (): Promise<boolean> => {
    const changed = await loadChangedHere(store)
    return changed.some(({ type, name }) => type === 'Report' && name === report.name)
  }
  const found = designed.getOrInsertComputed(report, find)
  found.catch(() => designed.delete(report))
  return found
}

function planHeldReport(report: Report, grant: Grant): Report {
  const planned: Report = {
    ...report,
    filters: report.filters.map((filter) => planFilter(filter, grant)),
    dataSets: report.dataSets.map((dataSet) => {
      const sql = planSql(dataSet.sql, grant)
      return { ...dataSet, sql: sql ?? dataSet.sql, isClosed: sql === undefined }
    }),
  }
  held.add(planned)
  return planned
}

/** Without rows where views do not show the tables that it reads: no options, no default. */
function planFilter(filter: FieldFeatures, grant: Grant): FieldFeatures {
  const { dataSet, default: preset } = filter
  const hold = (sql: AuthoredSql): AuthoredSql => planSql(sql, grant) ?? withoutRows(sql)
  return {
    ...filter,
    ...(dataSet && { dataSet: { ...dataSet, sql: hold(dataSet.sql) } }),
    ...(preset?.kind === 'query' && { default: { ...preset, sql: hold(preset.sql) } }),
  }
}

const withoutRows = (sql: AuthoredSql): AuthoredSql => ({
  ...sql,
  text: `SELECT ${sql.columns.map(({ name }) => `NULL AS ${quote(name)}`).join(', ')} WHERE 0`,
  reads: [],
  parameters: [],
  cells: [],
  mayRunInline: true,
})

/** The query behind its tables as views show them; undefined where no views show all it reads. */
function planSql(sql: AuthoredSql, grant: Grant): AuthoredSql | undefined {
  const tables: HeldTable[] = []
  for (const name of sql.reads) {
    const key = name.toLowerCase()
    if (OPEN_TABLES.has(key)) continue
    const entity = grant.model.entityByTable.get(key)
    const table = entity && planTable(sql, entity, grant)
    if (!table) return undefined
    tables.push(table)
  }
  const parts = tables.flatMap(({ shown }) => shown.flatMap(listShownParts))
  const head = withShadows(tables.map(({ text }) => text))
  return {
    ...sql,
    text: `${head}SELECT * FROM (\n${sql.text}\n)`,
    reads: [...new Set([...sql.reads, ...parts.flatMap(({ reads }) => reads)])],
    parameters: [
      ...new Set([
        ...sql.parameters,
        ...parts.flatMap(({ parameters }) => parameters),
        'CurrentCompanyId',
      ]),
    ],
    mayRunInline: false,
  }
}

/** A table as views show it. */
interface HeldTable {
  /** A common table expression of its name, materialized before anything reads it. */
  text: string
  /** The rows that its conditions are made of. */
  shown: readonly ShownRows[]
}

function planTable(sql: AuthoredSql, entity: Entity, grant: Grant): HeldTable | undefined {
  const { model } = grant
  const readings = listViewsOf(model, entity.name).flatMap((view) => findReading(view, grant) ?? [])
  if (readings.length === 0) return undefined
  const rows = readings.map((reading): ShownRows => ({ reading }))
  const shown: ShownRows[] = [...rows]
  const cells: string[] = []
  for (const column of entity.columns) {
    const name = quote(column.name)
    const serving = listServing(readings, entity, column)
    const isRead = sql.cells.some((cell) => isCellOf(cell, entity, column))
    if (serving.length === 0 && isRead) return undefined
    const isWhole = serving.length === readings.length && serving.every(({ cell }) => !cell)
    if (isWhole) cells.push(name)
    else if (serving.length === 0) cells.push(`NULL AS ${name}`)
    else {
      shown.push(...serving)
      const condition = composeShown(model, entity, serving, 'materialized')
      cells.push(`CASE WHEN ${condition} THEN ${name} END AS ${name}`)
    }
  }
  const condition = readings.some(showsAll)
    ? '1'
    : composeShown(model, entity, rows, 'materialized')
  const conditions = new Map([[entity.table.toLowerCase(), condition]])
  const inner = withShadows(planNarrowedShadows(model, [entity.table], conditions, 'inlined'))
  const table = quote(entity.table)
  return {
    text: `${table} AS MATERIALIZED (${inner}SELECT ${cells.join(', ')} FROM ${table})`,
    shown,
  }
}

/** A view that its reader may List, unless its rows are those of a parameter. */
function findReading(view: View, own: Grant): ListedReading | undefined {
  const { caller, model, isFile } = own
  const grant = Grant.find(caller, model, view.resource, 'List')
  if (!grant || VIEW_TYPES[view.viewType].hasSteps || view.keys.length === 0) return undefined
  const reading = { view, grant: isFile ? grant.toFile() : grant }
  const isFree = listShownParts({ reading }).every(({ parameters }) =>
    parameters.every((name) => isContextName(name, model)),
  )
  return isFree ? reading : undefined
}

/** The views that serve a column; with a cell where they do on some of their rows alone. */
function listServing(
  readings: readonly ListedReading[],
  entity: Entity,
  column: Column,
): readonly ShownRows[] {
  // Columns of every row, which no right tells apart.
  if (column.kind === 'stamp' || column.name === entity.company)
    return readings.map((reading) => ({ reading }))
  return readings.flatMap((reading): ShownRows[] => {
    const cell = findServed(reading, entity, column)
    if (!cell) return []
    const isPart = cell.mask !== undefined || (!column.key && namesTwice(reading.view, entity))
    return [isPart ? { reading, cell } : { reading }]
  })
}

const isCellOf = (cell: string, { table }: Entity, { name }: Column): boolean =>
  cell.toLowerCase() === `${table}.${name}`.toLowerCase()
