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
 * The first instant after `after`; undefined where none comes. What falls into the hour that a
 * change of clocks leaves out comes when it is over; in the hour that comes twice, what names its
 * hour comes once.
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

/** What is wrong with it, in a sentence for its author; undefined where nothing is. */
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
