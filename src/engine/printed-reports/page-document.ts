/** A report page as a document: its figures, charts and texts by the layout, its tables below. */
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Store } from '../../store/store.ts'
import type { ReportCell } from '../../model/compiled/report.ts'
import type { ReportWidget } from '../../model/compiled/widget.ts'
import type { WidgetKind } from '../../model/widget-kinds.ts'
import type { PrintBlock, PrintChart, PrintMessage } from '../pdf/document.ts'
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
  if (!grant) throw new Error('A page is printed only for callers with List')
  const { style: base, render } = textsOf({ grant })
  const style: PageStyle = { ...base, render }
  const title = render(report.label)
  const { companyName } = options
  const head = planHead(style, { title, companyName, now: context.now })
  return { kind: 'document', head, messages: composeMessages() }

  async function* composeMessages(): AsyncGenerator<PrintMessage> {
    const filters = composeFilters(data, style)
    const heading: PrintBlock = { kind: 'heading', level: 1, text: title }
    yield { do: 'blocks', blocks: filters ? [heading, filters] : [heading] }
    for (const row of listRows(data)) {
      const blocks = composeRow(data, row, style)
      if (blocks.length > 0) yield { do: 'blocks', blocks }
      for (const { widget } of row) {
        const drawing = DRAWINGS[widget.kind]
        if (drawing.place !== 'below') continue
        const notices = composeNotices(data, widget)
        if (notices.length > 0) yield { do: 'blocks', blocks: notices }
        yield* drawing.compose({ store, data, style, options }, widget)
      }
    }
    yield { do: 'end' }
  }
}

interface PlacedWidget {
  widget: ReportWidget
  span: number | undefined
}

interface PageUse {
  store: Store
  data: PageData
  style: PageStyle
  options: ReportReading
}

/** The place of a widget in its row of the layout, and what is drawn there. */
type Drawing =
  | { place: 'band'; isCourse: boolean }
  | {
      place: 'beside'
      compose: (data: PageData, widget: ReportWidget, style: PageStyle) => PrintBlock
    }
  | {
      place: 'below'
      compose: (
        use: PageUse,
        widget: ReportWidget,
      ) => Iterable<PrintMessage> | AsyncIterable<PrintMessage>
    }

const chart = (type: PrintChart['type']): Drawing => ({
  place: 'beside',
  compose: (data, widget, style) => composeChartBlock(data, widget, { style, type }),
})

const TABLE: Drawing = {
  place: 'below',
  compose: ({ data, style }, widget) => composeWidgetTable(data, widget, style),
}

const DRAWINGS: Readonly<Record<WidgetKind, Drawing>> = {
  Kpi: { place: 'band', isCourse: false },
  Sparkline: { place: 'band', isCourse: true },
  Bar: chart('bar'),
  Line: chart('line'),
  Area: chart('area'),
  Pie: chart('pie'),
  Text: { place: 'beside', compose: composeText },
  Table: TABLE,
  Pivot: TABLE,
  View: {
    place: 'below',
    compose: ({ store, data, options }, widget) => composeEmbedded(store, data, widget, options),
  },
}

/** Widgets that the caller sees, by the rows of the layout. */
function listRows({ use: { report }, widgets }: PageData): PlacedWidget[][] {
  if (report.layout.length === 0) return widgets.map((widget) => [{ widget, span: undefined }])
  const find = ({ widget: name, span }: ReportCell): PlacedWidget[] => {
    const widget = widgets.find((each) => each.name === name)
    return widget ? [{ widget, span }] : []
  }
  return report.layout.map((row) => row.flatMap(find)).filter((row) => row.length > 0)
}

const TWELFTHS = 12

/** Figures share a band of their own; all other widgets are side by side. */
function composeRow(data: PageData, row: readonly PlacedWidget[], style: PageStyle): PrintBlock[] {
  const drawn = row.map((cell) => ({ ...cell, drawing: DRAWINGS[cell.widget.kind] }))
  const figures = drawn.flatMap(({ widget, drawing }) =>
    drawing.place === 'band' ? [{ widget, isCourse: drawing.isCourse }] : [],
  )
  const others = drawn.flatMap(({ widget, span, drawing }) =>
    drawing.place === 'beside' ? [{ widget, span, compose: drawing.compose }] : [],
  )
  const isAlone = figures.length === 0
  const share = Math.max(1, Math.floor(TWELFTHS / Math.max(1, others.length)))
  const cells = others.map(({ widget, span, compose }) => ({
    span: isAlone ? (span ?? share) : share,
    blocks: [...composeNotices(data, widget), compose(data, widget, style)],
  }))
  const [only] = cells
  const beside: PrintBlock[] =
    only && cells.length === 1 ? only.blocks : cells.length > 0 ? [{ kind: 'columns', cells }] : []
  if (isAlone) return beside
  const notices = figures.flatMap(({ widget }) => composeNotices(data, widget))
  const band = figures.map(({ widget, isCourse }) =>
    composeFigure(data, widget, { style, isCourse }),
  )
  return [{ kind: 'figures', figures: band }, ...notices, ...beside]
}

function composeChartBlock(
  data: PageData,
  widget: ReportWidget,
  { style, type }: { style: PageStyle; type: PrintChart['type'] },
): PrintBlock {
  const chart = composeChart(data, widget, { style, type })
  if (chart && chart.categories.length > 0) return { kind: 'chart', chart }
  const label = style.render(widget.label)
  const text = chart
    ? emptyText(style)
    : renderMessage(say`This part cannot be printed`, style.language)
  return { kind: 'notice', text: `${label}: ${text}` }
}
