/** The legend of a chart: what each colour, dash and hatching means. */
import { type ChartPaper, LINE_HEIGHT, type ShapeLook, spell } from './chart-parts.ts'
import type { Line } from '../lines.ts'

/** A sample of how a series is drawn. */
type LegendSample = { look: ShapeLook; isLine: boolean }

/** A series in the legend. */
interface LegendEntry {
  label: string
  sample: LegendSample
}

/** A legend with its height. */
export interface Legend {
  height: number
  draw: (top: number) => void
}

export const SAMPLE_WIDTH = 14
const SAMPLE_HEIGHT = 6.5
const TEXT_GAP = 4
const ENTRY_GAP = 12

/** Entries beside each other, in as many rows as they need. */
export function planLegend(paper: ChartPaper, entries: readonly LegendEntry[]): Legend {
  const rows: { x: number; entry: LegendEntry; lines: readonly Line[] }[][] = []
  let used = Number.POSITIVE_INFINITY
  for (const entry of entries) {
    const lines = paper.lines(entry.label, paper.width - SAMPLE_WIDTH - TEXT_GAP)
    const width = SAMPLE_WIDTH + TEXT_GAP + Math.max(...lines.map((line) => line.width))
    if (used + width > paper.width) {
      rows.push([])
      used = 0
    }
    rows.at(-1)?.push({ x: used, entry, lines })
    used += width + ENTRY_GAP
  }
  const heights = rows.map((row) => Math.max(...row.map(({ lines }) => lines.length)) * LINE_HEIGHT)
  return {
    height: heights.reduce((sum, height) => sum + height + 2, 0),
    draw: (top) => {
      let y = top
      for (const [at, row] of rows.entries()) {
        for (const { x, entry, lines } of row) {
          drawSample(paper, entry.sample, { x, y: y + LINE_HEIGHT / 2 })
          paper.paragraph(lines, { x: x + SAMPLE_WIDTH + TEXT_GAP, y })
        }
        y += (heights[at] ?? 0) + 2
      }
    },
  }
}

/** A sample whose middle is at a height. */
export function drawSample(
  paper: ChartPaper,
  { look, isLine }: LegendSample,
  { x, y }: { x: number; y: number },
): void {
  if (!isLine) {
    const box = { x, y: y - SAMPLE_HEIGHT / 2, width: SAMPLE_WIDTH - 4, height: SAMPLE_HEIGHT }
    paper.rectangle(box, look)
    return
  }
  paper.rule([x, y], [x + SAMPLE_WIDTH, y], look)
  drawDot(paper, { x: x + SAMPLE_WIDTH / 2, y }, look)
}

const DOT_RADIUS = 1.8

/** The point of a line. */
export function drawDot(
  paper: ChartPaper,
  at: { x: number; y: number },
  { stroke }: ShapeLook,
): void {
  const [r, whole] = [spell(DOT_RADIUS), spell(2 * DOT_RADIUS)]
  const circle = `M${spell(-DOT_RADIUS)},0a${r},${r} 0 1 0 ${whole},0a${r},${r} 0 1 0 -${whole},0Z`
  paper.shapeAt(at, circle, stroke === undefined ? {} : { fill: stroke }, DOT_RADIUS)
}
