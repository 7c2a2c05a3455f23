/** A chart of bars, lines and areas between axes. */
import {
  type CategoryAxis,
  type CategoryLabels,
  drawCategoryLabels,
  drawUnnamed,
  planCategoryLabels,
} from './category-labels.ts'
import { fillLook, lineLook } from './chart-colours.ts'
import { type ChartPaper, FAINT, LINE_HEIGHT, shorten } from './chart-parts.ts'
import { type Legend, planLegend } from './legend.ts'
import { drawMarks, planSpans } from './marks.ts'
import { isPercent, NumberTexts } from './number-texts.ts'
import { SERIES_MARKS } from './series-marks.ts'
import { type Extent, planValueAxes, type ValueAxis } from './value-axis.ts'
import type { PrintChart, PrintSeries } from '../document.ts'

/** The look of what stands around values. */
const GRID = { stroke: '#dcdfe3', strokeWidth: 0.5 }
const AXIS = { stroke: '#7d828a', strokeWidth: 0.7 }
/** Points between marks and the plot. */
const TICK_GAP = 4
/** Room for half a mark between a head and the plot. */
const HEAD_ROOM = 7
/** The widest that marks may be, as a share of the chart; wider ones are left out. */
const MARKS_MAX = 0.55
const PLOT_HEIGHT = { share: 0.42, min: 88, max: 172 } as const
const LEGEND_GAP = 5
/** Room for half a dot beside the plot. */
const MARGIN_MIN = 2

type AxisName = PrintSeries['axis']
const AXES: readonly AxisName[] = ['primary', 'secondary']

/** Bounds of names; narrower ones are tried where a chart would be higher than its page. */
export interface NameBounds {
  /** Characters of a name. */
  letters: number
  /** Entries of the legend of a pie. */
  entries: number
}

/** A side of the plot with its axis. */
interface Side {
  name: AxisName
  axis: ValueAxis
  /** The unit of its numbers, or the series that they are of. */
  head: string
  /** Points that its marks take. */
  width: number
}

/** Draws the chart from the top of the paper; returns its height. */
export function drawAxesChart(paper: ChartPaper, chart: PrintChart, bounds: NameBounds): number {
  const { width } = paper
  const { share, min, max } = PLOT_HEIGHT
  const height = Math.min(Math.max(width * share, min), max)
  const numbers = new NumberTexts(paper.language)
  const sides = planSides(paper, chart, { height, numbers, bounds })
  const marks = sides.reduce((sum, side) => sum + side.width, 0)
  const shown = marks > width * MARKS_MAX ? sides.map((side) => ({ ...side, width: 0 })) : sides
  const marginOf = (of: AxisName): number =>
    Math.max(shown.find(({ name }) => name === of)?.width ?? 0, MARGIN_MIN)
  const [left, right] = [marginOf('primary'), width - marginOf('secondary')]
  const top = drawHeads(paper, shown) + HEAD_ROOM
  const bottom = top + height
  const names = chart.categories.map((name) => shorten(name, bounds.letters))
  const axis: CategoryAxis = { left, step: (right - left) / Math.max(1, names.length), names }
  for (const side of shown) drawMarksOf(paper, side, { left, right, top })
  const axisOf = ({ axis: name }: PrintSeries): ValueAxis =>
    (shown.find((side) => side.name === name) ?? shown[0])?.axis ?? NO_AXIS
  drawMarks(paper, { left, top, step: axis.step, axisOf }, chart)
  const zero = top + (shown[0]?.axis.place(0) ?? height)
  paper.rule([left, zero], [right, zero], AXIS)
  const labels = planCategoryLabels(paper, axis)
  drawCategoryLabels(paper, axis, labels, bottom)
  const below = drawRest(paper, chart, { labels, numbers, top: bottom + labels.height })
  const legend = planSeriesLegend(paper, chart, bounds)
  if (!legend) return below
  legend.draw(below + LEGEND_GAP)
  return below + LEGEND_GAP + legend.height
}

const [NO_AXIS] = planValueAxes(
  [{ extent: [0, 1], isWhole: false, unit: '' }],
  1,
  new NumberTexts('en'),
) as [ValueAxis]

/** The axes that have series, with the widths of their marks. */
function planSides(
  paper: ChartPaper,
  chart: PrintChart,
  { height, numbers, bounds }: { height: number; numbers: NumberTexts; bounds: NameBounds },
): Side[] {
  const used = AXES.filter((name) => chart.series.some(({ axis }) => axis === name))
  const spans = planSpans(chart)
  const orders = used.map((name) => {
    const own = spans.filter(({ series }) => series.axis === name)
    const ends = own.flatMap((each) => each.spans.flatMap((span) => span ?? []))
    const extent = ends.reduce<Extent>(
      ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
      [0, 0],
    )
    return { extent, isWhole: ends.every(Number.isInteger), unit: unitOf(chart, name) }
  })
  return planValueAxes(orders, height, numbers).map((axis, at) => {
    const name = used[at] ?? 'primary'
    const widths = axis.ticks.map(({ text }) => paper.measure(text))
    const head = shorten(headOf(chart, name, used.length > 1), bounds.letters)
    return { name, axis, head, width: Math.max(0, ...widths) + TICK_GAP }
  })
}

/** The units of an axis, each once. */
const unitOf = ({ series }: PrintChart, name: AxisName): string =>
  [
    ...new Set(series.flatMap(({ axis, unit }) => (axis === name && unit !== '' ? [unit] : []))),
  ].join(', ')

/** The head of an axis: its unit, and its series where there is another axis. */
function headOf(chart: PrintChart, name: AxisName, isNamed: boolean): string {
  const own = chart.series.filter(({ axis }) => axis === name)
  const unit = unitOf(chart, name)
  const shown = isPercent(unit) ? '' : unit
  const [only] = own
  if (!isNamed || !only || own.length > 1) return shown
  return shown === '' ? only.label : `${only.label} (${shown})`
}

/** Draws the heads of the axes above the plot; returns their height. */
function drawHeads(paper: ChartPaper, sides: readonly Side[]): number {
  const heads = sides.filter(({ head }) => head !== '')
  const room = heads.length > 1 ? paper.width / 2 - 6 : paper.width
  let most = 0
  for (const { name, head } of heads) {
    const lines = paper.lines(head, room)
    const place =
      name === 'primary'
        ? ({ x: 0, anchor: 'start' } as const)
        : ({ x: paper.width, anchor: 'end' } as const)
    paper.paragraph(lines, { ...place, y: 0, colour: FAINT })
    most = Math.max(most, lines.length * LINE_HEIGHT)
  }
  return most
}

/** Draws the marks of an axis; those of the first one go through the plot. */
function drawMarksOf(
  paper: ChartPaper,
  { name, axis, width }: Side,
  { left, right, top }: { left: number; right: number; top: number },
): void {
  const isPrimary = name === 'primary'
  for (const { value, text } of axis.ticks) {
    const y = top + axis.place(value)
    if (isPrimary) paper.rule([left, y], [right, y], GRID)
    if (width === 0) continue
    const place = isPrimary
      ? ({ x: left - TICK_GAP, anchor: 'end' } as const)
      : ({ x: right + TICK_GAP, anchor: 'start' } as const)
    for (const line of paper.lines(text, Number.MAX_SAFE_INTEGER))
      paper.text(line, { ...place, y, colour: FAINT })
  }
}

/** Draws how many names are left out, if any; returns where it ends. */
function drawRest(
  paper: ChartPaper,
  { words }: PrintChart,
  { labels, numbers, top }: { labels: CategoryLabels; numbers: NumberTexts; top: number },
): number {
  if (labels.unnamed === 0) return top
  const text = words.more.replace('{Count}', numbers.count(labels.unnamed))
  return top + drawUnnamed(paper, text, top)
}

/** The legend of several series. */
function planSeriesLegend(
  paper: ChartPaper,
  { series }: PrintChart,
  bounds: NameBounds,
): Legend | undefined {
  if (series.length < 2) return undefined
  const entries = series.map(({ label, type }, at) => ({
    label: shorten(label, bounds.letters),
    sample: SERIES_MARKS[type].hasLine
      ? { look: lineLook(at), isLine: true }
      : { look: fillLook(at), isLine: false },
  }))
  return planLegend(paper, entries)
}
