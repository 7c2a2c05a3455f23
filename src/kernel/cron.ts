/** Cron expressions of five fields in a named zone. */
import { Cron } from 'croner'
import { isZone } from './zones.ts'

/** A time that comes again. */
export interface CronTime {
  /** Minute, hour, day of the month, month, day of the week. */
  cron: string
  /** IANA name. */
  timeZone: string
}

/**
 * Returns the first instant after `after`; undefined where none comes. A time within the hour that
 * a change of clocks leaves out comes at the end of it; in the hour that comes twice, a time that
 * names its hour comes once.
 */
export const findNext = (time: CronTime, after: Date): Date | undefined =>
  read(time).nextRun(after) ?? undefined

/** The latest `count` of those at or before an instant, the oldest first. */
export const listLatest = (time: CronTime, count: number, at: Date): Date[] =>
  read(time)
    .previousRuns(count, new Date(at.getTime() + 1))
    .reverse()

const read = ({ cron, timeZone }: CronTime): Cron =>
  new Cron(cron, { timezone: timeZone, mode: '5-part' })

/** Describes the fault in a sentence for the author; undefined for a valid time. */
export function findCronFault({ cron, timeZone }: CronTime): string | undefined {
  if (!isZone(timeZone)) return `There is no time zone ${timeZone}`
  try {
    // Days are the same in every zone, and UTC is the quickest to ask.
    const isNever = findNext({ cron, timeZone: 'UTC' }, new Date(0)) === undefined
    return isNever ? `${cron} never comes: none of its months has such a day` : undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
