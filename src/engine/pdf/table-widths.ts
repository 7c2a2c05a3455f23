/** Widths of a table's columns, and by how much its type shrinks. */
import type { PrintColumn } from './document.ts'

/** Widths that a column would like and that it needs at least, in points at full size of type. */
interface WantedWidth {
  natural: number
  least: number
}

/** Smallest factor that type is scaled by. */
const SCALE_MIN = 0.65

/** Widths that fill `room`. */
export function planWidths(
  columns: readonly PrintColumn[],
  wanted: readonly WantedWidth[],
  room: number,
): { widths: number[]; scale: number } {
  const natural = total(wanted.map((width) => width.natural))
  const least = total(wanted.map((width) => Math.min(width.least, width.natural)))
  const scale = Math.max(SCALE_MIN, Math.min(1, room / Math.max(least, 1)))
  if (columns.every(({ weight }) => weight !== undefined))
    return {
      widths: share(
        columns.map(({ weight }) => Math.max(weight ?? 1, 0.01)),
        room,
      ),
      scale,
    }
  if (natural * scale <= room) return { widths: spread(columns, wanted, room, scale), scale }
  const base = wanted.map((width) => Math.min(width.least, width.natural) * scale)
  if (total(base) >= room) return { widths: share(base, room), scale }
  const over = wanted.map((width, at) => Math.max(0, width.natural * scale - (base[at] ?? 0)))
  const more = share(over, room - total(base))
  return { widths: base.map((width, at) => width + (more[at] ?? 0)), scale }
}

/** Gives the remaining width to the columns of texts, or to all where there are none. */
function spread(
  columns: readonly PrintColumn[],
  wanted: readonly WantedWidth[],
  room: number,
  scale: number,
): number[] {
  const base = wanted.map((width) => width.natural * scale)
  const texts = base.map((width, at) => (columns[at]?.align === 'start' ? width : 0))
  const more = share(total(texts) > 0 ? texts : base, room - total(base))
  return base.map((width, at) => width + (more[at] ?? 0))
}

const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0)

function share(parts: readonly number[], room: number): number[] {
  const whole = total(parts)
  return parts.map((part) => (whole > 0 ? (part / whole) * room : room / parts.length))
}
