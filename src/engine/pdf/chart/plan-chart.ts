/** Charts as vectors: their parts in place, and what they show in words. */
import { drawAxesChart, type NameBounds } from './axes-chart.ts'
import { ChartPaper, type ChartPart, type ChartTools } from './chart-parts.ts'
import { NumberTexts } from './number-texts.ts'
import { drawPieChart } from './pie-chart.ts'
import type { PrintChart } from '../document.ts'

/** A chart with every part in its place, from the top left. Lengths are points. */
export interface PlannedChart {
  height: number
  parts: readonly ChartPart[]
}

/** The room that a chart has. */
interface ChartRoom {
  width: number
  heightMax: number
}

/** Bounds of names, each tried where a chart would be higher than its page by the one before. */
const BOUNDS: readonly NameBounds[] = [
  { letters: 160, entries: 18 },
  { letters: 160, entries: 9 },
  { letters: 160, entries: 4 },
  { letters: 60, entries: 4 },
  { letters: 24, entries: 4 },
  { letters: 10, entries: 4 },
]
/** Room around the parts: edges of shapes are half outside of them. */
const EDGE = 1

const DRAWN: Readonly<Record<PrintChart['type'], typeof drawAxesChart>> = {
  bar: drawAxesChart,
  line: drawAxesChart,
  area: drawAxesChart,
  pie: drawPieChart,
}

/** Plans a chart; names that are longer than 160 characters end with `…`. */
export function planChart(chart: PrintChart, room: ChartRoom, tools: ChartTools): PlannedChart {
  let planned: PlannedChart = { height: 0, parts: [] }
  for (const bounds of BOUNDS) {
    const paper = new ChartPaper(room.width, tools)
    const height = DRAWN[chart.type](paper, chart, bounds) + EDGE
    planned = { height, parts: paper.parts }
    if (height <= room.heightMax) break
  }
  return planned
}

/** Most characters of a chart's description. */
const DESCRIPTION_MAX = 2000

/** Describes a chart in words, for readers who cannot see it. */
export function describeChart({ title, categories, series }: PrintChart, language: string): string {
  const numbers = new NumberTexts(language)
  let text = title
  for (const each of series) {
    text += `. ${each.label}: `
    for (const [at, category] of categories.entries()) {
      const value = each.values[at] ?? null
      const shown = value === null ? '–' : numbers.value(value, each)
      text += `${at > 0 ? ', ' : ''}${category} ${shown}`
      if (text.length > DESCRIPTION_MAX) return `${text.slice(0, DESCRIPTION_MAX)}…`
    }
  }
  return text
}
