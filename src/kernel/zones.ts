/** IANA time zones: which names exist, and where a day begins in one. */

const KNOWN_MAX = 1000
const known = new Map<string, boolean>()

/** Whether `name` is an IANA time zone, its links and any case included; a bare offset is not. */
export function isZone(name: string): boolean {
  const found = known.get(name)
  if (found !== undefined) return found
  const is = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name) && formats(name)
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(name, is)
  return is
}

function formats(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** The calendar day (`YYYY-MM-DD`) that `instant` falls on in `zone`. */
export function dayIn(instant: Date, zone: string): string {
  return zonedTime(instant, zone).toPlainDate().toString()
}

/**
 * The first instant of the day `date` (`YYYY-MM-DD`) in `zone`, also where midnight does not
 * exist.
 */
export function startOfDay(date: string, zone: string): Date {
  return new Date(Temporal.PlainDate.from(date).toZonedDateTime(zone).toInstant().epochMilliseconds)
}

/** Minutes that the clocks of `zone` are ahead of UTC at `instant`. */
export function utcOffsetMinutes(instant: Date, zone: string): number {
  return zonedTime(instant, zone).offsetNanoseconds / 60_000_000_000
}

function zonedTime(instant: Date, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone)
}
