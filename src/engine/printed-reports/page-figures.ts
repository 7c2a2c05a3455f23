/** Figures, charts and texts of a report page as blocks of a document. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { SqlReal } from '../../store/sql.ts'
import type { FieldFeatures } from '../../model/compiled/field-features.ts'
import type { ReportColumn, ReportWidget } from '../../model/compiled/widget.ts'
import { FIELD_KINDS, FIELD_TYPES } from '../../model/fields/kinds.ts'
import type { PrintBlock, PrintChart, PrintFigure } from '../pdf/document.ts'
import { firstCell, type PageData, rowsOf } from './page-data.ts'
import { plainText, type ShownColumn, textOfValue, type ValueStyle } from './value-text.ts'
import { compareFigures } from '../report-pages/tones.ts'

/** Style in which a page is written. */
export interface PageStyle extends ValueStyle {
  render: (text: Parameters<typeof renderMessage>[0] | undefined) => string
}

/** The column that values are shown by; where no one declares its type, the data does. */
export function shownColumn(
  { dataSets }: PageData,
  dataSet: string | undefined,
  column: ReportColumn,
): ShownColumn {
  const found = dataSets.get(dataSet ?? '')?.Columns.find(({ Name }) => Name === column.column)
  return { ...column, type: column.type ?? TYPES.get(found?.ClrType ?? '') ?? 'Text' }
}

/** Types by the ClrType of a result column; of kinds that share one, the first. */
const TYPES: ReadonlyMap<string, ShownColumn['type']> = new Map(
  FIELD_TYPES.map((type) => [FIELD_KINDS[type].clrType, type] as const).reverse(),
)

/** Composes a figure; of a course its last value, with the course beside it. */
export function composeFigure(
  data: PageData,
  widget: ReportWidget,
  { style, isCourse }: { style: PageStyle; isCourse: boolean },
): PrintFigure {
  const [series] = widget.series
  const label = style.render(widget.label)
  const sparkline = composeSparkline(data, widget, isCourse)
  if (!series) return { label, value: '', ...sparkline }
  const shown = shownColumn(data, widget.dataSet, series)
  const cell = isCourse
    ? (rowsOf(data, widget.dataSet).at(-1)?.[series.column] ?? null)
    : firstCell(data, widget.dataSet, series.column)
  return {
    label,
    value: textOfValue(shown, cell, style),
    ...composeComparison(data, widget, style),
    ...sparkline,
  }
}

function composeComparison(
  data: PageData,
  { comparison, dataSet, series: [series] }: ReportWidget,
  style: PageStyle,
): Pick<PrintFigure, 'comparison'> {
  if (!comparison || !series) return {}
  const other = firstCell(data, comparison.dataSet, comparison.column)
  const figure = firstCell(data, dataSet, series.column)
  const compared = compareFigures(figure, other, comparison.better)
  if (!compared) return {}
  const shown = shownColumn(data, comparison.dataSet, comparison)
  const { percent, trend } = compared
  const share = percent === null ? '' : ` (${signed(percent)}\u00a0%)`
  const text = `${style.render(comparison.label)}: ${textOfValue(shown, other, style)}${share}`
  return { comparison: { text, trend } }
}

const signed = (percent: string): string => (percent.startsWith('-') ? percent : `+${percent}`)

function composeSparkline(
  data: PageData,
  { dataSet, series, sparkline }: ReportWidget,
  isOwn: boolean,
): Pick<PrintFigure, 'sparkline'> {
  const column = isOwn ? series[0]?.column : sparkline?.column
  if (column === undefined) return {}
  const rows = rowsOf(data, isOwn ? dataSet : sparkline?.dataSet)
  return { sparkline: rows.map((row) => toNumber(row[column])) }
}

const toNumber = (cell: string | null | undefined): number | null => {
  const number = cell === null || cell === undefined || cell === '' ? NaN : Number(cell)
  return Number.isFinite(number) ? number : null
}

/** Composes a chart; undefined for one without a category. */
export function composeChart(
  data: PageData,
  { category, dataSet, series, label }: ReportWidget,
  { style, type }: { style: PageStyle; type: PrintChart['type'] },
): PrintChart | undefined {
  if (!category) return undefined
  const rows = rowsOf(data, dataSet)
  const shown = shownColumn(data, dataSet, category)
  const [first] = series
  return {
    type,
    title: style.render(label),
    categories: rows.map((row) => plainText(shown, row[category.column], style)),
    series: series.map((each) => ({
      label: style.render(each.label),
      values: rows.map((row) => toNumber(row[each.column])),
    })),
    unit: first ? style.render(first.unit) : '',
    decimals: 0,
  }
}

const NAMED = /\{([A-Za-z][A-Za-z0-9_]*)\}/g

/** `{Name}` is a column of the first row, else a filter. */
export function composeText(data: PageData, widget: ReportWidget, style: PageStyle): PrintBlock {
  const row = rowsOf(data, widget.dataSet)[0]
  const text = style.render(widget.text).replace(NAMED, (whole, name: string) => {
    const series = widget.series.find(({ column }) => column === name)
    if (row && name in row)
      return series
        ? textOfValue(shownColumn(data, widget.dataSet, series), row[name], style)
        : (row[name] ?? '')
    const filter = data.use.report.filters.find(
      (each) => each.name.toLowerCase() === name.toLowerCase(),
    )
    if (!filter) return whole
    return filterText(data, filter, style)
  })
  return { kind: 'text', text }
}

/** The value of a filter, as people read it. */
function filterText(data: PageData, filter: FieldFeatures, style: PageStyle): string {
  const value = data.arguments.get(filter.name.toLowerCase()) ?? null
  return textOfValue(filter, value instanceof SqlReal ? value.value : value, style)
}

/** The filters that the page was made by, as pairs. */
export function composeFilters(data: PageData, style: PageStyle): PrintBlock | undefined {
  const fields = data.use.report.filters.flatMap((filter) => {
    const text = filterText(data, filter, style)
    return text === '' ? [] : [{ label: style.render(filter.label), text }]
  })
  return fields.length > 0 ? { kind: 'fields', columns: 3, fields } : undefined
}

/** Why a widget shows less than it should, or nothing. */
export function composeNotices(data: PageData, { dataSet }: ReportWidget): PrintBlock[] {
  const found = dataSet === undefined ? undefined : data.dataSets.get(dataSet)
  return [found?.Error, found?.Truncated].flatMap((text) =>
    text === undefined ? [] : [{ kind: 'notice' as const, text }],
  )
}

/** A widget that has no rows says so. */
export const emptyText = (style: PageStyle): string => renderMessage(say`No rows`, style.language)
