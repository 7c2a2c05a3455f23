/** Tables and pivots of a report page as tables of a document. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { ReportWidget } from '../../model/compiled/widget.ts'
import { WIDGET_KINDS } from '../../model/widget-kinds.ts'
import type { PrintColumn, PrintMessage, PrintRow, PrintTone } from '../pdf/document.ts'
import { type PageData, rowsOf } from './page-data.ts'
import { emptyText, type PageStyle, readCell, shownColumn } from './page-figures.ts'
import { isNumber, isWhole, plainText, type ShownColumn } from './value-text.ts'
import type { ReportCellText } from '../report-pages/aggregate.ts'
import { planPivot } from '../report-pages/pivot.ts'
import { listTableLines, type TableLine } from '../report-pages/table-totals.ts'
import { type FindTone, planTones } from '../report-pages/tones.ts'

/** Rows that are sent at once. */
const ROWS_AT_ONCE = 200

/** Composes the rows of a widget, or the aggregates of its groups. */
export function* composeWidgetTable(
  data: PageData,
  widget: ReportWidget,
  style: PageStyle,
): Generator<PrintMessage> {
  const { isAggregated, listsRows } = WIDGET_KINDS[widget.kind]
  const table = isAggregated ? planPivotTable : planRowTable
  const { columns, keys, rows } = table(data, widget, style)
  yield {
    do: 'table',
    title: style.render(widget.label),
    columns,
    ...(keys !== undefined && { keys }),
    breaksGroups: widget.groups[0]?.breaksPage === true && listsRows,
  }
  let portion: PrintRow[] = []
  for (const row of rows) {
    if (portion.push(row) < ROWS_AT_ONCE) continue
    yield { do: 'rows', rows: portion }
    portion = []
  }
  if (portion.length > 0) yield { do: 'rows', rows: portion }
  yield { do: 'tableEnd', emptyText: emptyText(style) }
}

interface PlannedTable {
  columns: readonly PrintColumn[]
  /** Columns at the start that name a row. */
  keys?: number
  rows: Iterable<PrintRow>
}

const planColumn = (label: string, shown: ShownColumn | undefined): PrintColumn => ({
  label,
  align: shown && isNumber(shown) ? 'end' : 'start',
  ...(shown && isWhole(shown) && { isWhole: true }),
})

/** A label with its unit; only the head shows the unit. */
const headOf = (label: string, unit: string): string => (unit === '' ? label : `${label} (${unit})`)

function planRowTable(data: PageData, widget: ReportWidget, style: PageStyle): PlannedTable {
  const { series, groups, formats, dataSet } = widget
  const shown = series.map((each) => shownColumn(data, dataSet, each))
  const { context } = data.use
  const today = dayIn(context.now, style.zone)
  const toneOf = planTones(formats, { zone: style.zone, today })
  const lines = listTableLines({ series, groups }, rowsOf(data, dataSet))
  return {
    columns: series.map((each, at) =>
      planColumn(headOf(style.render(each.label), style.render(each.unit)), shown[at]),
    ),
    rows: listRows(),
  }

  function* listRows(): Generator<PrintRow> {
    for (const line of lines) yield composeLine(line, { data, widget, shown, style, toneOf })
  }
}

interface LineParts {
  data: PageData
  widget: ReportWidget
  shown: readonly ShownColumn[]
  style: PageStyle
  toneOf: FindTone
}

function composeLine(line: TableLine, parts: LineParts): PrintRow {
  const { data, widget, shown, style, toneOf } = parts
  const { series, dataSet } = widget
  if (line.kind === 'row')
    return {
      kind: 'row',
      cells: series.map(({ column }, at) => cellText(shown[at], line.row[column], style)),
      tones: series.map(({ column }): PrintTone => toneOf(column, line.row) ?? 'plain'),
    }
  if (line.kind === 'group') {
    const group = shownColumn(data, dataSet, line.group)
    const value = cellText(group, line.value, style)
    return { kind: 'group', cells: [`${style.render(line.group.label)}: ${value}`] }
  }
  const word = line.kind === 'total' ? say`Total` : say`Subtotal`
  const label = renderMessage(word, style.language)
  return { kind: line.kind, label, cells: totalTexts(line.cells, parts) }
}

/** Texts of the totals; counts are formatted as numbers. */
const totalTexts = (
  cells: readonly ReportCellText[],
  { widget: { series }, shown, style }: LineParts,
): string[] =>
  cells.map((cell, at) => {
    const column = series[at]?.function === 'count' ? COUNT : shown[at]
    return cell === null ? '' : cellText(column && { ...column, options: [] }, cell, style)
  })

const COUNT: ShownColumn = {
  type: 'Integer',
  options: [],
  scale: undefined,
  format: undefined,
  unit: undefined,
}

function cellText(
  column: ShownColumn | undefined,
  cell: ReportCellText | undefined,
  style: PageStyle,
): string {
  if (!column || cell === null || cell === undefined) return cell ?? ''
  return plainText(column, readCell(column, cell), style)
}

function planPivotTable(data: PageData, widget: ReportWidget, style: PageStyle): PlannedTable {
  const { series, groups, dataSet, hasTotals } = widget
  const pivot = planPivot({ series, groups }, rowsOf(data, dataSet))
  const down = groups.filter(({ on }) => on === 'Rows')
  const along = groups.filter(({ on }) => on === 'Columns')
  const shown = series.map((each) =>
    each.function === 'count' ? COUNT : shownColumn(data, dataSet, each),
  )
  const keyText = (side: typeof groups, key: readonly ReportCellText[]): string[] =>
    side.map((group, at) => {
      const column = shownColumn(data, dataSet, group)
      const text = cellText(column, key[at], style)
      return column && isWhole(column) ? text.replaceAll(' ', '\u00a0') : text
    })
  const valuesOf = (cells: readonly ReportCellText[] | undefined): string[] =>
    series.map((_, at) => cellText(shown[at], cells?.[at] ?? null, style))
  const total = renderMessage(say`Total`, style.language)
  const heads = [...pivot.columns.map(({ key }) => keyText(along, key).join(' / '))]
  if (hasTotals) heads.push(total)
  const values = heads.flatMap((head) =>
    series.map(({ label }, at) => ({
      ...planColumn(series.length > 1 ? `${head} ${style.render(label)}` : head, shown[at]),
      align: 'end' as const,
    })),
  )
  return {
    columns: [
      ...down.map((group) =>
        planColumn(style.render(group.label), shownColumn(data, dataSet, group)),
      ),
      ...values,
    ],
    keys: down.length,
    rows: listRows(),
  }

  function* listRows(): Generator<PrintRow> {
    for (const { key, cells, total: sums } of pivot.lines) {
      const own = pivot.columns.flatMap((_, at) => valuesOf(cells.get(at)))
      const ends = hasTotals ? valuesOf(sums) : []
      yield { kind: 'row', cells: [...keyText(down, key), ...own, ...ends] }
    }
    if (!hasTotals) return
    const sums = pivot.columns.flatMap((column) => valuesOf(column.total))
    const cells = [...down.map(() => ''), ...sums, ...valuesOf(pivot.total)]
    yield { kind: 'total', label: total, cells }
  }
}
