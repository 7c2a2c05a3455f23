/** Work that is done after the commit which asked for it, at least once. */
import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Enqueued: it waits for a worker. Scheduled: for an instant. Awaiting: for another job or a batch.
 * Processing: it runs. Succeeded, Failed (a dead letter, which can be sent again) and Deleted are
 * ends.
 */
export const JOB_STATES = [
  'Enqueued',
  'Scheduled',
  'Awaiting',
  'Processing',
  'Succeeded',
  'Failed',
  'Deleted',
] as const
export type JobState = (typeof JOB_STATES)[number]

/** States one by one: in no other form SQLite finds a state that is named among them. */
const STATES_BUT_ENQUEUED = JOB_STATES.filter((state) => state !== 'Enqueued')
  .map((state) => `State = '${state}'`)
  .join(' OR ')

/**
 * Jobs that are not over and that a user has asked for by a route: their Source has a slash, that
 * of an effect has none. A query has to say these words to find them by their index, which has no
 * others: those of effects are asked for within a submit, where each index takes its time.
 */
export const ASKED_JOBS =
  "instr(Source, '/') > 0 AND State IN ('Enqueued', 'Scheduled', 'Awaiting', 'Processing')"

export const jobs = sqliteTable(
  'svc_jobs',
  {
    /** Number in the order of asking. */
    Id: integer().primaryKey({ autoIncrement: true }),
    /** The work to be done: the name of a `JobKind`. */
    Name: text().notNull(),
    State: text({ enum: JOB_STATES }).notNull(),
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
    index('svc_jobs_states').on(t.State, t.Id).where(sql.raw(STATES_BUT_ENQUEUED)),
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
    index('svc_jobs_recurring')
      .on(t.Recurring, t.Id)
      .where(sql`Recurring IS NOT NULL`),
    index('svc_jobs_finished')
      .on(t.State, t.FinishedAt)
      .where(sql`FinishedAt IS NOT NULL`),
  ],
)
