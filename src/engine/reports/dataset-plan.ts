/**
 * A dataset of a report as one statement whose one text is types and rows: held to the company by
 * shadows and to the caller by the row filters of the report's resource, which fail closed.
 */
import { planRowFilters } from '../../access/resource-access.ts'
import type { RowFilters } from '../../access/resource-access.ts'
import type { Grant } from '../../access/grant.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Message } from '../../kernel/messages.ts'
import type { Column, Model, ReportDataSet } from '../../model/model.ts'
import { composeShadowed } from '../../model/shadow.ts'
import type { SqlArg, SqlRead } from '../../store/sql.ts'
import type { RowLimits } from '../object/capped-rows.ts'
import { contextValue, isContextName } from '../object/context.ts'
import { composeFilters, mayRunInline } from '../object/read/source.ts'
import { toTableSet } from '../object/read/table-set.ts'
import type { TableSet } from '../object/read/table-set.ts'
import { composeRows, describeColumns, findOrigin } from '../procedure/result-sets.ts'
import type { ResultColumn } from '../procedure/result-sets.ts'
import type { ReportUse } from './find-report.ts'

/** A dataset that runs, with the tables that its answer depends on. */
export interface DataSetPlan {
  dataSet: ReportDataSet
  read: SqlRead
  tables: TableSet
  origins: readonly (Column | undefined)[]
  limits: RowLimits
}

/** A dataset that shows no row, and why. */
export interface ClosedDataSet {
  dataSet: ReportDataSet
  columns: ResultColumn[]
  reason: Message
}

const NO_LIST = say`You may not List this report`
const MISFIT = say`A row filter of your roles does not fit this dataset`

/** The statement of a dataset for the holder of the grant, or why there is none. */
export function planDataSet(
  { report, grant, context }: ReportUse,
  dataSet: ReportDataSet,
  values: ReadonlyMap<string, SqlArg>,
  limits: RowLimits,
): DataSetPlan | ClosedDataSet {
  const { sql } = dataSet
  const { model } = context
  const origins = sql.columns.map((column) => findOrigin(model, column))
  const columns = describeColumns(sql, origins, () => undefined)
  if (!grant) return { dataSet, columns, reason: NO_LIST }
  const filters = findFilters(grant, model, dataSet.name)
  if (filters?.length === 0) return { dataSet, columns, reason: MISFIT }
  const parts = [sql, ...(filters?.flat() ?? [])]
  const tables = new Set(parts.flatMap(({ reads }) => reads))
  const unknown = origins.flatMap((origin, at) => (origin ? [] : [`_t${at}`]))
  const rows = composeRows(sql, origins, composeFilters(filters), toCellText)
  const cells = `json_array(_count, _size, json_array(${unknown.join(', ')}))`
  const text = `SELECT ${cells} || char(10) || _json FROM (${rows})`
  const scope = grant.allCompanies ? 'all' : 'company'
  const whole = composeShadowed(model, tables, scope, (head) => head + text)
  const rowsMax = dataSet.mode === 'Single' ? 1 : limits.rows + 1
  const args: Record<string, SqlArg> = {
    CurrentCompanyId: contextValue('CurrentCompanyId', context),
    ...{ _max: rowsMax, _rows: limits.rows, _bytes: limits.bytes },
  }
  for (const name of new Set(parts.flatMap(({ parameters }) => parameters)))
    args[name] = isContextName(name)
      ? contextValue(name, context)
      : (values.get(name.toLowerCase()) ?? null)
  const runs = parts.every(mayRunInline) ? 'measured' : 'lane'
  const read: SqlRead = { ...whole, args, runs, of: report.name }
  return { dataSet, read, tables: toTableSet(tables), origins, limits }
}

/** A cast would leave `true` of JSON what it is. */
const toCellText = (cell: string): string => `(${cell}) || ''`

/**
 * The rows that List reaches. A role whose filter does not fit the dataset adds none; none at all
 * where no role adds any.
 */
function findFilters(grant: Grant, model: Model, dataSet: string): RowFilters {
  const { caller, resource } = grant
  if (caller.isSystem) return undefined
  const roles = caller.roles.flatMap((name) => model.roles.get(name) ?? [])
  const alternatives = planRowFilters(roles, resource, 'List', dataSet)
  const misfits = new Set(
    roles.flatMap(({ rowFilters }) =>
      rowFilters.flatMap(({ condition, misfits: names }) =>
        names.includes(dataSet) ? [condition] : [],
      ),
    ),
  )
  return alternatives?.filter((role) => !role.some((condition) => misfits.has(condition)))
}

/** Whether it has no statement. */
export const isClosed = (plan: DataSetPlan | ClosedDataSet): plan is ClosedDataSet =>
  'reason' in plan

/** A dataset as JSON, from the text of its statement. */
export function writeDataSet(
  { dataSet: { sql }, origins, limits }: DataSetPlan,
  text: string,
  language: string | undefined,
): string {
  const end = text.indexOf('\n')
  const [count, size, first] = JSON.parse(text.slice(0, end)) as [number, number, unknown[]]
  const unknown = origins.flatMap((origin, at) => (origin ? [] : [at]))
  const columns = describeColumns(sql, origins, (at) => first[unknown.indexOf(at)])
  const cut = findCut({ count, size }, limits)
  const more = cut ? `,"Truncated":${JSON.stringify(renderMessage(cut, language))}` : ''
  return `{"Columns":${JSON.stringify(columns)},"Rows":${text.slice(end + 1)}${more}}`
}

/** What was left out, as a sentence; undefined where nothing was. */
function findCut(
  { count, size }: { count: number; size: number },
  { rows, bytes }: RowLimits,
): Message | undefined {
  if (count > rows) return say`Only the first ${rows} rows are shown (Svc:Reports:MaxRows)`
  return size > bytes
    ? say`Only rows of ${bytes} bytes are shown (Svc:Results:MaxBytes)`
    : undefined
}

/** A dataset without rows, as JSON, with the reason. */
export const writeClosed = (
  { columns, reason }: ClosedDataSet,
  language: string | undefined,
): string => JSON.stringify({ Columns: columns, Rows: [], Error: renderMessage(reason, language) })
