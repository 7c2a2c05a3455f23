/** The Pivot widget, computed from the rows of its dataset. */
import type { ReportGroup, ReportSeries } from '../../model/compiled/widget.ts'
import { Aggregate, compareCells, type ReportCellText, type ReportRow } from './aggregate.ts'

/** A pivot's values and groups. */
interface PivotShape {
  series: readonly ReportSeries[]
  groups: readonly ReportGroup[]
}

/** A value of each group, outermost first. */
type PivotKey = readonly ReportCellText[]

/** Cells by the pivot's series. */
type PivotCells = readonly ReportCellText[]

/** A line of a pivot. */
interface PivotLine {
  key: PivotKey
  /** Cells by the index of the column; a column without a row of the dataset has none. */
  cells: ReadonlyMap<number, PivotCells>
  total: PivotCells
}

/** A pivot: totals are computed from the rows themselves, never from the cells. */
interface Pivot {
  columns: readonly { key: PivotKey; total: PivotCells }[]
  /** Lines in the order of the dataset. */
  lines: readonly PivotLine[]
  total: PivotCells
}

class Bucket {
  readonly #aggregates: readonly Aggregate[]
  readonly #columns: readonly string[]

  constructor(series: readonly ReportSeries[]) {
    this.#aggregates = series.map((each) => new Aggregate(each.function ?? 'sum', each.type))
    this.#columns = series.map(({ column }) => column)
  }

  add(row: ReportRow): void {
    for (const [at, aggregate] of this.#aggregates.entries())
      aggregate.add(row[this.#columns[at] ?? ''] ?? null)
  }

  get cells(): PivotCells {
    return this.#aggregates.map(({ result }) => result)
  }
}

interface Side {
  key: PivotKey
  bucket: Bucket
}

interface Line extends Side {
  cells: Map<Side, Bucket>
}

/**
 * Lines are in the order of the dataset. Columns are sorted: by the options of their group, else by
 * their values; without a value last.
 */
export function planPivot({ series, groups }: PivotShape, rows: readonly ReportRow[]): Pivot {
  const down = groups.filter(({ on }) => on === 'Rows')
  const along = groups.filter(({ on }) => on === 'Columns')
  const lines = new Map<string, Line>()
  const columns = new Map<string, Side>()
  const whole = new Bucket(series)
  const newSide = (key: PivotKey): Side => ({ key, bucket: new Bucket(series) })
  for (const row of rows) {
    const [lineKey, columnKey] = [keyOf(row, down), keyOf(row, along)]
    const line = lines.getOrInsertComputed(JSON.stringify(lineKey), () => ({
      ...newSide(lineKey),
      cells: new Map<Side, Bucket>(),
    }))
    const column = columns.getOrInsertComputed(JSON.stringify(columnKey), () => newSide(columnKey))
    const cell = line.cells.getOrInsertComputed(column, () => new Bucket(series))
    for (const bucket of [cell, line.bucket, column.bucket, whole]) bucket.add(row)
  }
  const sorted = [...columns.values()].sort((a, b) => compareKeys(a.key, b.key, along))
  const places = new Map(sorted.map((column, at) => [column, at]))
  return {
    columns: sorted.map(({ key, bucket }) => ({ key, total: bucket.cells })),
    lines: [...lines.values()].map(({ key, bucket, cells }) => ({
      key,
      cells: new Map([...cells].map(([column, each]) => [places.get(column) ?? 0, each.cells])),
      total: bucket.cells,
    })),
    total: whole.cells,
  }
}

const keyOf = (row: ReportRow, groups: readonly ReportGroup[]): PivotKey =>
  groups.map(({ column }) => row[column] ?? null)

function compareKeys(a: PivotKey, b: PivotKey, groups: readonly ReportGroup[]): number {
  for (const [at, group] of groups.entries()) {
    const order = compareValues(a[at] ?? null, b[at] ?? null, group)
    if (order !== 0) return order
  }
  return 0
}

function compareValues(a: ReportCellText, b: ReportCellText, { options }: ReportGroup): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const placeOf = (cell: string): number => {
    const at = options.findIndex(({ value }) => value === cell)
    return at < 0 ? options.length : at
  }
  return placeOf(a) - placeOf(b) || compareCells(a, b)
}
