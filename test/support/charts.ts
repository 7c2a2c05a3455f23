/** Charts of documents in tests: planned with the real fonts, and what is wrong with a layout. */
import type { ChartPart } from '../../src/engine/pdf/chart/chart-parts.ts'
import { planChart, type PlannedChart } from '../../src/engine/pdf/chart/plan-chart.ts'
import type { PrintChart, PrintSeries } from '../../src/engine/pdf/document.ts'
import { loadFaces } from '../../src/engine/pdf/faces.ts'

const faces = await loadFaces([])

/** Paper that a chart is planned on. */
export interface Paper {
  width: number
  heightMax: number
  language: string
  isRightToLeft: boolean
}

const PAPER: Paper = { width: 300, heightMax: 700, language: 'en', isRightToLeft: false }

export function plan(chart: PrintChart, paper: Partial<Paper> = {}): PlannedChart {
  const { width, heightMax, language, isRightToLeft } = { ...PAPER, ...paper }
  const style = (size: number) => ({ faces: faces.regular, size, isRightToLeft })
  return planChart(chart, { width, heightMax }, { style, language, isRightToLeft })
}

export const seriesOf = (
  values: readonly (number | null)[],
  more: Partial<PrintSeries> = {},
): PrintSeries => ({
  label: 'Sold',
  values,
  type: 'bar',
  axis: 'primary',
  unit: '',
  decimals: 0,
  ...more,
})

export const chartOf = (
  categories: readonly string[],
  series: readonly PrintSeries[],
  more: Partial<PrintChart> = {},
): PrintChart => ({
  type: 'bar',
  title: 'A chart',
  categories,
  series,
  isStacked: false,
  words: { more: 'and {Count} more' },
  ...more,
})

type TextPart = Extract<ChartPart, { kind: 'text' }>
export type PathPart = Extract<ChartPart, { kind: 'path' }>

export const textsOf = ({ parts }: PlannedChart): TextPart[] =>
  parts.filter(({ kind }) => kind === 'text') as TextPart[]
export const pathsOf = ({ parts }: PlannedChart): PathPart[] =>
  parts.filter(({ kind }) => kind === 'path') as PathPart[]
export const wordsOf = (planned: PlannedChart): string[] =>
  textsOf(planned).map(({ line }) => line.text)

type Point = readonly [x: number, y: number]

const apply = ([a, b, c, d, e, f]: ChartPart['matrix'], [x, y]: Point): Point => [
  a * x + c * y + e,
  b * x + d * y + f,
]

/** The corners of the letters of a line, or of the box of a shape. */
function cornersOf(part: ChartPart): Point[] {
  const { x, y, width, height } =
    part.kind === 'path'
      ? part.box
      : { x: 0, y: -part.size * 0.72, width: part.line.width, height: part.size * 0.94 }
  const corners: Point[] = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ]
  return corners.map((corner) => apply(part.matrix, corner))
}

/** Two turned rectangles overlap where no side of either parts them. */
function overlap(a: readonly Point[], b: readonly Point[]): boolean {
  const sides = [a, b].flatMap(([first, second, , last]) =>
    first && second && last
      ? [
          [second[0] - first[0], second[1] - first[1]] as const,
          [last[0] - first[0], last[1] - first[1]] as const,
        ]
      : [],
  )
  return sides.every(([dx, dy]) => {
    const length = Math.hypot(dx, dy)
    if (length === 0) return true
    const spread = (corners: readonly Point[]): [number, number] => {
      const along = corners.map(([x, y]) => (x * dx + y * dy) / length)
      return [Math.min(...along), Math.max(...along)]
    }
    const [[low, high], [other, end]] = [spread(a), spread(b)]
    return low < end - 0.3 && other < high - 0.3
  })
}

/** Lists the faults of a layout; a good one has none. */
export function faultsOf(planned: PlannedChart, { width, heightMax }: Paper): string[] {
  const faults: string[] = []
  if (!(planned.height > 0 && planned.height <= heightMax)) faults.push(`height ${planned.height}`)
  for (const part of planned.parts) {
    const isSound = part.matrix.every(Number.isFinite)
    if (!isSound || (part.kind === 'path' && /NaN|Infinity|e[+-]/.test(part.d)))
      faults.push(`${part.kind} has no place`)
    const out = cornersOf(part).find(
      ([x, y]) => !(x >= -1 && x <= width + 1 && y >= -1 && y <= planned.height + 1),
    )
    const name = part.kind === 'text' ? `"${part.line.text}"` : part.d.slice(0, 40)
    if (out) faults.push(`${name} is outside at ${out.map(Math.round).join(' ')}`)
  }
  const texts = textsOf(planned).filter(({ line }) => line.text !== '')
  const boxes = texts.map((part) => ({ part, corners: cornersOf(part) }))
  for (const [at, { part, corners }] of boxes.entries())
    for (const other of boxes.slice(at + 1))
      if (overlap(corners, other.corners))
        faults.push(`"${part.line.text}" lies over "${other.part.line.text}"`)
  return faults
}
