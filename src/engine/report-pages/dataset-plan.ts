/**
 * A dataset of a report as one statement whose one text is types and rows: held to the company by
 * shadows and to the caller by the row filters of the report's resource, which fail closed.
 */
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import type { SqlArg, SqlRead } from '../../store/sql.ts'
import type { Column } from '../../model/compiled/entity.ts'
import type { Report, ReportDataSet } from '../../model/compiled/report.ts'
import type { Model } from '../../model/model.ts'
import { composeShadowed } from '../../model/sql/shadow.ts'
import type { Grant } from '../../access/rights/grant.ts'
import { intersect, planRowFilters, type RowFilters } from '../../access/rights/resource-access.ts'
import type { RowLimits } from '../object/capped-rows.ts'
import { contextValue, isContextName } from '../object/context.ts'
import { composeFilters, mayRunInline } from '../object/read/source.ts'
import { type TableSet, toTableSet } from '../object/read/table-set.ts'
import {
  composeRows,
  describeColumns,
  findOrigin,
  type ResultColumn,
} from '../procedure/result-sets.ts'
import type { ReportUse } from './find-report.ts'

/** The statement of a dataset without the values of a request: the same for one grant. */
interface Statement {
  dataSet: ReportDataSet
  read: Omit<SqlRead, 'args'>
  /** Names that it binds beside its limits, each with its lower-case name. */
  names: readonly { name: string; key: string; isContext: boolean }[]
  tables: TableSet
  /** Indexes of the columns whose type follows from their first value. */
  unknown: readonly number[]
  origins: readonly (Column | undefined)[]
}

/** A dataset that runs, with the tables that its answer depends on. */
export interface DataSetPlan extends Pick<Statement, 'dataSet' | 'tables' | 'unknown' | 'origins'> {
  read: SqlRead
  limits: RowLimits
}

/** A dataset that shows no row, and why. */
export interface ClosedDataSet {
  dataSet: ReportDataSet
  columns: ResultColumn[]
  reason: Message
}

const NO_LIST = say`You do not have the List right for this report`
const UNSHOWN = say`The dataset reads data that you have no view for`
const MISFIT = say`A row filter of your roles cannot be applied to this dataset`

/** A grant lives as long as its caller and its model do. */
const statements = new WeakMap<Grant, Map<ReportDataSet, Statement | ClosedDataSet>>()

/** Plans the statement of a dataset for the holder of the grant, or says why there is none. */
export function planDataSet(
  { report, grant, context }: ReportUse,
  dataSet: ReportDataSet,
  values: ReadonlyMap<string, SqlArg>,
  limits: RowLimits,
): DataSetPlan | ClosedDataSet {
  if (!grant) return close(context.model, dataSet, NO_LIST)
  if (dataSet.isClosed) return close(context.model, dataSet, UNSHOWN)
  let known = statements.get(grant)
  if (!known) statements.set(grant, (known = new Map()))
  let statement = known.get(dataSet)
  if (!statement) known.set(dataSet, (statement = planStatement(report, dataSet, grant)))
  if ('reason' in statement) return statement
  const { read, names, tables, unknown, origins } = statement
  const rowsMax = dataSet.mode === 'Single' ? 1 : limits.rows + 1
  const args: Record<string, SqlArg> = { _max: rowsMax, _rows: limits.rows, _bytes: limits.bytes }
  for (const { name, key, isContext } of names)
    args[name] = isContext ? contextValue(name, context) : (values.get(key) ?? null)
  return { dataSet, read: { ...read, args }, tables, unknown, origins, limits }
}

function planStatement(
  report: Report,
  dataSet: ReportDataSet,
  grant: Grant,
): Statement | ClosedDataSet {
  const { sql } = dataSet
  const { model } = grant
  const filters = findFilters(grant, model, dataSet.name)
  if (filters?.length === 0) return close(model, dataSet, MISFIT)
  const origins = sql.columns.map((column) => findOrigin(model, column))
  const parts = [sql, ...(filters?.flat() ?? [])]
  const tables = new Set(parts.flatMap(({ reads }) => reads))
  const unknown = origins.flatMap((origin, at) => (origin ? [] : [at]))
  const rows = composeRows(sql, origins, composeFilters(filters), toCellText)
  const firsts = unknown.map((at) => `_t${at}`).join(', ')
  const cells = `json_array(_count, _size, json_array(${firsts}))`
  const text = `SELECT ${cells} || char(10) || _json FROM (${rows})`
  const scope = grant.allCompanies ? 'all' : 'company'
  const whole = composeShadowed(model, tables, scope, (head) => head + text)
  const runs = parts.every((part) => mayRunInline(part, model)) ? 'measured' : 'lane'
  const bound = new Set(['CurrentCompanyId', ...parts.flatMap(({ parameters }) => parameters)])
  const names = [...bound].map((name) => ({
    name,
    key: name.toLowerCase(),
    isContext: isContextName(name, model),
  }))
  const read = { ...whole, runs, of: report.name } as const
  return { dataSet, read, names, tables: toTableSet(tables), unknown, origins }
}

function close(model: Model, dataSet: ReportDataSet, reason: Message): ClosedDataSet {
  const { sql } = dataSet
  const origins = sql.columns.map((column) => findOrigin(model, column))
  return { dataSet, columns: describeColumns(sql, origins, () => undefined), reason }
}

/** A cast would leave `true` of JSON unchanged. */
const toCellText = (cell: string): string => `(${cell}) || ''`

/**
 * Rows that List reaches, and Export where they leave as a file. A role whose filter does not fit
 * the dataset adds none; if no role adds any, there are no rows.
 */
function findFilters(grant: Grant, model: Model, dataSet: string): RowFilters {
  const { caller, resource } = grant
  if (caller.isSystem) return undefined
  const roles = caller.roles.flatMap((name) => model.roles.get(name) ?? [])
  const listed = planRowFilters(roles, resource, 'List', { dataSet })
  const exported = grant.isFile ? planRowFilters(roles, resource, 'Export', { dataSet }) : undefined
  const misfits = new Set(
    roles.flatMap(({ rowFilters }) =>
      rowFilters.flatMap(({ condition, misfits: names }) =>
        names.includes(dataSet) ? [condition] : [],
      ),
    ),
  )
  const fit = (rows: RowFilters): RowFilters =>
    rows?.filter((role) => !role.some((condition) => misfits.has(condition)))
  return intersect(fit(listed), fit(exported))
}

/** Tells whether a dataset has no statement. */
export const isClosed = (plan: DataSetPlan | ClosedDataSet): plan is ClosedDataSet =>
  'reason' in plan

/** A dataset as JSON, from the text of its statement. */
export function writeDataSet(
  { dataSet: { sql }, unknown, origins, limits }: DataSetPlan,
  text: string,
  language: string | undefined,
): string {
  const end = text.indexOf('\n')
  const [count, size, first] = JSON.parse(text.slice(0, end)) as [number, number, unknown[]]
  const columns = describeColumns(sql, origins, (at) => first[unknown.indexOf(at)])
  const cut = findCut({ count, size }, limits)
  const more = cut ? `,"Truncated":${JSON.stringify(renderMessage(cut, language))}` : ''
  return `{"Columns":${JSON.stringify(columns)},"Rows":${text.slice(end + 1)}${more}}`
}

/** The sentence that says what was left out; undefined if the dataset is whole. */
function findCut(
  { count, size }: { count: number; size: number },
  { rows, bytes }: RowLimits,
): Message | undefined {
  if (count > rows) return say`Only the first ${rows} rows are shown (Svc:Reports:MaxRows)`
  return size > bytes
    ? say`The rows were cut off at ${bytes} bytes (Svc:Results:MaxBytes)`
    : undefined
}

/** A dataset without rows, as JSON, with the reason. */
export const writeClosed = (
  { columns, reason }: Pick<ClosedDataSet, 'columns' | 'reason'>,
  language: string | undefined,
): string => JSON.stringify({ Columns: columns, Rows: [], Error: renderMessage(reason, language) })

/** A dataset that runs, but did not finish in time, as JSON. */
export const writeLate = (
  { dataSet, origins }: DataSetPlan,
  reason: Message,
  language: string | undefined,
): string =>
  writeClosed({ columns: describeColumns(dataSet.sql, origins, () => undefined), reason }, language)
