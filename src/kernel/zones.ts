/** IANA time zones: which names exist, and where a day begins in one. */
import { Lru } from './lru.ts'

const KNOWN_MAX = 1000
const ZONE = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/
const known = new Lru<string, boolean>(KNOWN_MAX)

/** Checks that `name` is an IANA time zone, its links and any case included; no bare offset. */
export function isZone(name: string): boolean {
  return known.find(name) ?? known.keep(name, ZONE.test(name) && formats(name))
}

/** A zone's name in the spelling of the IANA list, links kept as they are: `Europe/Berlin`. */
export const spellZone = (zone: string): string => zonedTime(new Date(0), zone).timeZoneId

/**
 * Returns the first of stored names that is a zone here, else UTC: a name stored by another tz
 * database, or edited, must not stop anyone.
 */
export const firstZone = (...names: readonly (string | null | undefined)[]): string =>
  names.find((name) => name !== null && name !== undefined && isZone(name)) ?? 'UTC'

/** The zones of the IANA list that this machine knows, sorted; `isZone` takes links besides. */
export const listZones = (): readonly string[] => Intl.supportedValuesOf('timeZone').toSorted()

function formats(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** A calendar day with its first instant and that of the next day, in milliseconds since 1970. */
interface Day {
  from: number
  to: number
  name: string
}

/** The day that was asked for last in each zone: it is mostly today. */
const days = new Lru<string, Day>(KNOWN_MAX)

/** The calendar day (`YYYY-MM-DD`) that `instant` falls on in `zone`. */
export function dayIn(instant: Date, zone: string): string {
  const at = instant.getTime()
  const known = days.find(zone)
  if (known && known.from <= at && at < known.to) return known.name
  return days.keep(zone, planDay(instant, zone)).name
}

function planDay(instant: Date, zone: string): Day {
  const from = zonedTime(instant, zone).startOfDay()
  const to = from.add({ days: 1 }).startOfDay()
  return {
    from: from.epochMilliseconds,
    to: to.epochMilliseconds,
    name: from.toPlainDate().toString(),
  }
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
