/** Asks for recurring jobs when they are due. */
import { Loop } from '../../kernel/background.ts'
import type { Clock } from '../../kernel/clock.ts'
import { findNext } from '../../kernel/cron.ts'
import type { Log } from '../../kernel/log.ts'
import { allRows, getRow, upsertRow } from '../../store/rows.ts'
import { type Store, systemScope, type Tx } from '../../store/store.ts'
import { UNFINISHED } from '../../store/tables/jobs.ts'
import { recurring } from '../../store/tables/recurring.ts'
import { enqueueJob } from './enqueue.ts'
import { type ListRecurring, planOccurrences, type RecurringJob } from './recurring-job.ts'

const SCOPE = systemScope('recurring jobs of every company are asked for')

/** The longest wait between two looks for due jobs: a clock may be set, a model replaced. */
const LOOK_MS = 30_000

type RecurringRow = typeof recurring.$inferSelect

/** A recurring job and its state. */
export interface RecurringState {
  job: RecurringJob
  paused: boolean
  nextRun: Date | undefined
  lastRun: Date | undefined
  lastJobId: number | undefined
  /** True when its next run is stored, planned by its present times. */
  stored: boolean
  /** True when a clock that was ahead planned it: it is planned again. */
  isAhead: boolean
}

interface RecurringOptions {
  store: Store
  clock: Clock
  log: Log
}

/** Next runs that fit: each is checked once, and again when the clock was set back. */
class SeenRuns {
  readonly #byKey = new Map<string, { next: number; at: number }>()

  /** True when a next run is no later than the first one from now on. */
  fits(job: RecurringJob, next: Date, now: Date): boolean {
    const seen = this.#byKey.get(job.key)
    if (seen?.next === next.getTime() && seen.at <= now.getTime()) return true
    const first = next <= now ? next : findNext(job, now)
    if (first !== undefined && next > first) return false
    this.#byKey.set(job.key, { next: next.getTime(), at: now.getTime() })
    return true
  }
}

/**
 * Asks for the jobs of all sources when they are due. The state of each is stored in the
 * transaction that asks for its job: each run is asked for once, whenever the process ends.
 */
export class RecurringJobs {
  readonly #options: RecurringOptions
  readonly #sources: ListRecurring[] = []
  readonly #seen = new SeenRuns()
  /** The loop that the server starts and stops. */
  readonly loop: Loop

  constructor(options: RecurringOptions) {
    this.#options = options
    this.loop = new Loop({
      name: 'recurring jobs',
      everyMs: LOOK_MS,
      log: options.log,
      steps: [() => this.run()],
      failure: 'recurring jobs could not be asked for',
    })
  }

  addSource(list: ListRecurring): void {
    this.#sources.push(list)
  }

  /** All recurring jobs that are declared now, by name. */
  async list(): Promise<RecurringJob[]> {
    const lists = await Promise.all(this.#sources.map((list) => list()))
    return lists.flat().sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** All jobs that are declared now, and their states. */
  async listStates(): Promise<RecurringState[]> {
    const jobs = await this.list()
    const rows = await allRows(this.#options.store, recurring, '')
    const byKey = new Map(rows.map((row) => [row.Name, row]))
    const now = this.#options.clock.now()
    return jobs.map((job) => toState(job, byKey.get(job.key), { now, seen: this.#seen }))
  }

  /** Asks for the jobs due now, and runs again when the next one is due. */
  async run(): Promise<void> {
    const states = await this.listStates()
    const { clock } = this.#options
    if (states.some((state) => isToWrite(state, clock.now())))
      await this.#write(async (tx, now) => {
        for (const { job } of states) await this.#advance(tx, job, now)
      })
    const now = clock.now().getTime()
    const waits = (await this.listStates()).flatMap(({ paused, nextRun }) =>
      paused || !nextRun ? [] : [nextRun.getTime() - now],
    )
    this.loop.wake(Math.max(1, Math.min(LOOK_MS, ...waits)))
  }

  /** Asks for a run of it now, and leaves its times as they are. Resolves to the job's Id. */
  trigger(tx: Tx, job: RecurringJob): Promise<number> {
    return this.#ask(tx, job, this.#options.clock.now())
  }

  /** Stops a job from recurring until it is resumed; runs missed meanwhile are not made up for. */
  async pause(tx: Tx, job: RecurringJob): Promise<void> {
    await this.#save(tx, job, { paused: true, next: undefined })
  }

  async resume(tx: Tx, job: RecurringJob): Promise<void> {
    await this.#save(tx, job, { paused: false, next: findNext(job, this.#options.clock.now()) })
    tx.afterCommit(() => this.loop.wake())
  }

  #write(work: (tx: Tx, now: Date) => Promise<void>): Promise<void> {
    const now = this.#options.clock.now()
    return this.#options.store.write((tx) => work(tx, now), SCOPE)
  }

  async #advance(tx: Tx, job: RecurringJob, now: Date): Promise<void> {
    const row = await getRow(tx, recurring, 'WHERE Name = @name', { name: job.key })
    const state = toState(job, row, { now, seen: this.#seen })
    if (!isToWrite(state, now)) return
    if (state.isAhead) this.#tellAhead(tx, job, row?.NextRun)
    if (!state.stored) return this.#save(tx, job, { paused: false, next: state.nextRun })
    const { due, next } = planOccurrences(job, state.nextRun ?? now, now)
    await this.#save(tx, job, { paused: false, next })
    for (const at of due) await this.#askUnlessBusy(tx, job, at)
  }

  #tellAhead(tx: Tx, { name }: RecurringJob, planned: string | null | undefined): void {
    const { log } = this.#options
    const said = 'a recurring job was planned too far ahead and was planned again'
    tx.afterCommit(() => log.warn(said, { recurring: name, planned }))
  }

  /** Asks for a run unless one is unfinished: runs of one recurring job do not pile up. */
  async #askUnlessBusy(tx: Tx, job: RecurringJob, at: Date): Promise<void> {
    const busy = await tx.get(HAS_RUN, { name: job.key })
    if (busy === undefined || job.missed === 'Strict') await this.#ask(tx, job, at)
    else {
      const facts = { recurring: job.name, due: at.toISOString() }
      tx.afterCommit(() =>
        this.#options.log.warn('a recurring job is left out: its last run is not done', facts),
      )
    }
  }

  async #ask(tx: Tx, job: RecurringJob, at: Date): Promise<number> {
    const id = await enqueueJob(tx, {
      name: job.job,
      arguments: job.arguments,
      owner: { userId: job.userId, companyId: job.companyId },
      source: `recurring/${job.name}`,
      now: this.#options.clock.now(),
      queue: job.queue,
      exclusiveKey: `recurring/${job.job}`,
      recurring: job.key,
    })
    const { cron, timeZone } = job
    const ran = { LastRun: at.toISOString(), LastJobId: id }
    const row = { Name: job.key, Cron: cron, TimeZone: timeZone, Paused: false, ...ran }
    await upsertRow(tx, recurring, row, RAN)
    return id
  }

  async #save(
    tx: Tx,
    { key, cron, timeZone }: RecurringJob,
    { paused, next }: { paused: boolean; next: Date | undefined },
  ): Promise<void> {
    const NextRun = next?.toISOString()
    const row = { Name: key, Cron: cron, TimeZone: timeZone, Paused: paused, NextRun }
    await upsertRow(tx, recurring, row, SAVE)
  }
}

const SAVE = `ON CONFLICT (Name) DO UPDATE SET Cron = excluded.Cron,
  TimeZone = excluded.TimeZone, Paused = excluded.Paused, NextRun = excluded.NextRun`

const RAN = `ON CONFLICT (Name)
  DO UPDATE SET LastRun = excluded.LastRun, LastJobId = excluded.LastJobId`

const HAS_RUN = `SELECT 1 AS Found FROM svc_jobs WHERE Recurring = @name
  AND ${UNFINISHED} LIMIT 1`

function toState(
  job: RecurringJob,
  row: RecurringRow | undefined,
  { now, seen }: { now: Date; seen: SeenRuns },
): RecurringState {
  const { cron, timeZone } = job
  const paused = row?.Paused ?? false
  const isSame = row !== undefined && row.Cron === cron && row.TimeZone === timeZone
  const known = toDate(row?.NextRun ?? null)
  const isAhead = isSame && known !== undefined && !seen.fits(job, known, now)
  // Without a next run the job was asked for before it was planned at all.
  const isPlanned = known !== undefined || paused || findNext(job, now) === undefined
  const stored = isSame && isPlanned && !isAhead
  const planned = stored ? known : findNext(job, now)
  return {
    job,
    paused,
    stored,
    isAhead,
    nextRun: paused ? undefined : planned,
    lastRun: toDate(row?.LastRun ?? null),
    lastJobId: row?.LastJobId ?? undefined,
  }
}

const toDate = (text: string | null): Date | undefined =>
  text === null ? undefined : new Date(text)

const isToWrite = ({ paused, nextRun, stored }: RecurringState, now: Date): boolean =>
  !paused && (!stored || (nextRun !== undefined && nextRun <= now))
