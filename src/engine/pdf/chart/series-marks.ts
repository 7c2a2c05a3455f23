/** The way in which the series of a chart is drawn, by its form. */
import type { PrintSeries } from '../document.ts'

interface SeriesMarks {
  /** Bars, side by side or on each other. */
  hasBars: boolean
  /** A surface between the axis, or the series below, and its values. */
  hasSurface: boolean
  /** A line along its values. */
  hasLine: boolean
  /** Its values stand on those before it where the chart is stacked. */
  isPiled: boolean
}

/** One row a form; the only place that tells them apart. */
export const SERIES_MARKS: Readonly<Record<PrintSeries['type'], SeriesMarks>> = {
  bar: { hasBars: true, hasSurface: false, hasLine: false, isPiled: true },
  line: { hasBars: false, hasSurface: false, hasLine: true, isPiled: false },
  area: { hasBars: false, hasSurface: true, hasLine: true, isPiled: true },
}
