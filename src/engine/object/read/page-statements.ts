/** The statements that read a page: its rows, how many there are, and whether others follow. */
import type { SqlRead } from '../../../store/sql.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { CursorPlan } from './cursor.ts'
import type { FilterScope } from './filter-scope.ts'
import { joinLabels } from './labels.ts'
import { composePage, type PageLead, type PageRow, planCharacters } from './page-cells.ts'
import { projectRow, showsValue, visibleFields } from './projection.ts'
import type { RowForm } from './row-forms.ts'
import type { Narrowing } from './search.ts'
import { composeOrder, type SortColumn } from './sort.ts'
import { BOUNDED_COUNT_MAX } from '../schema.ts'

/** The way that the rows of all pages are counted. */
export type CountMode = 'exact' | 'bounded' | 'none'

/** A read of the source; the kind sets its text apart. */
export type ComposeRead = (kind: string, compose: (form: RowForm) => string) => SqlRead

/** A SELECT of one cell over a source; the key sets it apart there. */
interface Cell {
  key: string
  text: (form: RowForm) => string
}

/** Rows that the conditions leave; the key sets them apart within the source. */
type Selection = Cell

/** The rows of a source that a search and some conditions leave. */
export function selectRows({ join, where }: Narrowing, conditions: readonly string[]): Selection {
  const all = where === '' ? conditions : [...conditions, where]
  return {
    key: `${join}(${all.join(') AND (')})`,
    text: (form) => `${join}${form.from} ${form.where(all)}`,
  }
}

/** The part of its rows that a page shows. */
interface Shown {
  view: View
  /** The key that sets it apart from other pages of the source. */
  names: string
  order: string
  row: () => PageRow
  isGuarded: boolean
  cursor: CursorPlan | undefined
}

interface ShownOptions {
  sort: readonly SortColumn[]
  /** All that the caller sees unless some were requested. */
  fields: readonly Field[] | undefined
  size: number
  /** `Svc:Results:MaxBytes`. */
  bytesMax: number
  /** Undefined where the page has no cursor. */
  cursorScope: string | undefined
}

/** Binds each row's share of the bound, where the model lets a page be over it. */
export function planShown(
  { view, grant, bindings }: FilterScope,
  { sort, fields: some, size, bytesMax, cursorScope }: ShownOptions,
): Shown {
  const fields = some ?? visibleFields(view, grant, 'Grid')
  const sorted = sort.flatMap(({ field }) => (fields.includes(field) ? [] : [field]))
  const characters =
    planCharacters(fields, view, grant.model) + planCharacters(sorted, view, grant.model)
  const isGuarded = characters * size > bytesMax
  if (isGuarded) bindings.set('_share', Math.floor(bytesMax / size))
  const isShown = ({ field }: SortColumn): boolean => showsValue(field) && fields.includes(field)
  const columns = sort.map((each) => ({ field: each.field.name, isShown: isShown(each) }))
  const row = (): PageRow => {
    const { joins, texts } = joinLabels(fields, grant)
    const beside = cursorScope === undefined ? [] : sort.filter((each) => !isShown(each))
    return { row: projectRow(view, fields, grant, texts), joins, beside, isGuarded }
  }
  return {
    view,
    row,
    isGuarded,
    names: some?.map((field) => field.name).join() ?? '',
    order: composeOrder(sort),
    cursor: cursorScope === undefined ? undefined : { scope: cursorScope, columns },
  }
}

const keyOf = ({ isGuarded, names, order }: Shown, { key }: Selection): string =>
  `${isGuarded ? 'guarded ' : ''}${names} ${order} ${key}`

/** The rows of the page by themselves. */
export function planPage(shown: Shown, selected: Selection, read: ComposeRead): SqlRead {
  return read(`page ${keyOf(shown, selected)}`, (form) => composeRows(shown, selected, form))
}

function composeRows(shown: Shown, { text }: Selection, form: RowForm, lead?: PageLead): string {
  const { order } = shown
  const rows = `${text(form)} ${order && `ORDER BY ${order} `}LIMIT @_limit OFFSET @_offset`
  return composePage(shown.row(), `SELECT * FROM ${rows}`, lead)
}

/**
 * Rows, count and whether rows follow in one statement, for tables that are changing: one after the
 * other they could be of different states.
 */
export function planAtOnce(
  shown: Shown,
  selected: Selection,
  read: ComposeRead,
  { count, more }: { count: Cell | undefined; more: Cell | undefined },
): SqlRead {
  const kind = `now ${keyOf(shown, selected)} ${count?.key ?? ''} ${more?.key ?? ''}`
  return read(kind, (form) => {
    const cell = (each: Cell | undefined) => each && `(${each.text(form)})`
    return composeRows(shown, selected, form, { count: cell(count), more: cell(more) })
  })
}

/**
 * The keys of all rows in their order, in one pass; then the rows of the page, by their keys. What
 * is put aside has a limit, which has SQLite keep the order; so has the page, whose rows are joined
 * to their labels.
 */
export function planWhole(
  shown: Shown,
  selected: Selection,
  read: ComposeRead,
): SqlRead | undefined {
  const [keyField, ...others] = shown.view.keys
  if (!keyField || others.length > 0) return undefined
  const name = quote(keyField.name)
  const { order } = shown
  return read(`whole ${keyOf(shown, selected)}`, (form) => {
    const rows = selected.text(form)
    const found = `SELECT ${name} AS svc_key FROM ${rows} ORDER BY ${order} LIMIT -1`
    const page = '(SELECT svc_key FROM svc_found LIMIT @_limit OFFSET @_offset)'
    // The keys come first: an index in the order of the rows would be scanned far for few of them.
    const ofPage =
      `SELECT * FROM ${page} CROSS JOIN ${form.from} ` +
      `${form.where([], [`${name} = svc_key`])} ORDER BY ${order} LIMIT -1`
    const text = composePage(shown.row(), ofPage, {
      count: '(SELECT count(*) FROM svc_found)',
      keys: `(SELECT count(svc_key) FROM ${page})`,
    })
    return `SELECT * FROM (WITH svc_found AS MATERIALIZED (${found}) ${text})`
  })
}

/** The count of rows; undefined if it is not requested. */
export function planCount(mode: CountMode, { key, text }: Selection): Cell | undefined {
  if (mode === 'none') return undefined
  if (mode === 'exact')
    return { key: `count ${key}`, text: (form) => `SELECT count(*) FROM ${text(form)}` }
  const limit = `LIMIT ${BOUNDED_COUNT_MAX + 1}`
  return {
    key: `bounded ${key}`,
    text: (form) => `SELECT count(*) FROM (SELECT 1 FROM ${text(form)} ${limit})`,
  }
}

/** Plans the cell that tells whether a row follows the page. */
export const planMore = ({ key, text }: Selection): Cell => ({
  key: `more ${key}`,
  text: (form) => `SELECT EXISTS (SELECT 1 FROM ${text(form)} LIMIT 1 OFFSET @_next)`,
})
