/** Figures, charts and texts of a report page as blocks of a document. */
import { renderMessage, say } from '../../kernel/messages.ts'
import type { FieldFeatures } from '../../model/compiled/field-features.ts'
import type { ReportColumn, ReportWidget } from '../../model/compiled/widget.ts'
import { FIELD_KINDS, FIELD_TYPES } from '../../model/fields/kinds.ts'
import type { SeriesForm } from '../../model/widget-kinds.ts'
import type { PrintBlock, PrintChart, PrintFigure, PrintSeries } from '../pdf/document.ts'
import { firstCell, type PageData, plainValue, rowsOf } from './page-data.ts'
import {
  percentText,
  placesOf,
  plainText,
  type ShownColumn,
  textOfValue,
  type ValueStyle,
} from './value-text.ts'
import type { ReportCellText, ReportRow } from '../report-pages/aggregate.ts'
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

/**
 * A column of a dataset as the first widget that shows it declares it; else by its name, with the
 * options of the table's column that it is taken from.
 */
export function findShown(
  { widgets, use }: PageData,
  dataSet: string | undefined,
  name: string,
): ReportColumn {
  const declared = widgets
    .filter((widget) => widget.dataSet === dataSet)
    .flatMap(({ series, groups, category }) => [...series, ...groups, category ?? []].flat())
    .find(({ column }) => column === name)
  if (declared) return declared
  const sql = use.report.dataSets.find((each) => each.name === dataSet)?.sql
  const output = sql?.columns.find((each) => each.name === name)
  const entity = use.context.model.entityByTable.get(output?.table?.toLowerCase() ?? '')
  const origin = entity?.columnByName.get(output?.column?.toLowerCase() ?? '')
  return {
    column: name,
    label: name,
    type: undefined,
    scale: undefined,
    options: origin?.options ?? [],
    format: undefined,
    unit: undefined,
  }
}

/** A cell of a dataset as a value of its column: a Boolean comes as `true` or `1`. */
export const readCell = (
  { type, options }: ShownColumn,
  cell: ReportCellText | undefined,
): ReportCellText | boolean | undefined =>
  FIELD_KINDS[type].isFlag && options.length === 0 && cell !== null && cell !== undefined
    ? cell === 'true' || cell === '1'
    : cell

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
    value: textOfValue(shown, readCell(shown, cell), style),
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
  const share = percent === null ? '' : ` (${percentText(percent, style)})`
  const text = `${style.render(comparison.label)}: ${textOfValue(shown, other, style)}${share}`
  return { comparison: { text, trend } }
}

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
  { category, dataSet, series, label, isStacked }: ReportWidget,
  { style, type }: { style: PageStyle; type: PrintChart['type'] },
): PrintChart | undefined {
  if (!category) return undefined
  const rows = rowsOf(data, dataSet)
  const shown = shownColumn(data, dataSet, category)
  const nameOf = (row: ReportRow): string =>
    plainText(shown, readCell(shown, row[category.column]), style) || NAMELESS
  return {
    type,
    title: style.render(label),
    categories: rows.map(nameOf),
    series: series.map((each) => ({
      label: style.render(each.label),
      values: rows.map((row) => toNumber(row[each.column])),
      type: each.kind ? SERIES_TYPES[each.kind] : SERIES_BY_CHART[type],
      axis: each.axis === 'Secondary' ? 'secondary' : 'primary',
      unit: style.render(each.unit),
      decimals: placesOf(shownColumn(data, dataSet, each)),
    })),
    isStacked,
    words: { more: renderMessage(say`and ${'{Count}'} more`, style.language) },
  }
}

const SERIES_TYPES: Readonly<Record<SeriesForm, PrintSeries['type']>> = {
  Bar: 'bar',
  Line: 'line',
  Area: 'area',
}

/** The form of series that name none, by the chart; that of a pie is not drawn. */
const SERIES_BY_CHART: Readonly<Record<PrintChart['type'], PrintSeries['type']>> = {
  bar: 'bar',
  line: 'line',
  area: 'area',
  pie: 'bar',
}

/** The name of a category without a value. */
const NAMELESS = '–'

const NAMED = /\{([A-Za-z][A-Za-z0-9_]*)\}/g

/** `{Name}` is a column of the first row, else a filter. */
export function composeText(data: PageData, widget: ReportWidget, style: PageStyle): PrintBlock {
  const row = rowsOf(data, widget.dataSet)[0]
  const text = style.render(widget.text).replace(NAMED, (whole, name: string) => {
    if (row && name in row) {
      const own = widget.series.find(({ column }) => column === name)
      const column = own ?? findShown(data, widget.dataSet, name)
      const shown = shownColumn(data, widget.dataSet, column)
      return textOfValue(shown, readCell(shown, row[name]), style)
    }
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
  const key = filter.name.toLowerCase()
  const label = data.filterLabels.get(key)
  if (label !== undefined) return label
  const value = data.arguments.get(key) ?? null
  return textOfValue(filter, plainValue(value), style)
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
