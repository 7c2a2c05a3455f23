/** Bars, lines and areas of a chart, within a plot. */
import { area, line } from 'd3-shape'
import { areaLook, fillLook, lineLook } from './chart-colours.ts'
import { type ChartPaper, rectanglePath } from './chart-parts.ts'
import { drawDot } from './legend.ts'
import { SERIES_MARKS } from './series-marks.ts'
import { drawnValue, type Extent, type ValueAxis } from './value-axis.ts'
import type { PrintChart, PrintSeries } from '../document.ts'

/** A series with the place of each of its values: from where to where it reaches on its axis. */
interface Spans {
  series: PrintSeries
  /** Its place among all series, which gives it its look. */
  at: number
  spans: readonly (Extent | null)[]
}

/**
 * The spans of all series: from 0 to the value; of stacked ones from where those before it end.
 * Values above 0 and values below it are stacked apart.
 */
export function planSpans({ series, isStacked }: PrintChart): Spans[] {
  const ends = new Map<string, { above: number; below: number }>()
  return series.map((each, at) => ({
    series: each,
    at,
    spans: each.values.map((given, point): Extent | null => {
      const value = drawnValue(given)
      if (value === null) return null
      if (!isStacked || !SERIES_MARKS[each.type].isPiled) return [0, value]
      const pile = ends.getOrInsertComputed(`${each.type} ${each.axis} ${point}`, () => ({
        above: 0,
        below: 0,
      }))
      const side = value < 0 ? 'below' : 'above'
      const from = pile[side]
      pile[side] += value
      return [from, pile[side]]
    }),
  }))
}

/** A plot: where categories and values have their places on the paper. */
interface Plot {
  left: number
  top: number
  /** The width of a category. */
  step: number
  axisOf: (series: PrintSeries) => ValueAxis
}

/** Draws surfaces first, then bars, then lines: nothing hides a line. */
export function drawMarks(paper: ChartPaper, plot: Plot, chart: PrintChart): void {
  const all = planSpans(chart)
  const areas = all.filter(({ series }) => SERIES_MARKS[series.type].hasSurface)
  for (const spans of chart.isStacked ? areas : areas.toSorted(byHeight))
    drawSurface(paper, plot, spans)
  drawBars(paper, plot, all, chart.isStacked)
  for (const spans of all) if (SERIES_MARKS[spans.series.type].hasLine) drawLine(paper, plot, spans)
}

/** Higher surfaces go behind lower ones. */
const byHeight = (a: Spans, b: Spans): number => heightOf(b) - heightOf(a)

const heightOf = ({ spans }: Spans): number =>
  spans.reduce((most, span) => Math.max(most, Math.abs(span?.[1] ?? 0)), 0)

interface Point {
  x: number
  from: number
  to: number
  isKnown: boolean
}

function planPoints({ left, top, step, axisOf }: Plot, { series, spans }: Spans): Point[] {
  const { place } = axisOf(series)
  return spans.map((span, at) => {
    const [from, to] = span ?? [0, 0]
    const x = left + (at + 0.5) * step
    return { x, from: top + place(from), to: top + place(to), isKnown: span !== null }
  })
}

const boxOf = (points: readonly Point[]) => {
  const ys = points.flatMap(({ from, to }) => [from, to])
  const [first, last] = [points[0]?.x ?? 0, points.at(-1)?.x ?? 0]
  const [low, high] = [Math.min(...ys), Math.max(...ys)]
  return { x: first, y: low, width: last - first, height: high - low }
}

function drawSurface(paper: ChartPaper, plot: Plot, spans: Spans): void {
  const points = planPoints(plot, spans)
  const d = area<Point>(
    ({ x }) => x,
    ({ from }) => from,
    ({ to }) => to,
  ).defined(({ isKnown }) => isKnown)(points)
  if (d) paper.shape(d, areaLook(spans.at), boxOf(points))
}

/** Points so near to each other are a line without dots. */
const DOT_DISTANCE = 9

function drawLine(paper: ChartPaper, plot: Plot, spans: Spans): void {
  const points = planPoints(plot, spans)
  const look = lineLook(spans.at)
  const d = line<Point>(
    ({ x }) => x,
    ({ to }) => to,
  ).defined(({ isKnown }) => isKnown)(points)
  if (d) paper.shape(d, look, boxOf(points))
  for (const [at, { x, to, isKnown }] of points.entries()) {
    const isAlone = !points[at - 1]?.isKnown && !points[at + 1]?.isKnown
    if (isKnown && (isAlone || plot.step >= DOT_DISTANCE)) drawDot(paper, { x, y: to }, look)
  }
}

/** The share of a category that bars leave free, and the least height of a bar that is not 0. */
const BAR_GAP = 0.25
const BAR_HEIGHT_MIN = 0.6
const BAR_WIDTH_MAX = 42
/** Narrower bars have no edges: these would be most of them. */
const EDGED_WIDTH_MIN = 3

/** Bars side by side; stacked ones of an axis in one place. */
function drawBars(paper: ChartPaper, plot: Plot, all: readonly Spans[], isStacked: boolean): void {
  const bars = all.filter(({ series }) => SERIES_MARKS[series.type].hasBars)
  const keys = bars.map(({ series, at }) => (isStacked ? series.axis : String(at)))
  const places = [...new Set(keys)]
  const whole = Math.min(plot.step * (1 - BAR_GAP), BAR_WIDTH_MAX * places.length)
  const width = whole / Math.max(1, places.length)
  for (const [number, spans] of bars.entries()) {
    const aside = places.indexOf(keys[number] ?? '') * width - whole / 2
    const boxes = planPoints(plot, spans).flatMap(({ x, from, to, isKnown }, at) => {
      const [low = 0, high = 0] = spans.spans[at] ?? []
      if (!isKnown || low === high) return []
      const height = Math.max(Math.abs(to - from), BAR_HEIGHT_MIN)
      return [{ x: x + aside, y: to < from ? from - height : from, width, height }]
    })
    if (boxes.length === 0) continue
    const right = Math.max(...boxes.map((box) => box.x)) + width
    const left = Math.min(...boxes.map(({ x }) => x))
    const top = Math.min(...boxes.map(({ y }) => y))
    const bottom = Math.max(...boxes.map(({ y, height }) => y + height))
    const box = { x: left, y: top, width: right - left, height: bottom - top }
    const look = fillLook(spans.at)
    const { stroke: _edge, ...edgeless } = look
    const d = boxes.map(rectanglePath).join('')
    paper.shape(d, width < EDGED_WIDTH_MIN ? edgeless : look, box)
  }
}
