/** Axes of values: how far they go, where their marks are, how these read. */
import { type ScaleLinear, scaleLinear } from 'd3-scale'
import { isPercent, type NumberTexts } from './number-texts.ts'

/** The numbers that an axis shows, from the lowest to the highest. */
export type Extent = readonly [low: number, high: number]

/** An axis: marks with their texts, and the place of a value from the top of the plot. */
export interface ValueAxis {
  ticks: readonly { value: number; text: string }[]
  place: ScaleLinear<number, number>
}

/** Values beyond are drawn at these bounds: sums of them stay numbers. */
const HUGE = 1e300
const TINY = 1e-290

/** A value as it is drawn; null for none. */
export function drawnValue(value: number | null | undefined): number | null {
  if (value === null || value === undefined || Number.isNaN(value)) return null
  if (Math.abs(value) < TINY) return 0
  return Math.min(Math.max(value, -HUGE), HUGE)
}

/** Points between two marks. */
const TICK_DISTANCE = 26

/** Values that an axis has to show. */
interface AxisOrder {
  extent: Extent
  /** True where every value is a whole number. */
  isWhole: boolean
  unit: string
}

/**
 * Plans the axes of a plot of a height: each from 0 to its values, at round numbers. The zeros of
 * two axes are at one height, so that what stands on them stands on one line.
 */
export function planValueAxes(
  orders: readonly AxisOrder[],
  height: number,
  numbers: NumberTexts,
): ValueAxis[] {
  const count = Math.max(2, Math.floor(height / TICK_DISTANCE))
  const rounded = orders.map(({ extent }) => {
    const [low, high] = [Math.min(0, extent[0]), Math.max(0, extent[1])]
    const [bottom = 0, top = 1] = scaleLinear()
      .domain(low === high ? [0, 1] : [low, high])
      .nice(count)
      .domain()
    return [bottom, top] as const
  })
  return alignZeros(rounded).map((extent, at) => {
    const place = scaleLinear().domain(extent).range([height, 0])
    const { isWhole = false, unit = '' } = orders[at] ?? {}
    const ticks = place.ticks(count).filter((tick) => !isWhole || Number.isInteger(tick))
    const texts = numbers.ticks(ticks, isPercent(unit))
    return { ticks: ticks.map((value, tick) => ({ value, text: texts[tick] ?? '' })), place }
  })
}

/** Extends extents so that zero is at the same share of each. */
function alignZeros(extents: readonly Extent[]): Extent[] {
  const shares = extents.map(([low, high]) => -low / (high - low))
  const [least, most] = [Math.min(...shares), Math.max(...shares)]
  if (least === most) return [...extents]
  const share = most === 1 ? 0.5 : most
  return extents.map(([low, high]) => {
    const below = Math.max(-low, (high * share) / (1 - share))
    return [-below, (below * (1 - share)) / share]
  })
}
