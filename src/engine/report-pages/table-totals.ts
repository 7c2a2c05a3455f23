/** Rows of a Table widget with its groups, subtotals and totals, from the rows of its dataset. */
import type { ReportGroup, ReportSeries } from '../../model/compiled/widget.ts'
import { Aggregate, type ReportCellText, type ReportRow } from './aggregate.ts'

/** A table's columns and groups. */
interface TableShape {
  series: readonly ReportSeries[]
  /** Groups, outermost first. */
  groups: readonly ReportGroup[]
}

/** A line of a table; `level` counts groups from the outermost, 0. */
export type TableLine =
  | { kind: 'row'; row: ReportRow }
  /** The head of a group; the cells of `row` are those of its first row. */
  | { kind: 'group'; level: number; group: ReportGroup; value: ReportCellText; row: ReportRow }
  /** `cells` are in the order of the table's series: null where a series has no function. */
  | { kind: 'subtotal'; level: number; group: ReportGroup; value: ReportCellText; cells: Totals }
  | { kind: 'total'; cells: Totals }

/** Cells by the table's series. */
type Totals = readonly ReportCellText[]

type Aggregates = readonly (Aggregate | undefined)[]

interface GroupNode {
  value: ReportCellText
  rows: ReportRow[]
  children: ReadonlyMap<ReportCellText, GroupNode>
}

/**
 * Lists the lines in order: rows of a group stay together, groups and rows otherwise as they came.
 * Subtotals and the total appear where a series has a function; sums are exact.
 */
export function* listTableLines(
  { series, groups }: TableShape,
  rows: readonly ReportRow[],
): Generator<TableLine> {
  const totals = newAggregates(series)
  if (groups.length === 0) yield* listRows(rows, series, [totals])
  else
    for (const node of groupRows(rows, groups).values())
      yield* listGroup(node, { series, groups }, [totals])
  if (hasTotals(series)) yield { kind: 'total', cells: resultsOf(totals) }
}

function* listGroup(
  node: GroupNode,
  { series, groups }: TableShape,
  above: readonly Aggregates[],
): Generator<TableLine> {
  const level = above.length - 1
  const group = groups[level]
  if (!group) return
  const own = newAggregates(series)
  const { value } = node
  yield { kind: 'group', level, group, value, row: firstOf(node) }
  if (node.children.size === 0) yield* listRows(node.rows, series, [...above, own])
  for (const child of node.children.values())
    yield* listGroup(child, { series, groups }, [...above, own])
  if (hasTotals(series)) yield { kind: 'subtotal', level, group, value, cells: resultsOf(own) }
}

function* listRows(
  rows: readonly ReportRow[],
  series: readonly ReportSeries[],
  into: readonly Aggregates[],
): Generator<TableLine> {
  for (const row of rows) {
    for (const aggregates of into)
      for (const [at, aggregate] of aggregates.entries())
        aggregate?.add(row[series[at]?.column ?? ''] ?? null)
    yield { kind: 'row', row }
  }
}

/** A group by its value; the innermost ones have the rows. */
function groupRows(
  rows: readonly ReportRow[],
  groups: readonly ReportGroup[],
): ReadonlyMap<ReportCellText, GroupNode> {
  const [group, ...inner] = groups
  const found = new Map<ReportCellText, GroupNode>()
  if (!group) return found
  for (const row of rows) {
    const value = row[group.column] ?? null
    const known = found.get(value)
    if (known) known.rows.push(row)
    else found.set(value, { value, rows: [row], children: new Map() })
  }
  if (inner.length > 0)
    for (const node of found.values()) {
      node.children = groupRows(node.rows, inner)
      node.rows = node.rows.slice(0, 1)
    }
  return found
}

const firstOf = ({ rows }: GroupNode): ReportRow => rows[0] ?? {}

const hasTotals = (series: readonly ReportSeries[]): boolean =>
  series.some((each) => each.function !== undefined)

const newAggregates = (series: readonly ReportSeries[]): Aggregates =>
  series.map((each) => each.function && new Aggregate(each.function, each.type))

const resultsOf = (aggregates: Aggregates): Totals =>
  aggregates.map((aggregate) => aggregate?.result ?? null)
