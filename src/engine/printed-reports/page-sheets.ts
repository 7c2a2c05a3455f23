/** Datasets of a report page as sheets, typed as its widgets show them. */
import { validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { WIDGET_KINDS } from '../../model/widget-kinds.ts'
import type { PageData, PageDataSet } from './page-data.ts'
import { findShown, type PageStyle, shownColumn } from './page-figures.ts'
import type { ReportSheet } from './printed-report.ts'
import type { SheetColumn } from '../sheets/format.ts'
import { RowPage, type SheetCell } from '../sheets/row-page.ts'

const ROWS_AT_ONCE = 500

/** A sheet for each dataset that the page reads, or for the one that is named. */
export function planPageSheets(data: PageData, style: PageStyle, name: string): ReportSheet[] {
  const all = [...data.dataSets].map(([key, dataSet]) => planSheet(data, style, key, dataSet))
  if (name === '') return all
  const sheet = all.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (!sheet) throw validation({ dataset: sayNames(all) })
  return [sheet]
}

/** @throws validation where none is named and there are several */
export function requireOneSheet(sheets: readonly ReportSheet[]): void {
  if (sheets.length !== 1) throw validation({ dataset: sayNames(sheets) })
}

const sayNames = (sheets: readonly ReportSheet[]) =>
  say`must be one of: ${sheets.map(({ name }) => name).join(', ')}`

function planSheet(
  data: PageData,
  style: PageStyle,
  name: string,
  dataSet: PageDataSet,
): ReportSheet {
  const columns = dataSet.Columns.map(({ Name }) => planColumn(data, style, name, Name))
  const { report, context } = data.use
  const widget = data.widgets.find(
    (each) => each.dataSet === name && WIDGET_KINDS[each.kind].listsRows,
  )
  const title = style.render((widget ?? { label: report.label }).label)
  return {
    name,
    plan: { title: widget ? title : name, columns, zone: style.zone, madeAt: context.now },
    rows: listPages(dataSet, columns, style),
    notice: dataSet.Error ?? dataSet.Truncated,
  }
}

/** The column as the first widget that shows it declares it. */
function planColumn(
  data: PageData,
  { render }: PageStyle,
  dataSet: string,
  name: string,
): SheetColumn {
  const column = findShown(data, dataSet, name)
  const shown = shownColumn(data, dataSet, column)
  return {
    name,
    label: render(column.label),
    type: shown.type,
    scale: shown.scale,
    format: shown.format,
    options: shown.options,
  }
}

async function* listPages(
  { Columns, Rows }: PageDataSet,
  columns: readonly SheetColumn[],
  { render }: PageStyle,
): AsyncGenerator<RowPage> {
  // People read the labels of options; programs take the values as JSON.
  const labels = columns.map(
    ({ options = [] }) => new Map(options.map(({ value, label }) => [value, render(label)])),
  )
  for (let at = 0; at < Rows.length; at += ROWS_AT_ONCE) {
    const rows = Rows.slice(at, at + ROWS_AT_ONCE).map((row) =>
      Columns.map(({ Name }, place) => {
        const cell = row[Name] ?? null
        const label = cell === null ? undefined : labels[place]?.get(cell)
        return label ?? toCell(cell, columns[place]?.type)
      }),
    )
    yield RowPage.of(rows)
  }
}

/**
 * Integers that a double does not hold stay texts. A Decimal comes with the 15 digits that SQLite
 * writes, which every double holds.
 */
export function toCell(cell: string | null, type: SheetColumn['type'] | undefined): SheetCell {
  if (cell === null || type === undefined) return cell
  const kind = FIELD_KINDS[type]
  if (kind.isFlag) return cell === 'true' || cell === '1'
  if (kind.number === undefined) return cell
  const number = Number(cell)
  const isExact = kind.number === 'scaled' ? Number.isFinite(number) : Number.isSafeInteger(number)
  return cell.trim() !== '' && isExact ? number : cell
}
