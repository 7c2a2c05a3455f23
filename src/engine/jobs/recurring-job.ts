/** A job that comes again by itself: what it is, as the model and extensions declare it. */
import { type CronTime, findNext, listLatest } from '../../kernel/cron.ts'
import type { JobArguments } from './job.ts'

/**
 * Of runs that were missed while the server stood still: Relaxed makes them one, at once; Strict
 * makes each; Ignorable makes none.
 */
type MissedPolicy = 'Relaxed' | 'Strict' | 'Ignorable'

/** Asked for by the engine itself each time that it comes. */
export interface RecurringJob extends CronTime {
  /** What it is kept by: one of its kind, and the same for as long as it is the same. */
  readonly key: string
  /** What operators call it: one of its kind. */
  readonly name: string
  /** The name of its jobs. */
  readonly job: string
  readonly missed: MissedPolicy
  readonly arguments: JobArguments
  /** The company that it is of; null: of the whole engine. */
  readonly companyId: number | null
  /** As whom it runs; null: as the engine. */
  readonly userId: number | null
  readonly queue?: string | undefined
}

/** All that one part of the product declares now. */
export type ListRecurring = () => Promise<readonly RecurringJob[]>

/** Runs of one recurring job that are asked for at once: of more missed ones the oldest are not. */
const STRICT_MAX = 100

/** What began late by less was not missed. */
const LATE_MS = 60_000

/** What a look at a recurring job finds to do. */
interface Occurrence {
  /** When the runs that are to be asked for were due, the oldest first. */
  due: readonly Date[]
  /** The next one; undefined where none comes. */
  next: Date | undefined
}

/** The runs that are due by `now` of one whose next run was planned for `planned`. */
export function planOccurrences(
  job: CronTime & Pick<RecurringJob, 'missed'>,
  planned: Date,
  now: Date,
): Occurrence {
  if (planned > now) return { due: [], next: planned }
  const next = findNext(job, now)
  const isMissed = now.getTime() - planned.getTime() > LATE_MS
  if (!isMissed || job.missed === 'Relaxed') return { due: [planned], next }
  const isStrict = job.missed === 'Strict'
  const earliest = isStrict ? planned.getTime() : now.getTime() - LATE_MS
  const latest = listLatest(job, isStrict ? STRICT_MAX : 1, now)
  return { due: latest.filter((at) => at.getTime() >= earliest), next }
}
