/** Work that is done after the commit which asked for it, at least once. */
import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** All that the engine asks of a state; what leads from one to another is in `job-steps.ts`. */
interface JobStateFacets {
  /** Waits for a worker, now or from an instant on. */
  isQueued: boolean
  /** Waits for a worker or runs: it need not be sent again. */
  isActive: boolean
  isRunning: boolean
  /** Waits for its `DueAt`. */
  isDue: boolean
  /** Waits until a restored folder lets it go. */
  isHeld: boolean
  /** The way the job ended; undefined while it has not. */
  end: JobEnd | undefined
}

/** A dead letter can be sent again, and is kept for longer. */
export type JobEnd = 'closed' | 'deadLetter'

const QUEUED = {
  isQueued: true,
  isActive: false,
  isRunning: false,
  isDue: false,
  isHeld: false,
  end: undefined,
}
const ENDED = { ...QUEUED, isQueued: false }

const STATES = {
  /** Waits for a worker. */
  Enqueued: { ...QUEUED, isActive: true },
  /** Waits for an instant. */
  Scheduled: { ...QUEUED, isDue: true },
  /** Waits for another job, or for a batch. */
  Awaiting: { ...QUEUED, isQueued: false },
  Processing: { ...QUEUED, isQueued: false, isActive: true, isRunning: true },
  Succeeded: { ...ENDED, end: 'closed' },
  Failed: { ...ENDED, end: 'deadLetter' },
  Deleted: { ...ENDED, end: 'closed' },
  /** Would send something out of the house: see `Hold`. */
  Held: { ...ENDED, isHeld: true },
} as const satisfies Readonly<Record<string, JobStateFacets>>

export type JobState = keyof typeof STATES

/** One row a state; the only place that lists them. */
export const JOB_STATES: Readonly<Record<JobState, JobStateFacets>> = STATES

export const JOB_STATE_NAMES = Object.keys(STATES) as JobState[]

/** The state in which most jobs are asked for. */
export const USUAL_STATE: JobState = 'Enqueued'

/** SQL that tests whether the state of a job is of a kind: `State IN ('Enqueued', 'Scheduled')`. */
export function composeStates(isMeant: (facets: JobStateFacets) => boolean): string {
  const names = JOB_STATE_NAMES.filter((state) => isMeant(JOB_STATES[state])).map(quote)
  return names.length === 1 ? `State = ${names[0]}` : `State IN (${names.join(', ')})`
}

const quote = (state: JobState): string => `'${state}'`

/** SQL that tests whether a job is not over. */
export const UNFINISHED = composeStates(({ end }) => end === undefined)

/** States one by one: in no other form SQLite finds a state that is named among them. */
const STATES_BUT_USUAL = JOB_STATE_NAMES.filter((state) => state !== USUAL_STATE)
  .map((state) => `State = ${quote(state)}`)
  .join(' OR ')

/**
 * Jobs that are not over and that a user has asked for by a route: their Source has a slash, that
 * of an effect has none. A query has to say these words to find them by their index, which has no
 * others: those of effects are asked for within a submit, where each index takes its time.
 */
export const ASKED_JOBS = `instr(Source, '/') > 0 AND ${UNFINISHED}`

/** Jobs that a user has asked for by a route and that have run: in these words, by an index. */
export const RUN_JOBS = `instr(Source, '/') > 0 AND FinishedAt IS NOT NULL`

export const jobs = sqliteTable(
  'svc_jobs',
  {
    /** Number in the order of asking. */
    Id: integer().primaryKey({ autoIncrement: true }),
    /** The work to be done: the name of a `JobKind`. */
    Name: text().notNull(),
    State: text().$type<JobState>().notNull(),
    Queue: text().notNull(),
    /** Priority within its queue: higher ones go first. */
    Priority: integer().notNull(),
    /** The company in which it was asked for; null for work of the whole engine. */
    CompanyId: integer(),
    /** The user whose rights it has when it runs; null: it is the engine's own work. */
    UserId: integer(),
    /** The user who acted as that user when it was asked for: its writes are audited under both. */
    ImpersonatorId: integer(),
    /** The API key by which that user asked for it: it has no more rights than the key. */
    ApiKeyId: integer(),
    /** Language of the texts that it makes for that user. */
    Language: text(),
    /** The view or the reason through which it was asked for. */
    Source: text().notNull(),
    /** JSON object. */
    Arguments: text().notNull(),
    /** The key of jobs of which one runs at a time. */
    ExclusiveKey: text(),
    CreatedAt: text().notNull(),
    /** The instant before which a scheduled job does not run. */
    DueAt: text(),
    Attempts: integer().notNull(),
    AttemptsMax: integer().notNull(),
    StartedAt: text(),
    FinishedAt: text(),
    /** The process that runs it or ran it last. */
    Server: text(),
    /** JSON: `{Done, Total, Message}` of its latest run. */
    Progress: text(),
    /** JSON of what it gave. */
    Result: text(),
    /** The error of its latest run. */
    Error: text(),
    /** Lines that its runs wrote, the oldest first; the oldest go when they are too many. */
    Log: text(),
    /** JSON array of `{State, At, Reason}`. */
    History: text().notNull(),
    /** An awaiting one begins when this job has succeeded. */
    AfterId: integer(),
    /** Jobs that were asked for together. */
    BatchId: text(),
    /** An awaiting one begins when all jobs of this batch have succeeded. */
    AfterBatch: text(),
    /** The recurring job that it is a run of. */
    Recurring: text(),
  },
  (t) => [
    // A job is in one of these two: a job that is asked for is written into the first alone.
    index('svc_jobs_enqueued')
      .on(t.Queue, sql`"Priority" DESC`, t.Id)
      .where(sql`State = 'Enqueued'`),
    index('svc_jobs_states').on(t.State, t.Id).where(sql.raw(STATES_BUT_USUAL)),
    index('svc_jobs_due')
      .on(t.DueAt)
      .where(sql`State = 'Scheduled'`),
    index('svc_jobs_key')
      .on(t.ExclusiveKey, t.State, t.Id)
      .where(sql`ExclusiveKey IS NOT NULL`),
    index('svc_jobs_after')
      .on(t.AfterId)
      .where(sql`State = 'Awaiting'`),
    index('svc_jobs_batch')
      .on(t.BatchId, t.State)
      .where(sql`BatchId IS NOT NULL`),
    index('svc_jobs_after_batch')
      .on(t.AfterBatch)
      .where(sql`State = 'Awaiting'`),
    index('svc_jobs_asked').on(t.UserId, t.Name).where(sql.raw(ASKED_JOBS)),
    index('svc_jobs_run').on(t.UserId, t.Name, t.FinishedAt).where(sql.raw(RUN_JOBS)),
    index('svc_jobs_recurring')
      .on(t.Recurring, t.Id)
      .where(sql`Recurring IS NOT NULL`),
    index('svc_jobs_finished')
      .on(t.State, t.FinishedAt)
      .where(sql`FinishedAt IS NOT NULL`),
  ],
)
