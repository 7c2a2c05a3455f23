/** Views that a report page embeds, each under its own permission. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { SqlReal } from '../../store/sql.ts'
import type { Store } from '../../store/store.ts'
import { parseWith } from '../../model/arguments.ts'
import type { ReportWidget } from '../../model/compiled/widget.ts'
import { Grant } from '../../access/rights/grant.ts'
import { findPreset } from '../object/read/table.ts'
import type { PrintMessage } from '../pdf/document.ts'
import { composeListTable, textsOf } from './list-document.ts'
import { type ListUse, planListRows, readPages } from './list-rows.ts'
import type { PageData } from './page-data.ts'
import type { ReportReading } from './printed-report.ts'

/**
 * The table of a view; nothing where the caller may not List and Export it. Where its preset names
 * a field that the caller does not get, a notice says so: all rows would not be those meant.
 */
export async function* composeEmbedded(
  store: Store,
  data: PageData,
  widget: ReportWidget,
  options: ReportReading,
): AsyncGenerator<PrintMessage> {
  const use = findEmbedded(data, widget)
  if (!use) return
  const { view, grant, request } = use
  if (request.Preset && !findPreset(view, grant, request.Preset)) {
    const { render, style } = textsOf(use)
    const text = renderMessage(say`This part cannot be printed`, style.language)
    const notice = { kind: 'notice', text: `${render(widget.label)}: ${text}` } as const
    yield { do: 'blocks', blocks: [notice] }
    return
  }
  const plan = planListRows(use)
  const pages = readPages(store, plan.rows, options)
  yield* composeListTable(use, plan, { title: widget.label, pages })
}

/** The view as the caller may take it; undefined where they may not. */
function findEmbedded(
  { use, arguments: filters }: PageData,
  { view: name, preset, with: given }: ReportWidget,
): ListUse | undefined {
  const { context, grant: own } = use
  const view = context.model.viewByKey.get((name ?? '').toLowerCase())
  const grant = view && own && Grant.find(own.caller, context.model, view.resource, 'List')
  if (!view || !grant?.may('Export')) return undefined
  const parameters = parseWith(given ?? '').flatMap(({ name: to, literal, column }) => {
    const filter = filters.get((column ?? '').toLowerCase()) ?? null
    const value = literal ?? (filter instanceof SqlReal ? filter.value : filter)
    return value === null ? [] : [[to, value] as const]
  })
  return {
    view,
    grant: grant.over(own?.allCompanies),
    context,
    request: {
      Parameters: Object.fromEntries(parameters),
      ...(preset !== undefined && { Preset: preset }),
    },
    fields: [],
    group: '',
    totals: [],
  }
}
