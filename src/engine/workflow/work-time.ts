/**
 * Instants by a working calendar: its days and hours of work. Without a calendar a day is a day of
 * the zone's clock, which has 23 hours where that is put forward. Pure.
 */
import type { WorkCalendar, WorkDuration } from '../../model/compiled/workflow.ts'

/** The calendar of a company, with its days off as `YYYY-MM-DD`. */
export interface WorkTime {
  /** IANA name. */
  zone: string
  calendar: WorkCalendar | undefined
  holidays: ReadonlySet<string>
}

const MINUTE_MS = 60_000

/** Days that are searched for a working day: holidays may fill years. */
const DAYS_MAX = 4000

/**
 * Adds a duration to `start`. Days keep the time of day, moved into the hours of work; hours and
 * minutes are those of work. If no working day comes within years, the rest passes by the clock.
 */
export function addWorkTime(start: Date, { count, unit }: WorkDuration, time: WorkTime): Date {
  const zoned = Temporal.Instant.fromEpochMilliseconds(start.getTime()).toZonedDateTimeISO(
    time.zone,
  )
  const { calendar } = time
  if (!calendar) {
    const moved = unit === 'd' ? zoned.add({ days: count }) : addClock(zoned, count, unit)
    return toDate(moved)
  }
  if (unit === 'd') return toDate(addDays(zoned, count, calendar, time))
  return toDate(addMinutes(zoned, unit === 'h' ? count * 60 : count, calendar, time))
}

/** Subtracts a duration from `end`, by the clock: a reminder may come on a day off. */
export function subtractTime(end: Date, { count, unit }: WorkDuration, zone: string): Date {
  const zoned = Temporal.Instant.fromEpochMilliseconds(end.getTime()).toZonedDateTimeISO(zone)
  return toDate(unit === 'd' ? zoned.subtract({ days: count }) : addClock(zoned, -count, unit))
}

const addClock = (at: Temporal.ZonedDateTime, count: number, unit: 'h' | 'm') =>
  unit === 'h' ? at.add({ hours: count }) : at.add({ minutes: count })

const toDate = (at: Temporal.ZonedDateTime): Date => new Date(at.epochMilliseconds)

const isWorkday = (day: Temporal.PlainDate, calendar: WorkCalendar, time: WorkTime): boolean =>
  calendar.days.includes(day.dayOfWeek) && !time.holidays.has(day.toString())

/** Finds the next working day, `day` included; undefined where none is near. */
function findWorkday(
  day: Temporal.PlainDate,
  calendar: WorkCalendar,
  time: WorkTime,
): Temporal.PlainDate | undefined {
  for (let looked = 0; looked < DAYS_MAX; looked++, day = day.add({ days: 1 }))
    if (isWorkday(day, calendar, time)) return day
  return undefined
}

/** An instant of a day by minutes after midnight; 24:00 is the start of the next day. */
function atMinute(day: Temporal.PlainDate, minute: number, zone: string): Temporal.ZonedDateTime {
  if (minute >= 24 * 60) return day.add({ days: 1 }).toZonedDateTime(zone)
  const plainTime = new Temporal.PlainTime(Math.floor(minute / 60), minute % 60)
  return day.toZonedDateTime({ timeZone: zone, plainTime })
}

const minuteOf = ({ hour, minute }: Temporal.ZonedDateTime): number => hour * 60 + minute

/** Finds the start of work at or after an instant, as a day and a minute of it. */
function enterWork(
  at: Temporal.ZonedDateTime,
  calendar: WorkCalendar,
  time: WorkTime,
): { day: Temporal.PlainDate; minute: number } | undefined {
  const today = at.toPlainDate()
  const minute = minuteOf(at)
  if (isWorkday(today, calendar, time) && minute < calendar.to)
    return { day: today, minute: Math.max(minute, calendar.from) }
  const day = findWorkday(today.add({ days: 1 }), calendar, time)
  return day && { day, minute: calendar.from }
}

function addDays(
  at: Temporal.ZonedDateTime,
  count: number,
  calendar: WorkCalendar,
  time: WorkTime,
): Temporal.ZonedDateTime {
  const begin = enterWork(at, calendar, time)
  if (!begin) return at.add({ days: count })
  let { day } = begin
  for (let left = count; left > 0; left--) {
    const next = findWorkday(day.add({ days: 1 }), calendar, time)
    if (!next) return atMinute(day.add({ days: left }), begin.minute, time.zone)
    day = next
  }
  return atMinute(day, begin.minute, time.zone)
}

function addMinutes(
  at: Temporal.ZonedDateTime,
  count: number,
  calendar: WorkCalendar,
  time: WorkTime,
): Temporal.ZonedDateTime {
  let left = count * MINUTE_MS
  let work = enterWork(at, calendar, time)
  while (work) {
    const opening = atMinute(work.day, work.minute, time.zone)
    const from = Temporal.ZonedDateTime.compare(opening, at) > 0 ? opening : at
    const to = atMinute(work.day, calendar.to, time.zone)
    // Uses the clock's milliseconds: an hour that the zone leaves out has no time for work.
    const room = Math.max(0, to.epochMilliseconds - from.epochMilliseconds)
    if (left <= room) return from.add({ milliseconds: left })
    left -= room
    const day = findWorkday(work.day.add({ days: 1 }), calendar, time)
    if (!day) return to.add({ milliseconds: left })
    work = { day, minute: calendar.from }
  }
  return at.add({ milliseconds: left })
}
