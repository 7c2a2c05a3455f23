/** Figures that are counted in the database: jobs, the outbox, the search, the audit log. */
import { type Figure, gauge, type Sample } from '../../kernel/figures.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Reader, Store } from '../../store/store.ts'
import { JOB_STATE_NAMES, type JobState, USUAL_STATE } from '../../store/tables/jobs.ts'
import { findBackupStatus } from '../../engine/backups/status.ts'
import type { JobServer } from '../../engine/jobs/job-server.ts'

/** Rows of one kind that are counted at most: a count costs the same, however many there are. */
const COUNTED_MAX = 10_000

/** States of the outbox: waiting, sent, and given up. */
const OUTBOX_STATES = ['pending', 'sent', 'parked'] as const

const OTHER_QUEUE = 'other'

/** Counts in one state of the data. */
export class StoredFigures {
  readonly #store: Store
  readonly #jobs: JobServer

  constructor({ store, jobs }: { store: Store; jobs: JobServer }) {
    this.#store = store
    this.#jobs = jobs
  }

  /** Rejects while the database cannot be read. */
  count(now: Date): Promise<Figure[]> {
    return this.#store.snapshot('figures', (reader) => this.#read(reader, now))
  }

  async #read(reader: Reader, now: Date): Promise<Figure[]> {
    const queues = this.#jobs.describe().Queues
    // One statement: a scrape would wait for a turn of the lane with each count.
    const args = { queues: JSON.stringify(queues) }
    const rows = await reader.all<CountRow>({ sql: COUNTS, args, runs: 'lane' })
    return [
      ...listJobs(rows, queues, now),
      listOutbox(rows),
      ...listSearch(rows),
      ...listAudit(rows),
      ...(await listBackup(reader)),
    ]
  }
}

/** A count of a kind; `At` is the time that goes with it, where one does. */
interface CountRow extends SqlRow {
  Kind: string
  Name: string | null
  Count: number
  At: string | null
}

const OTHER_STATES = JOB_STATE_NAMES.filter((state) => state !== USUAL_STATE)

const countBounded = (table: string, condition = '1'): string =>
  `(SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${condition} LIMIT ${COUNTED_MAX}))`

const WAITING = `SELECT 'waiting' AS Kind, queue.value AS Name,
    ${countBounded('svc_jobs', `State = 'Enqueued' AND Queue = queue.value`)} AS Count,
    (SELECT min(Since) FROM (
      SELECT max(CreatedAt, coalesce(DueAt, CreatedAt)) AS Since FROM svc_jobs
      WHERE State = 'Enqueued' AND Queue = queue.value LIMIT ${COUNTED_MAX})) AS At
  FROM json_each(@queues) queue`

const COUNTS = [
  WAITING,
  ...OTHER_STATES.map(
    (state) => `SELECT '${state}', Queue, count(*), NULL FROM (
      SELECT Queue FROM svc_jobs WHERE State = '${state}' LIMIT ${COUNTED_MAX}) GROUP BY Queue`,
  ),
  ...OUTBOX_STATES.map(
    (state) =>
      `SELECT 'outbox', '${state}', ${countBounded('svc_outbox', `State = '${state}'`)}, NULL`,
  ),
  `SELECT 'search', 'work', ${countBounded('svc_search_work')}, NULL`,
  `SELECT 'search', 'feed', ${countBounded('svc_search_feed')}, NULL`,
  `SELECT * FROM (SELECT 'audit', NULL, Id, At FROM svc_audit ORDER BY Id DESC LIMIT 1)`,
].join('\nUNION ALL ')

const findCount = (rows: readonly CountRow[], kind: string, name: string): number =>
  Number(rows.find(({ Kind, Name }) => Kind === kind && Name === name)?.Count ?? 0)

function listJobs(rows: readonly CountRow[], queues: readonly string[], now: Date): Figure[] {
  const samples: Sample[] = []
  const ages: Sample[] = []
  for (const { Name, Count, At } of rows.filter(({ Kind }) => Kind === 'waiting')) {
    const queue = String(Name)
    samples.push(toSample(queue, USUAL_STATE, Number(Count)))
    const since = At === null ? now.getTime() : Date.parse(At)
    ages.push({ labels: { queue }, value: Math.max(0, now.getTime() - since) / 1000 })
  }
  for (const state of OTHER_STATES) {
    const counts = new Map(queues.map((queue) => [queue, 0]))
    for (const { Name, Count } of rows.filter(({ Kind }) => Kind === state)) {
      const queue = queues.find((each) => each === Name) ?? OTHER_QUEUE
      counts.set(queue, (counts.get(queue) ?? 0) + Number(Count))
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

const toSample = (queue: string, state: JobState, value: number): Sample => ({
  labels: { queue, state },
  value,
})

const listOutbox = (rows: readonly CountRow[]): Figure => ({
  name: 'appengine_outbox_messages',
  help: `Mails of effects by state, ${COUNTED_MAX} at most; parked ones are not tried again`,
  kind: 'gauge',
  samples: OUTBOX_STATES.map((state) => ({
    labels: { state },
    value: findCount(rows, 'outbox', state),
  })),
})

const listSearch = (rows: readonly CountRow[]): Figure[] => [
  gauge(
    'appengine_search_work',
    `Pieces of work until all is searched that was written, ${COUNTED_MAX} at most`,
    findCount(rows, 'search', 'work'),
  ),
  gauge(
    'appengine_search_feed',
    `Records that the outer search engine is still to be told of, ${COUNTED_MAX} at most`,
    findCount(rows, 'search', 'feed'),
  ),
]

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

function listAudit(rows: readonly CountRow[]): Figure[] {
  const last = rows.find(({ Kind }) => Kind === 'audit')
  return [
    gauge(
      'appengine_audit_head',
      'Number of the last entry of the audit log, the head of its chain',
      Number(last?.Count ?? 0),
    ),
    gauge(
      'appengine_audit_last_entry_timestamp_seconds',
      'When the last entry of the audit log was written, since 1970; 0 without one',
      typeof last?.At === 'string' ? Date.parse(last.At) / 1000 : 0,
    ),
  ]
}
