/** A pie with its legend: each slice by name, value and share. */
import { arc } from 'd3-shape'
import type { NameBounds } from './axes-chart.ts'
import { fillLook, lightnessOf } from './chart-colours.ts'
import { type ChartPaper, LINE_HEIGHT, type ShapeLook, shorten } from './chart-parts.ts'
import { drawSample, SAMPLE_WIDTH } from './legend.ts'
import { NumberTexts } from './number-texts.ts'
import { drawnValue } from './value-axis.ts'
import type { PrintChart, PrintSeries } from '../document.ts'

/** A legend is next to its pie from this width on, else below it. */
const ASIDE_FROM = 215
const RADIUS = { share: 0.19, min: 26, max: 74 } as const
const GAP = 14
const SLICE_EDGE = { stroke: '#ffffff', strokeWidth: 0.8 } as const
const EMPTY: ShapeLook = { stroke: '#7d828a', strokeWidth: 0.7 }
/** The place of a share in its slice, as a share of the radius. */
const SHARE_AT = 0.66
/** Lightness from which dark letters are read better than white ones. */
const LIGHT_FROM = 55

/** A slice, or what has none: a share only of values above 0. */
interface Slice {
  name: string
  value: number | null
  share: number | null
}

/** Draws the chart from the top of the paper; returns its height. */
export function drawPieChart(paper: ChartPaper, chart: PrintChart, bounds: NameBounds): number {
  const numbers = new NumberTexts(paper.language)
  const slices = planSlices(chart, numbers, bounds)
  const [series] = chart.series
  const radius = Math.min(Math.max(paper.width * RADIUS.share, RADIUS.min), RADIUS.max)
  const isBeside = paper.width >= ASIDE_FROM
  const left = isBeside ? 2 * radius + GAP : 0
  const entries = planEntries(paper, slices, { numbers, series, left })
  const legend = entries.reduce((sum, { height }) => sum + height, 0)
  const height = isBeside ? Math.max(2 * radius, legend) : 2 * radius + GAP + legend
  const middle = {
    x: isBeside ? radius : paper.width / 2,
    y: isBeside ? height / 2 : radius,
  }
  drawSlices(paper, slices, { ...middle, radius, numbers })
  let y = isBeside ? (height - legend) / 2 : 2 * radius + GAP
  for (const entry of entries) {
    entry.draw(y)
    y += entry.height
  }
  return height
}

/** The slices in the order of their data; of very many the smallest together at the end. */
function planSlices(
  { categories, series: [series], words }: PrintChart,
  numbers: NumberTexts,
  { letters, entries }: NameBounds,
): Slice[] {
  const values = categories.map((_, at) => drawnValue(series?.values[at]))
  const kept = new Set(
    values.length <= entries
      ? values.keys()
      : [...values.entries()]
          .toSorted(([, a], [, b]) => (b ?? 0) - (a ?? 0))
          .slice(0, entries - 1)
          .map(([at]) => at),
  )
  const rest = values.filter((_, at) => !kept.has(at))
  const slices = categories.flatMap((name, at) =>
    kept.has(at) ? [{ name: shorten(name, letters), value: values[at] ?? null }] : [],
  )
  if (rest.length > 0)
    slices.push({
      name: words.more.replace('{Count}', numbers.count(rest.length)),
      value: drawnValue(rest.reduce<number>((sum, value) => sum + (value ?? 0), 0)),
    })
  const most = Math.max(0, ...slices.map(({ value }) => value ?? 0))
  // Parts of the largest one: sums of huge values stay numbers.
  const parts = slices.map(({ value }) => (most > 0 && value !== null ? value / most : 0))
  const whole = parts.reduce((sum, part) => sum + Math.max(part, 0), 0)
  return slices.map((slice, at): Slice => {
    const part = parts[at] ?? 0
    return { ...slice, share: part > 0 ? part / whole : null }
  })
}

interface Disc {
  x: number
  y: number
  radius: number
  numbers: NumberTexts
}

function drawSlices(paper: ChartPaper, slices: readonly Slice[], disc: Disc): void {
  const { x, y, radius, numbers } = disc
  const path = arc<{ from: number; to: number }>()
    .innerRadius(0)
    .outerRadius(radius)
    .startAngle(({ from }) => from)
    .endAngle(({ to }) => to)
  if (slices.every(({ share }) => share === null)) {
    const d = path({ from: 0, to: 2 * Math.PI })
    if (d !== null) paper.shapeAt({ x, y }, d, EMPTY, radius)
    return
  }
  let from = 0
  for (const [at, { share }] of slices.entries()) {
    if (share === null) continue
    const to = from + share * 2 * Math.PI
    const d = path({ from, to })
    const look = fillLook(at)
    if (d !== null) paper.shapeAt({ x, y }, d, { ...look, ...SLICE_EDGE }, radius)
    if (look.hatch === undefined) drawShare(paper, numbers.share(share), { disc, from, to, look })
    from = to
  }
}

/** Writes a share into its slice where there is room. */
function drawShare(
  paper: ChartPaper,
  text: string,
  { disc, from, to, look }: { disc: Disc; from: number; to: number; look: ShapeLook },
): void {
  const [line] = paper.lines(text, Number.MAX_SAFE_INTEGER)
  const [angle, away] = [(from + to) / 2, disc.radius * SHARE_AT]
  const half = Math.min((to - from) / 2, Math.PI / 2)
  // The text lies in a circle that touches the edges of the slice and its rim.
  const room = 2 * Math.min(away * Math.sin(half), disc.radius - away + LINE_HEIGHT / 2)
  if (!line || Math.hypot(line.width, LINE_HEIGHT) > room) return
  const colour = lightnessOf(look.fill ?? '#ffffff') > LIGHT_FROM ? '#1a1c20' : '#ffffff'
  const x = disc.x + Math.sin(angle) * away * paper.turn
  paper.text(line, { x, y: disc.y - Math.cos(angle) * away, anchor: 'middle', colour })
}

/** A row of the legend. */
interface Entry {
  height: number
  draw: (top: number) => void
}

/** The room that names need at least beside their values. */
const NAME_MIN = 46
const COLUMN_GAP = 10
const ROW_GAP = 2
const NOTHING = '–'

interface EntryTexts {
  numbers: NumberTexts
  series: PrintSeries | undefined
  left: number
}

/** Rows with columns for values and shares; where there is no room, they follow the name. */
function planEntries(
  paper: ChartPaper,
  slices: readonly Slice[],
  { numbers, series, left }: EntryTexts,
): Entry[] {
  const { decimals = 0, unit = '' } = series ?? {}
  const rows = slices.map(({ name, value, share }) => ({
    name,
    value: value === null ? NOTHING : numbers.value(value, { decimals, unit }),
    share: share === null ? NOTHING : numbers.share(share),
  }))
  const widthOf = (texts: readonly string[]): number =>
    Math.max(0, ...texts.map((text) => paper.measure(text)))
  const [values, shares] = [rows.map(({ value }) => value), rows.map(({ share }) => share)]
  const [valueWidth, shareWidth] = [widthOf(values), widthOf(shares)]
  const room = paper.width - left - SAMPLE_WIDTH
  const free = room - valueWidth - shareWidth - 2 * COLUMN_GAP
  const hasColumns = free >= NAME_MIN
  // Values stand near their names, however wide the paper is.
  const names = Math.min(free, Math.max(widthOf(rows.map(({ name }) => name)), NAME_MIN))
  const valueEnd = left + SAMPLE_WIDTH + names + COLUMN_GAP + valueWidth
  return rows.map((row, at) => {
    const { name, value, share } = row
    const text = hasColumns ? name : `${name}: ${value} (${share})`
    const lines = paper.lines(text, hasColumns ? names : room)
    // The right edge of numbers is theirs in either direction: decimals stand below each other.
    const place = (text: string, column: { end: number; width: number }, y: number): void => {
      const at =
        paper.turn > 0
          ? ({ x: column.end, anchor: 'end' } as const)
          : ({ x: column.end - column.width, anchor: 'start' } as const)
      for (const line of paper.lines(text, Number.MAX_SAFE_INTEGER))
        paper.text(line, { ...at, y: y + LINE_HEIGHT / 2 })
    }
    return {
      height: lines.length * LINE_HEIGHT + ROW_GAP,
      draw: (y) => {
        drawSample(
          paper,
          { look: fillLook(at), isLine: false },
          { x: left, y: y + LINE_HEIGHT / 2 },
        )
        paper.paragraph(lines, { x: left + SAMPLE_WIDTH, y })
        if (!hasColumns) return
        place(value, { end: valueEnd, width: valueWidth }, y)
        place(share, { end: valueEnd + COLUMN_GAP + shareWidth, width: shareWidth }, y)
      },
    }
  })
}
