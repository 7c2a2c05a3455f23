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

/** A zone's name in the spelling of the IANA list, links kept as they are: `Europe/Berlin`. */
export const spellZone = (zone: string): string => zonedTime(new Date(0), zone).timeZoneId

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
const days = new Map<string, Day>()

/** The calendar day (`YYYY-MM-DD`) that `instant` falls on in `zone`. */
export function dayIn(instant: Date, zone: string): string {
  const at = instant.getTime()
  const known = days.get(zone)
  if (known && known.from <= at && at < known.to) return known.name
  const day = planDay(instant, zone)
  if (days.size >= KNOWN_MAX) days.clear()
  days.set(zone, day)
  return day.name
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

/** An offset of a zone with the instant that it holds from. */
export interface ZoneOffset {
  /** In ISO form, UTC. */
  from: string
  /** That the clocks are ahead of UTC. */
  seconds: number
}

const OFFSETS_KEPT = 50
const offsets = new Map<string, readonly ZoneOffset[]>()
const FIRST = new Date(0)
const LAST_YEAR = 2050

/** The offsets of a zone from 1970 to 2050, in their order; those of both ends hold beyond them. */
export function listOffsets(zone: string): readonly ZoneOffset[] {
  const known = offsets.get(zone)
  if (known) return known
  const list: ZoneOffset[] = []
  let at: Temporal.ZonedDateTime | null = zonedTime(FIRST, zone)
  for (; at !== null && at.year <= LAST_YEAR; at = at.getTimeZoneTransition('next')) {
    const from = new Date(at.epochMilliseconds).toISOString()
    list.push({ from, seconds: at.offsetNanoseconds / 1_000_000_000 })
  }
  if (offsets.size >= OFFSETS_KEPT) offsets.clear()
  offsets.set(zone, list)
  return list
}

function zonedTime(instant: Date, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone)
}
