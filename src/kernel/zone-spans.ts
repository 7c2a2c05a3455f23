/**
 * The clocks of a time zone as spans of instants: in each of them the zone is one shift ahead of
 * UTC. What groups instants by the caller's days and hours takes them from here, SQL of the engine
 * and SQL of authors alike.
 */
import { Lru } from './lru.ts'

/** The time between two changes of a zone's clocks. Spans of a zone leave no gap. */
export interface ZoneSpan {
  /** The first instant, in UTC: `2026-03-29T01:00:00.000Z`. */
  from: string
  /** The first instant after the span. */
  to: string
  /** Offset of the clocks from UTC, as SQLite's date functions take it: `+02:00`. */
  shift: string
}

/** A time before every instant that a DateTime can hold. */
const TIME_BEGIN = '0000-01-01T00:00:00.000Z'
/** A time after every instant that a DateTime can hold. */
const TIME_END = '9999-12-31T24:00:00.000Z'

/** Years whose changes of the clock are known; the shifts of both ends hold beyond them. */
export const ZONE_YEARS = { first: 1900, last: 2100 } as const

const ZONES_KEPT = 50
const spans = new Lru<string, readonly ZoneSpan[]>(ZONES_KEPT)
const texts = new Lru<string, string>(ZONES_KEPT)

/** The spans of a zone in their order: from `TIME_BEGIN` to `TIME_END`. */
export const listSpans = (zone: string): readonly ZoneSpan[] =>
  spans.find(zone) ?? spans.keep(zone, planSpans(zone))

function planSpans(zone: string): ZoneSpan[] {
  const changes = listChanges(zone)
  return changes.map(({ at, shift }, index) => ({
    from: index === 0 ? TIME_BEGIN : at,
    to: changes[index + 1]?.at ?? TIME_END,
    shift,
  }))
}

/** Lists the instants from which each shift holds. */
function listChanges(zone: string): { at: string; shift: string }[] {
  const first = Temporal.Instant.from(`${ZONE_YEARS.first}-01-01T00:00:00Z`)
  const list: { at: string; shift: string }[] = []
  let change: Temporal.ZonedDateTime | null = first.toZonedDateTimeISO(zone)
  while (change !== null && change.year <= ZONE_YEARS.last) {
    if (list.at(-1)?.shift !== change.offset) list.push({ at: isoOf(change), shift: change.offset })
    change = change.getTimeZoneTransition('next')
  }
  return list
}

const isoOf = (at: Temporal.ZonedDateTime): string => new Date(at.epochMilliseconds).toISOString()

/**
 * The spans of a zone for SQL, a JSON array: the zone's name, then for each span and each year that
 * it touches one text of fixed places, the year, `from`, `to` and `shift`:
 * `20262026-03-29T01:00:00.000Z2026-10-25T01:00:00.000Z+02:00`.
 */
export const composeSpans = (zone: string): string =>
  texts.find(zone) ?? texts.keep(zone, JSON.stringify([zone, ...listSpans(zone).flatMap(byYear)]))

function byYear({ from, to, shift }: ZoneSpan): string[] {
  const first = Math.max(Number(from.slice(0, 4)), ZONE_YEARS.first)
  const last = Math.min(Number(to.slice(0, 4)), ZONE_YEARS.last)
  return Array.from({ length: last - first + 1 }, (_, at) => `${first + at}${from}${to}${shift}`)
}

/** The zone whose spans a text of `composeSpans` holds, quoted. */
export const zoneOfSpans = (text: string): string => text.slice(1, text.search(/[,\]]/))
