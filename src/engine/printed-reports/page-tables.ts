/** Tables and pivots of a report page as tables of a document. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { ReportWidget } from '../../model/compiled/widget.ts'
import { WIDGET_KINDS } from '../../model/widget-kinds.ts'
import type { PrintMessage, PrintRow, PrintTone } from '../pdf/document.ts'
import { type PageData, rowsOf } from './page-data.ts'
import { emptyText, type PageStyle, readCell, shownColumn } from './page-figures.ts'
import { isNumber, plainText, type ShownColumn } from './value-text.ts'
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
  const { columns, rows } = table(data, widget, style)
  yield {
    do: 'table',
    title: style.render(widget.label),
    columns: columns.map(({ label, isNumeric }) => ({ label, align: isNumeric ? 'end' : 'start' })),
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
  columns: readonly { label: string; isNumeric: boolean }[]
  rows: Iterable<PrintRow>
}

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
    columns: series.map((each, at) => ({
      label: headOf(style.render(each.label), style.render(each.unit)),
      isNumeric: shown[at] !== undefined && isNumber(shown[at]),
    })),
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
  return { kind: line.kind, cells: withWord(totalTexts(line.cells, parts), word, style) }
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

/** Names the sums, in the first column that has none. */
function withWord(
  cells: string[],
  word: Parameters<typeof renderMessage>[0],
  { language }: PageStyle,
): string[] {
  const at = cells.indexOf('')
  if (at >= 0) cells[at] = renderMessage(word, language)
  return cells
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
    side.map((group, at) => cellText(shownColumn(data, dataSet, group), key[at], style))
  const valuesOf = (cells: readonly ReportCellText[] | undefined): string[] =>
    series.map((_, at) => cellText(shown[at], cells?.[at] ?? null, style))
  const total = renderMessage(say`Total`, style.language)
  const heads = [...pivot.columns.map(({ key }) => keyText(along, key).join(' / '))]
  if (hasTotals) heads.push(total)
  const labels = heads.flatMap((head) =>
    series.map(({ label }) => (series.length > 1 ? `${head} ${style.render(label)}` : head)),
  )
  return {
    columns: [
      ...down.map(({ label }) => ({ label: style.render(label), isNumeric: false })),
      ...labels.map((label) => ({ label, isNumeric: true })),
    ],
    rows: listRows(),
  }

  function* listRows(): Generator<PrintRow> {
    for (const { key, cells, total: sums } of pivot.lines) {
      const values = pivot.columns.flatMap((_, at) => valuesOf(cells.get(at)))
      const ends = hasTotals ? valuesOf(sums) : []
      yield { kind: 'row', cells: [...keyText(down, key), ...values, ...ends] }
    }
    if (!hasTotals) return
    const heading = down.map((_, at) => (at === 0 ? total : ''))
    const sums = pivot.columns.flatMap((column) => valuesOf(column.total))
    yield { kind: 'total', cells: [...heading, ...sums, ...valuesOf(pivot.total)] }
  }
}
