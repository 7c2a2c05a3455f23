/** A job that recurs by itself, as the model and extensions declare it. */
import { type CronTime, findNext, listLatest } from '../../kernel/cron.ts'
import type { JobArguments } from './job.ts'

/**
 * The policy for runs missed while the server was down: Relaxed makes them one, at once; Strict
 * makes each; Ignorable makes none.
 */
type MissedPolicy = 'Relaxed' | 'Strict' | 'Ignorable'

/** A job that the engine itself asks for each time that it is due. */
export interface RecurringJob extends CronTime {
  /** The key that identifies it: unique in its kind, and constant while the job is the same. */
  readonly key: string
  /** The name that operators see: unique in its kind. */
  readonly name: string
  /** The name of its jobs. */
  readonly job: string
  readonly missed: MissedPolicy
  readonly arguments: JobArguments
  /** The company that it is of; null: of the whole engine. */
  readonly companyId: number | null
  /** The user as whom it runs; null: as the engine. */
  readonly userId: number | null
  readonly queue?: string | undefined
}

/** Lists all recurring jobs that one part of the product declares now. */
export type ListRecurring = () => Promise<readonly RecurringJob[]>

/** Most runs of one recurring job asked for at once: the oldest missed ones beyond are dropped. */
const STRICT_MAX = 100

/** Delay up to which a late run does not count as missed. */
const LATE_MS = 60_000

/** The result of looking at a recurring job: the work to do. */
interface Occurrence {
  /** Instants when the runs to be asked for were due, the oldest first. */
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
