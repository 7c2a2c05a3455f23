/** A report page as a document: its figures, charts and texts by the layout, its tables below. */
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Store } from '../../store/store.ts'
import type { ReportCell } from '../../model/compiled/report.ts'
import type { ReportWidget } from '../../model/compiled/widget.ts'
import type { PrintBlock, PrintMessage } from '../pdf/document.ts'
import { planHead, textsOf } from './list-document.ts'
import type { PageData } from './page-data.ts'
import {
  composeChart,
  composeFigure,
  composeFilters,
  composeNotices,
  composeText,
  emptyText,
  type PageStyle,
} from './page-figures.ts'
import { composeWidgetTable } from './page-tables.ts'
import { composeEmbedded } from './page-views.ts'
import type { ReportContent, ReportReading } from './printed-report.ts'

/** The document of a page whose data are there. */
export function composePageDocument(
  store: Store,
  data: PageData,
  options: ReportReading,
): ReportContent {
  const { report, context, grant } = data.use
  if (!grant) throw new Error('A page is printed for whoever may List it')
  const { style: base, render } = textsOf({ grant })
  const style: PageStyle = { ...base, render }
  const title = render(report.label)
  const { companyName } = options
  const head = planHead(style, { title, companyName, now: context.now, isLandscape: false })
  return { kind: 'document', head, messages: composeMessages() }

  async function* composeMessages(): AsyncGenerator<PrintMessage> {
    const filters = composeFilters(data, style)
    const heading: PrintBlock = { kind: 'heading', level: 1, text: title }
    yield { do: 'blocks', blocks: filters ? [heading, filters] : [heading] }
    for (const row of listRows(data)) {
      const beside = row.filter(({ widget }) => !isTable(widget))
      const blocks = composeRow(data, beside, style)
      if (blocks.length > 0) yield { do: 'blocks', blocks }
      for (const { widget } of row.filter((cell) => isTable(cell.widget))) {
        const notices = composeNotices(data, widget)
        if (notices.length > 0) yield { do: 'blocks', blocks: notices }
        if (widget.kind === 'View') yield* composeEmbedded(store, data, widget, options)
        else yield* composeWidgetTable(data, widget, style)
      }
    }
    yield { do: 'end' }
  }
}

interface PlacedWidget {
  widget: ReportWidget
  span: number | undefined
}

const isTable = ({ kind }: ReportWidget): boolean =>
  kind === 'Table' || kind === 'Pivot' || kind === 'View'

/** Widgets that the caller sees, by the rows of the layout. */
function listRows({ use: { report }, widgets }: PageData): PlacedWidget[][] {
  if (report.layout.length === 0) return widgets.map((widget) => [{ widget, span: undefined }])
  const find = ({ widget: name, span }: ReportCell): PlacedWidget[] => {
    const widget = widgets.find((each) => each.name === name)
    return widget ? [{ widget, span }] : []
  }
  return report.layout.map((row) => row.flatMap(find)).filter((row) => row.length > 0)
}

const isFigure = ({ kind }: ReportWidget): boolean => kind === 'Kpi' || kind === 'Sparkline'

const TWELFTHS = 12

/** Figures share a band of their own; all other widgets are side by side. */
function composeRow(data: PageData, row: readonly PlacedWidget[], style: PageStyle): PrintBlock[] {
  const figures = row.filter(({ widget }) => isFigure(widget))
  const others = row.filter(({ widget }) => !isFigure(widget))
  const share = Math.max(1, Math.floor(TWELFTHS / Math.max(1, others.length)))
  const cells = others.map(({ widget, span }) => ({
    span: others.length === row.length ? (span ?? share) : share,
    blocks: [...composeNotices(data, widget), composeBlock(data, widget, style)],
  }))
  const [only] = cells
  const beside: PrintBlock[] =
    only && cells.length === 1 ? only.blocks : cells.length > 0 ? [{ kind: 'columns', cells }] : []
  if (figures.length === 0) return beside
  const notices = figures.flatMap(({ widget }) => composeNotices(data, widget))
  const band = figures.map(({ widget }) => composeFigure(data, widget, style))
  return [{ kind: 'figures', figures: band }, ...notices, ...beside]
}

function composeBlock(data: PageData, widget: ReportWidget, style: PageStyle): PrintBlock {
  if (widget.kind === 'Text') return composeText(data, widget, style)
  const chart = composeChart(data, widget, style)
  if (chart && chart.categories.length > 0) return { kind: 'chart', chart }
  const label = style.render(widget.label)
  const text = chart ? emptyText(style) : renderMessage(say`This is not printed`, style.language)
  return { kind: 'notice', text: `${label}: ${text}` }
}
