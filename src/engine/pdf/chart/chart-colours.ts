/** Looks of series and slices, which differ in colour, in grey, and beyond six by hatching. */
import type { ShapeLook } from './chart-parts.ts'

/**
 * Colours whose lightness steps by ten and more, so that a copy in greys tells them apart; those
 * beside each other are far from each other.
 */
export const FILLS = ['#0f3460', '#f6b545', '#1f9465', '#f8d5e3', '#9c2438', '#68aae2'] as const
/** Colours dark enough for lines; dashes tell them apart in grey. */
const LINES = ['#0f3460', '#b5651d', '#12845c', '#9c2438', '#7a5ba6'] as const
const DASHES: readonly (readonly number[])[] = [[], [5, 2.5], [1.5, 2], [7, 2, 1.5, 2]]
const HATCHES = [undefined, 'rising', 'crossed'] as const
/** A thin edge, without which light shapes would be lost on paper. */
const EDGE = '#55595f'

/** The look of a filled shape: a bar, a slice. */
export function fillLook(at: number): ShapeLook {
  const hatch = HATCHES[Math.floor(at / FILLS.length) % HATCHES.length]
  const fill = FILLS[at % FILLS.length] ?? FILLS[0]
  return { fill, stroke: EDGE, strokeWidth: 0.3, ...(hatch && { hatch }) }
}

/** The look of a line. */
export function lineLook(at: number): ShapeLook & { stroke: string } {
  const stroke = LINES[at % LINES.length] ?? LINES[0]
  return { stroke, strokeWidth: 1.4, dash: DASHES[at % DASHES.length] ?? [] }
}

/** The look of the surface below a line: its colour, so light that rules and lines stay visible. */
export const areaLook = (at: number): ShapeLook => ({ fill: lighten(lineLook(at).stroke, 0.3) })

/** The colour as it looks on white: archived files must not have transparency. */
function lighten(colour: string, opacity: number): string {
  const mixed = readColour(colour).map((part) => Math.round(part * opacity + 255 * (1 - opacity)))
  return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** Red, green and blue of a colour, each from 0 to 255. */
export const readColour = (colour: string): [number, number, number] => [
  Number.parseInt(colour.slice(1, 3), 16),
  Number.parseInt(colour.slice(3, 5), 16),
  Number.parseInt(colour.slice(5, 7), 16),
]

/** Lightness of a colour as a reader sees it (CIE L*), from 0 to 100. */
export function lightnessOf(colour: string): number {
  const [red, green, blue] = readColour(colour).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
  return luminance > 0.008856 ? 116 * Math.cbrt(luminance) - 16 : luminance * 903.3
}
