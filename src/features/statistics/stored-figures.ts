/** Figures that are counted in the database: jobs, the outbox, the search, the audit log. */
import type { Clock } from '../../kernel/clock.ts'
import { type Figure, gauge, type Sample } from '../../kernel/figures.ts'
import { SECOND } from '../../kernel/setting.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Reader, Store } from '../../store/store.ts'
import { JOB_STATE_NAMES, type JobState, USUAL_STATE } from '../../store/tables/jobs.ts'
import { findBackupStatus } from '../../engine/backups/status.ts'
import type { JobServer } from '../../engine/jobs/job-server.ts'

/** Rows of one kind that are counted at most: a count costs the same, however many there are. */
const COUNTED_MAX = 10_000

/** Milliseconds that counts are kept: who asks more often gets the same ones. */
const KEPT_MS = 10 * SECOND

/** States of the outbox: waiting, sent, and given up. */
const OUTBOX_STATES = ['pending', 'sent', 'parked'] as const

const OTHER_QUEUE = 'other'

interface Kept {
  readonly at: number
  readonly figures: Promise<Figure[]>
}

/** Counts in one state of the data, kept for seconds. */
export class StoredFigures {
  readonly #store: Store
  readonly #jobs: JobServer
  readonly #clock: Clock
  #kept: Kept | undefined

  constructor({ store, jobs, clock }: { store: Store; jobs: JobServer; clock: Clock }) {
    this.#store = store
    this.#jobs = jobs
    this.#clock = clock
  }

  /** Rejects while the database cannot be read. */
  list(): Promise<Figure[]> {
    const now = this.#clock.now()
    const at = now.getTime()
    // A clock that was set back keeps nothing for longer.
    if (this.#kept && Math.abs(at - this.#kept.at) < KEPT_MS) return this.#kept.figures
    const figures = this.#store.snapshot('figures', (reader) => this.#read(reader, now))
    const kept = { at, figures }
    this.#kept = kept
    figures.catch(() => {
      if (this.#kept === kept) this.#kept = undefined
    })
    return figures
  }

  async #read(reader: Reader, now: Date): Promise<Figure[]> {
    return [
      ...(await this.#listJobs(reader, now)),
      await listOutbox(reader),
      ...(await listSearch(reader)),
      ...(await listAudit(reader)),
      ...(await listBackup(reader)),
    ]
  }

  async #listJobs(reader: Reader, now: Date): Promise<Figure[]> {
    const queues = this.#jobs.describe().Queues
    const samples: Sample[] = []
    const ages: Sample[] = []
    for (const queue of queues) {
      const [{ n = 0, oldest = null } = {}] = await read(reader, WAITING, { queue })
      samples.push(toSample(queue, USUAL_STATE, Number(n)))
      const since = typeof oldest === 'string' ? Date.parse(oldest) : now.getTime()
      ages.push({ labels: { queue }, value: Math.max(0, now.getTime() - since) / 1000 })
    }
    for (const state of JOB_STATE_NAMES) {
      if (state === USUAL_STATE) continue
      const counts = new Map(queues.map((queue) => [queue, 0]))
      for (const { Queue, n } of await read(reader, byQueue(state), {})) {
        const queue = queues.find((each) => each === Queue) ?? OTHER_QUEUE
        counts.set(queue, (counts.get(queue) ?? 0) + Number(n))
      }
      for (const [queue, count] of counts) samples.push(toSample(queue, state, count))
    }
    return [
      {
        name: 'appengine_jobs',
        help: `Jobs by queue and state; of one state, or queue that waits, ${COUNTED_MAX} at most`,
        kind: 'gauge',
        samples,
      },
      {
        name: 'appengine_jobs_oldest_age_seconds',
        help: 'How long the oldest job of a queue has waited since it was due',
        kind: 'gauge',
        samples: ages,
      },
    ]
  }
}

const toSample = (queue: string, state: JobState, value: number): Sample => ({
  labels: { queue, state },
  value,
})

const read = (
  reader: Reader,
  sql: string,
  args: Readonly<Record<string, string>>,
): Promise<SqlRow[]> => reader.all({ sql, args, runs: 'lane' })

const WAITING = `SELECT count(*) AS n, min(Since) AS oldest FROM (
  SELECT max(CreatedAt, coalesce(DueAt, CreatedAt)) AS Since FROM svc_jobs
  WHERE State = 'Enqueued' AND Queue = @queue LIMIT ${COUNTED_MAX})`

const byQueue = (state: JobState): string => `SELECT Queue, count(*) AS n FROM (
  SELECT Queue FROM svc_jobs WHERE State = '${state}' LIMIT ${COUNTED_MAX}) GROUP BY Queue`

async function listOutbox(reader: Reader): Promise<Figure> {
  const samples: Sample[] = []
  for (const state of OUTBOX_STATES) {
    const sql = `SELECT count(*) AS n FROM (
      SELECT 1 FROM svc_outbox WHERE State = @state LIMIT ${COUNTED_MAX})`
    const [row] = await read(reader, sql, { state })
    samples.push({ labels: { state }, value: Number(row?.n) })
  }
  return {
    name: 'appengine_outbox_messages',
    help: `Mails of effects by state, ${COUNTED_MAX} at most; parked ones are not tried again`,
    kind: 'gauge',
    samples,
  }
}

async function listSearch(reader: Reader): Promise<Figure[]> {
  const count = async (table: string): Promise<number> => {
    const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} LIMIT ${COUNTED_MAX})`
    return Number((await read(reader, sql, {}))[0]?.n)
  }
  return [
    gauge(
      'appengine_search_work',
      `Pieces of work until all is searched that was written, ${COUNTED_MAX} at most`,
      await count('svc_search_work'),
    ),
    gauge(
      'appengine_search_feed',
      `Records that the outer search engine is still to be told of, ${COUNTED_MAX} at most`,
      await count('svc_search_feed'),
    ),
  ]
}

/** How the last backup went, and its rehearsal; nothing before the first. */
async function listBackup(reader: Reader): Promise<Figure[]> {
  const status = await findBackupStatus(reader)
  if (!status) return []
  const { Ok, At, LastGoodAt, Bytes, Seconds, RehearsalSeconds } = status
  const since1970 = (at: string | null): number => (at === null ? 0 : Date.parse(at) / 1000)
  return [
    gauge(
      'appengine_backup_last_ok',
      'One where the last backup was made and its rehearsal went well',
      Ok ? 1 : 0,
    ),
    gauge(
      'appengine_backup_last_end_timestamp_seconds',
      'When the last backup ended, since 1970',
      since1970(At),
    ),
    gauge(
      'appengine_backup_last_good_timestamp_seconds',
      'When the last backup ended whose rehearsal went well, since 1970; 0 before the first',
      since1970(LastGoodAt),
    ),
    gauge('appengine_backup_size_bytes', 'Size of the last backup', Bytes),
    gauge('appengine_backup_duration_seconds', 'Time that the last backup took', Seconds ?? 0),
    gauge(
      'appengine_backup_rehearsal_duration_seconds',
      'Time that its rehearsal took; 0 where it was not begun',
      RehearsalSeconds ?? 0,
    ),
  ]
}

async function listAudit(reader: Reader): Promise<Figure[]> {
  const sql = 'SELECT Id, At FROM svc_audit ORDER BY Id DESC LIMIT 1'
  const [last] = await read(reader, sql, {})
  return [
    gauge(
      'appengine_audit_head',
      'Number of the last entry of the audit log, the head of its chain',
      Number(last?.Id ?? 0),
    ),
    gauge(
      'appengine_audit_last_entry_timestamp_seconds',
      'When the last entry of the audit log was written, since 1970; 0 without one',
      typeof last?.At === 'string' ? Date.parse(last.At) / 1000 : 0,
    ),
  ]
}
