/** Names along an axis: flat, slanted, upright, or every so many of them; never over each other. */
import { type ChartPaper, FAINT, LINE_HEIGHT } from './chart-parts.ts'
import type { Line } from '../lines.ts'

/** The axis that names stand below. */
export interface CategoryAxis {
  /** Where its first category begins, and how wide each is. */
  left: number
  step: number
  names: readonly string[]
}

/** Names in their places. */
export interface CategoryLabels {
  angle: 0 | -45 | -90
  named: readonly { at: number; lines: readonly Line[] }[]
  /** Points that they take below the plot. */
  height: number
  /** Categories without a name. */
  unnamed: number
}

/** Points between a plot and its names, and between two names. */
const GAP = 4
const FLAT_LINES_MAX = 4
/** The longest that turned names may be, in points. */
const TURNED_MAX = 92
const SLANTED_MAX = 84
const SLANT = Math.SQRT1_2

/** Plans the names, as many of them as can be read. */
export function planCategoryLabels(paper: ChartPaper, axis: CategoryAxis): CategoryLabels {
  const { names, step } = axis
  const whole =
    planFlat(paper, axis, 1, FLAT_LINES_MAX) ??
    planSlanted(paper, axis) ??
    planUpright(paper, axis, 1)
  if (whole) return whole
  const first = Math.max(2, Math.floor(LINE_HEIGHT / step))
  for (let every = first; every <= names.length; every++) {
    const thinned = planFlat(paper, axis, every, 1) ?? planUpright(paper, axis, every)
    if (thinned) return thinned
  }
  return { angle: 0, named: [], height: GAP, unnamed: names.length }
}

const centreOf = ({ left, step }: CategoryAxis, at: number): number => left + (at + 0.5) * step

/** Every so many categories, the first one among them. */
function* everyName({ names }: CategoryAxis, every: number): Generator<[at: number, name: string]> {
  for (let at = 0; at < names.length; at += every) yield [at, names[at] ?? '']
}

const countUnnamed = ({ names }: CategoryAxis, named: readonly unknown[]): number =>
  names.length - named.length

const isWithin = ({ width }: ChartPaper, centre: number, half: number): boolean =>
  centre - half >= 0 && centre + half <= width

/** Names beside each other, each on a few lines that break no word. */
function planFlat(
  paper: ChartPaper,
  axis: CategoryAxis,
  every: number,
  linesMax: number,
): CategoryLabels | undefined {
  const room = axis.step * every - GAP
  const named: { at: number; lines: readonly Line[] }[] = []
  for (const [at, name] of everyName(axis, every)) {
    if (name.length * 2 > room * linesMax) return undefined
    const lines = paper.lines(name, room)
    if (lines.length > linesMax || breaksWord(paper, name, room)) return undefined
    const half = Math.max(...lines.map(({ width }) => width)) / 2
    if (!isWithin(paper, centreOf(axis, at), half)) return undefined
    named.push({ at, lines })
  }
  const most = Math.max(1, ...named.map(({ lines }) => lines.length))
  const height = GAP + most * LINE_HEIGHT
  return { angle: 0, named, height, unnamed: countUnnamed(axis, named) }
}

const breaksWord = (paper: ChartPaper, name: string, room: number): boolean =>
  name.split(/\s+/).some((word) => paper.measure(word) > room)

/** Names that rise to their categories, each on one line. */
function planSlanted(paper: ChartPaper, axis: CategoryAxis): CategoryLabels | undefined {
  if (axis.step * SLANT < LINE_HEIGHT) return undefined
  const named: { at: number; lines: readonly Line[] }[] = []
  let longest = 0
  for (const [at, name] of everyName(axis, 1)) {
    const lines = paper.lines(name, Number.MAX_SAFE_INTEGER)
    const length = Math.max(...lines.map(({ width }) => width))
    if (lines.length > 1 || length > SLANTED_MAX) return undefined
    if (centreOf(axis, at) - (length + LINE_HEIGHT / 2) * SLANT < 0) return undefined
    longest = Math.max(longest, length)
    named.push({ at, lines })
  }
  const height = GAP + (longest + LINE_HEIGHT) * SLANT
  return { angle: -45, named, height, unnamed: 0 }
}

/** Names that are read from below, on as many lines as have room beside each other. */
function planUpright(
  paper: ChartPaper,
  axis: CategoryAxis,
  every: number,
): CategoryLabels | undefined {
  const room = axis.step * every
  const linesMax = Math.floor(room / LINE_HEIGHT)
  if (linesMax < 1) return undefined
  const named: { at: number; lines: readonly Line[] }[] = []
  let longest = 0
  for (const [at, name] of everyName(axis, every)) {
    const lines = paper.lines(name, TURNED_MAX)
    const half = (lines.length * LINE_HEIGHT) / 2
    if (lines.length > linesMax || !isWithin(paper, centreOf(axis, at), half)) return undefined
    longest = Math.max(longest, ...lines.map(({ width }) => width))
    named.push({ at, lines })
  }
  return { angle: -90, named, height: GAP + longest, unnamed: countUnnamed(axis, named) }
}

/** Draws the names below a plot that ends at `top`. */
export function drawCategoryLabels(
  paper: ChartPaper,
  axis: CategoryAxis,
  { angle, named }: CategoryLabels,
  top: number,
): void {
  for (const { at, lines } of named) {
    const x = centreOf(axis, at)
    if (angle === 0) paper.paragraph(lines, { x, y: top + GAP, anchor: 'middle' })
    else if (angle === -45) {
      // Half of the height of the letters lies on each side of the line that ends here.
      const y = top + GAP + (LINE_HEIGHT / 2) * SLANT
      for (const line of lines) paper.text(line, { x, y, angle, anchor: 'end' })
    } else
      for (const [number, line] of lines.entries()) {
        const aside = (number - (lines.length - 1) / 2) * LINE_HEIGHT
        paper.text(line, { x: x + aside, y: top + GAP, angle, anchor: 'end' })
      }
  }
}

/** Draws how many categories have no name, at the end of the axis. */
export function drawUnnamed(paper: ChartPaper, text: string, top: number): number {
  const lines = paper.lines(text, paper.width)
  paper.paragraph(lines, { x: paper.width, y: top + GAP, anchor: 'end', colour: FAINT })
  return GAP + lines.length * LINE_HEIGHT
}
