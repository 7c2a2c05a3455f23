/**
 * The rows of a Detail for a print, under the permission of the Detail's own view: all of them, in
 * their order. A few are read with the record, of one state of the data; more are put aside.
 */
import { findReads } from '../../kernel/charged.ts'
import type { SpoolOptions } from '../../store/read/spool.ts'
import type { SqlRead } from '../../store/sql.ts'
import type { Reader, Store } from '../../store/store.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { PrintLineColumn, PrintPart } from '../../model/compiled/print.ts'
import type { View } from '../../model/compiled/view.ts'
import { quote } from '../../model/sql/quote.ts'
import { Grant } from '../../access/rights/grant.ts'
import { isServed } from '../object/read/find-view.ts'
import { findLabel } from '../object/read/labels.ts'
import { composeCells, parseCells } from '../object/read/page-cells.ts'
import { composeJsonArray, projectField } from '../object/read/projection.ts'
import { composeOver, type RowForm } from '../object/read/row-forms.ts'
import { findRecords } from '../object/read/shown-records.ts'
import { composeOrder, planSort } from '../object/read/sort.ts'
import { planConditions } from '../object/read/table.ts'
import { findNarrowing } from '../object/read/view-parameters.ts'
import type { ViewUse } from '../object/view-access.ts'
import type { PrintRecord, PrintUse } from './template-record.ts'

export type LinesPart = Extract<PrintPart, { kind: 'lines' }>

/** Rows of a Detail that are read with the record. */
const ROWS_AT_ONCE = 200

/** A column that the caller sees. */
export interface LineColumn {
  field: Field
  spec: PrintLineColumn
}

/** The table of a Detail, within what the caller sees. */
export interface Lines {
  part: LinesPart
  view: View
  /** The caller's rights on the rows. */
  grant: Grant
  columns: readonly LineColumn[]
  /** The field that rows are grouped by. */
  group: Field | undefined
  /** The first rows; all of them where `rest` is missing. */
  rows: readonly (readonly unknown[])[]
  /** All rows, each as a JSON array of its cells: the columns, then the group. */
  rest: SqlRead | undefined
}

/**
 * The lines of a part; undefined where the caller may not List the Detail's view, or sees none of
 * its columns, or not by which field it belongs to the record.
 */
async function loadLines(
  reader: Pick<Reader, 'text'>,
  record: PrintRecord,
  part: LinesPart,
): Promise<Lines | undefined> {
  const { view: parent, context, grant: given } = record.use
  const detail = parent.details.find((each) => each.name === part.detail)
  const view = detail && context.model.views.get(detail.view)
  const grant = view && Grant.find(given.caller, context.model, view.resource, 'List')
  if (!detail || !grant) return undefined
  const use: ViewUse = { view, grant: grant.over(given.allCompanies).toFile(), context }
  const find = (name: string): Field | undefined => {
    const field = view.fieldByName.get(name.toLowerCase())
    return field && isServed(view, use.grant, field) ? field : undefined
  }
  const columns = part.columns.flatMap((spec) => {
    const field = find(spec.field)
    return field ? [{ field, spec }] : []
  })
  const isHeld = detail.parent.every(({ child }) =>
    findNarrowing(view, use.grant, child.toLowerCase()),
  )
  if (columns.length === 0 || !isHeld) return undefined
  const group = part.group === undefined ? undefined : find(part.group)
  const lines = { part, view, grant: use.grant, columns, group, rest: undefined }
  const values = detail.parent.map(
    ({ child, parent: name }) => [child, record.parents[name]] as const,
  )
  // A parent without a value has no details; NULL would match every row without a parent.
  if (values.some(([, value]) => value === null || value === undefined))
    return { ...lines, rows: [] }
  const shown = [...columns.map(({ field }) => field), ...(group ? [group] : [])]
  const plan = planLines(use, Object.fromEntries(values), shown, group)
  const [keys = '', list = ''] = parseCells(await reader.text(plan(ROWS_AT_ONCE + 1)))
  if (keys !== '') findReads()?.noteRecords(view.entity?.name ?? '', view.name, keys)
  const rows = JSON.parse(list) as unknown[][]
  return { ...lines, rows, rest: rows.length > ROWS_AT_ONCE ? plan(undefined) : undefined }
}

/** A statement of some rows as one JSON array, or of all, each as one. */
function planLines(
  { view, grant, context }: ViewUse,
  parents: Record<string, unknown>,
  shown: readonly Field[],
  group: Field | undefined,
): (limit: number | undefined) => SqlRead {
  const request = { Parameters: parents }
  const { bindings, source, where } = planConditions(view, request, grant, context, 'read')
  const first = group ? planSort(view, grant, [{ Field: group.name }]).slice(0, 1) : []
  const further = planSort(view, grant, null).filter(({ field }) => field !== group)
  const order = composeOrder([...first, ...further])
  const cells = composeJsonArray(shown.map((field) => composeShown(field, view, grant)))
  const records = findRecords(view)
  const key = records ? `, ${composeJsonArray(view.keys.map(({ name }) => quote(name)))} AS _k` : ''
  const keys = records ? "coalesce(group_concat(_k, char(10)), '')" : "''"
  return (limit) => {
    const compose = (form: RowForm): string => {
      const all = `${form.from} ${form.where(where)} ORDER BY ${order}`
      const rows = `SELECT ${cells} AS _r${key} FROM ${all}`
      if (limit === undefined) return `${form.with}${rows}`
      const list = `'[' || coalesce(group_concat(_r), '') || ']'`
      return `${form.with}SELECT ${composeCells([keys, list])} FROM (${rows} LIMIT ${limit})`
    }
    const text = composeOver(source, compose)
    return { ...text, args: bindings.args(), runs: 'lane', of: source.of, records }
  }
}

/** The label of a record in place of its key. */
const composeShown = (field: Field, view: View, grant: Grant): string =>
  projectField(findLabel(view, field) ?? field, view, grant)

/** The rows of a Detail in portions. */
export async function* readLines(
  store: Store,
  { rows, rest }: Lines,
  options: SpoolOptions,
): AsyncGenerator<readonly (readonly unknown[])[]> {
  if (!rest) {
    yield rows
    return
  }
  const spool = await store.spool(rest, options)
  try {
    for await (const page of spool.pages()) {
      yield JSON.parse(Buffer.from(page.text).toString()) as unknown[][]
    }
  } finally {
    await spool.close()
  }
}

/** The data of a print; all that is read at once is of one state of the store. */
export interface PrintData {
  record: PrintRecord
  /** Lines by their part. */
  lines: ReadonlyMap<LinesPart, Lines>
}

/** @throws notFound for a record that the caller's rows do not hold */
export function loadPrintData(
  store: Store,
  use: PrintUse,
  load: (reader: Pick<Reader, 'text'>) => Promise<PrintRecord>,
): Promise<PrintData> {
  return store.snapshot(`print ${use.print.name}`, async (reader) => {
    const record = await load(reader)
    const lines = new Map<LinesPart, Lines>()
    for (const part of use.print.parts) {
      if (part.kind !== 'lines' || !record.holds(part.when)) continue
      const found = await loadLines(reader, record, part)
      if (found) lines.set(part, found)
    }
    return { record, lines }
  })
}
