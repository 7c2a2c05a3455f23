/** Rows of a grid as a printed list shows them: with labels of records in place of keys. */
import { invalid, unavailable, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SpoolOptions } from '../../store/read/spool.ts'
import type { SqlRead } from '../../store/sql.ts'
import type { Store } from '../../store/store.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { View } from '../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { Grant } from '../../access/rights/grant.ts'
import { planExport } from '../object/export/export.ts'
import { findField, isServed, requireField, requireShown } from '../object/read/find-view.ts'
import { findLabel } from '../object/read/labels.ts'
import { findOptionLabel, findRequestedOption } from '../object/read/option-labels.ts'
import { visibleFields } from '../object/read/projection.ts'
import type { ViewUse } from '../object/view-access.ts'
import type { GridRequest } from './report-parameters.ts'
import type { SheetColumn } from '../sheets/format.ts'

/** A list as its caller asks for it. */
export interface ListUse extends ViewUse {
  request: GridRequest
  /** Names of fields; none: the grid's. */
  fields: readonly string[]
  /** Name of a field; '' for none. */
  group: string
  /** Names of fields that are added up. */
  totals: readonly string[]
}

/** The rows of a list, each as a JSON array of its cells. */
export interface ListPlan {
  fields: readonly Field[]
  columns: readonly SheetColumn[]
  /** The field that rows are grouped by; after the other fields if it is not one of them. */
  group: { field: Field; at: number } | undefined
  totals: ReadonlySet<Field>
  rows: SqlRead
}

/**
 * Plans the rows of a list; `labelsOptions` shows labels of options in place of their values.
 * @throws invalid, validation for a request that does not fit the view
 */
export function planListRows(use: ListUse, labelsOptions = false): ListPlan {
  const { view, grant, context, request } = use
  const fields = findFields(use)
  const group = use.group === '' ? undefined : requireShown(view, grant, use.group)
  const shownGroup = group && (findLabel(view, group) ?? group)
  if (group?.link) throw invalid(say`Sort by '${group.name}': a list of keys cannot be sorted`)
  const totals = new Set(use.totals.map((name) => requireTotal(fields, view, grant, name)))
  const all = shownGroup && !fields.includes(shownGroup) ? [...fields, shownGroup] : fields
  const shown = labelsOptions ? all.map((each) => findOptionLabel(view, each) ?? each) : all
  const Sort = planGroupSort(use, shownGroup)
  const { columns, rows } = planExport(
    { view, grant, context },
    {
      ...request,
      ObjectName: view.name,
      Fields: shown.map(({ name }) => name),
      ...(Sort && { Sort }),
    },
  )
  return {
    fields: shown,
    columns,
    group: shownGroup && { field: shownGroup, at: all.indexOf(shownGroup) },
    totals,
    rows,
  }
}

/** Sorts the rows of a group together, in the requested order or else the view's. */
function planGroupSort(
  { view, grant, request }: ListUse,
  group: Field | undefined,
): NonNullable<GridRequest['Sort']> | undefined {
  if (!group) return request.Sort ?? undefined
  const sort = request.Sort ?? view.sort.filter(isSorted).map(toSortItem)
  const key = group.name.toLowerCase()
  return [{ Field: group.name }, ...sort.filter(({ Field: name }) => name.toLowerCase() !== key)]

  function isSorted({ field: name }: View['sort'][number]): boolean {
    const field = findField(view, grant, name)
    return field !== undefined && isServed(view, grant, field)
  }
}

const toSortItem = ({ field, direction }: View['sort'][number]) => ({
  Field: field,
  Direction: direction,
})

/** The requested fields, else those that the grid shows and Export may take. */
function findFields({ view, grant, fields: names }: ListUse): Field[] {
  if (names.length > 0) {
    const find = (name: string) =>
      findRequestedOption(view, grant, name) ?? requireShown(view, grant, name)
    return [...new Set(names.map(find))]
  }
  const shown = visibleFields(view, grant, 'Grid').filter(
    (field) => !field.hidden && field.in.has('Export') && !isNamed(view, field),
  )
  if (shown.length === 0) throw invalid(say`This object has no fields to export`)
  return shown
}

/** Tells whether a label takes the place of the field. */
const isNamed = (view: View, field: Field): boolean => findLabel(view, field) !== undefined

function requireTotal(fields: readonly Field[], view: View, grant: Grant, name: string): Field {
  const field = requireField(view, grant, name)
  const isAdded = FIELD_KINDS[field.type].number !== undefined
  if (isAdded && fields.includes(field)) return field
  throw validation({ totals: say`'${field.name}' is not a number field of the list` })
}

/** All rows page by page, as JSON, of one state of the data: spooled when the first is taken. */
export async function* readPages(
  store: Store,
  read: SqlRead,
  options: SpoolOptions & { signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const spool = await store.spool(read, options)
  let done = 0
  try {
    for await (const page of spool.pages()) {
      if (options.signal.aborted) throw unavailable(say`The request was cancelled`)
      yield page.text
      done += page.rows
    }
    if (done !== spool.rows) throw new Error('A report lost rows')
  } finally {
    await spool.close()
  }
}
