/**
 * Instants as wall times of a zone and back: `2026-10-25T00:30:00Z` in Europe/Berlin is
 * `2026-10-25T02:30`. In a repeated hour the first one is meant, in one that is left out the next.
 */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(zone, made)
  return made
}

/** The wall time of an instant: `2026-10-25T02:30:00`. */
export function wallTimeOf(instant: string, zone: string): string {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(new Date(instant))
      .map(({ type, value }) => [type, value]),
  )
  const year = (parts.year ?? '').padStart(4, '0')
  return `${year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}`
}

const asUtc = (wall: string): number => Date.parse(`${wall}Z`)

/** The instant of a wall time, in ISO 8601 with `Z`. */
export function instantOf(wall: string, zone: string): string {
  const wanted = asUtc(wall)
  const shiftAt = (at: number): number => asUtc(wallTimeOf(new Date(at).toISOString(), zone)) - at
  // The shift a day before is the one before a change of clocks: of two instants, the first.
  const before = wanted - shiftAt(wanted - 86_400_000)
  if (before + shiftAt(before) === wanted) return new Date(before).toISOString()
  const after = wanted - shiftAt(wanted + 86_400_000)
  return new Date(after + shiftAt(after) === wanted ? after : before).toISOString()
}
