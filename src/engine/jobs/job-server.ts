/** Runs jobs in this process: takes due jobs, runs them, writes down how they ended. */
import { type Background, Loop } from '../../kernel/background.ts'
import { type Clock, sleep } from '../../kernel/clock.ts'
import { Failure, unavailable } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { say } from '../../kernel/messages.ts'
import type { WorkNotes } from '../../kernel/read-notes.ts'
import { planJitteredDelay } from '../../kernel/retry.ts'
import { renderStored } from '../../kernel/stored-messages.ts'
import { runTraced } from '../../kernel/tracing.ts'
import { type Store, systemScope, type TableChanges, type Tx } from '../../store/store.ts'
import type { Callers } from '../../access/callers/callers.ts'
import {
  ActiveRun,
  isFinalFailure,
  isPlannedOtherwise,
  toErrorText,
  toResultText,
} from './active-run.ts'
import { type Hold, holdJobs } from './hold.ts'
import { type JobQueue, QueueBudget } from './job-queues.ts'
import {
  claimJobs,
  type FailureReason,
  findNextDue,
  freeJobs,
  hasRunning,
  type JobEnd,
  type JobOutcome,
  promoteDue,
  settleJob,
} from './job-steps.ts'
import type { FindJobKind, JobKind, JobRow } from './job.ts'
import type { Progress } from '../progress.ts'

const SCOPE = systemScope('jobs of every company run')

const TABLE = 'svc_jobs'

/** Milliseconds between two looks for due jobs, when no call woke the server. */
const LOOK_MS = 15_000

/** Milliseconds that a run has to stop; after that its worker takes the next job. */
const GRACE_MS = 5000

const ENDED: FailureReason = {
  reason: say`The server stopped while the job was running`,
  fieldErrors: undefined,
}

interface JobServerOptions {
  store: Store
  callers: Callers
  clock: Clock
  log: Log
  progress: Progress
  hold: Hold
  reads: WorkNotes
  /** The name of this process among those that ran jobs of this database. */
  server: string
  queues: readonly JobQueue[]
  /** Jobs that run at a time. */
  workers: number
  timeoutMs: number
  /** The wait before the second try. */
  retryDelayMs: number
  /** Milliseconds that a stop waits for running jobs. */
  stopMs: number
}

/**
 * The workers. A job runs at least once: one that a process left unfinished waits again at the next
 * start. One process serves a data folder, so the running jobs are known in memory.
 */
export class JobServer implements Background {
  readonly #options: JobServerOptions
  readonly #kinds = new Map<string, JobKind>()
  readonly #finders: FindJobKind[] = []
  readonly #budget: QueueBudget
  /** Runs that ended, by queue and outcome. */
  readonly runsEnded = new Map<string, number>()
  readonly #running = new Map<number, { run: ActiveRun; done: Promise<void> }>()
  /** Ended runs that are not written down yet. */
  #ended: JobEnd[] = []
  #isWoken = false
  readonly #startedAt: Date
  readonly loop: Loop

  constructor(options: JobServerOptions) {
    this.#options = options
    this.#startedAt = options.clock.now()
    this.#budget = new QueueBudget(options.queues, options.workers)
    this.loop = new Loop({
      name: 'jobs',
      everyMs: LOOK_MS,
      log: options.log,
      steps: [() => this.#turn()],
      prepare: () => this.#prepare(),
      failure: 'jobs could not be taken or written down',
    })
    options.store.follow({ follows: () => false, begin: (all) => this.#follow(all) })
  }

  /** Adds the kinds that run jobs of these names. */
  add(...kinds: readonly JobKind[]): void {
    for (const kind of kinds) this.#kinds.set(kind.name.toLowerCase(), kind)
  }

  /** Asks `find` for names that no kind was added for. */
  addFinder(find: FindJobKind): void {
    this.#finders.push(find)
  }

  findKind(name: string): JobKind | undefined {
    const own = this.#kinds.get(name.toLowerCase())
    if (own) return own
    for (const find of this.#finders) {
      const found = find(name)
      if (found) return found
    }
    return undefined
  }

  /** Names of the kinds whose jobs users see as their own. */
  get ownNames(): string[] {
    return [...this.#kinds.values()].filter((kind) => kind.describeOwn).map(({ name }) => name)
  }

  get name(): string {
    return this.loop.name
  }

  get state(): Background['state'] {
    return this.loop.state
  }

  get lastError(): unknown {
    return this.loop.lastError
  }

  get isFaulted(): boolean {
    return this.loop.isFaulted
  }

  get runs(): number {
    return this.loop.runs
  }

  get startedAt(): Date | undefined {
    return this.loop.startedAt
  }

  get lastRunAt(): Date | undefined {
    return this.loop.lastRunAt
  }

  /** Frees the jobs of a process that has ended, then takes due jobs. */
  start(firstMs?: number): Promise<void> {
    return this.loop.start(firstMs)
  }

  /** A job of this process that runs now. */
  findRun(id: number): ActiveRun | undefined {
    return this.#running.get(id)?.run
  }

  /** This process, as the list of servers shows it. */
  describe() {
    const { server, workers, queues } = this.#options
    return {
      Name: server,
      StartedAt: this.#startedAt.toISOString(),
      LastHeartbeat: this.loop.lastRunAt?.toISOString() ?? null,
      Workers: workers,
      Running: this.#running.size,
      Queues: queues.map(({ name }) => name),
    }
  }

  /** Takes jobs as soon as workers are free. */
  wake(): void {
    if (this.#isWoken || this.loop.state === 'stopped') return
    this.#isWoken = true
    this.loop.wake()
  }

  /** Takes no more jobs, tells the running ones to end, and writes down how they ended. */
  async stop(): Promise<void> {
    await this.loop.stop()
    const running = [...this.#running.values()]
    await Promise.race([Promise.all(running.map(({ done }) => done)), sleep(this.#options.stopMs)])
    for (const { run } of this.#running.values()) run.end('stopping')
    await Promise.race([
      Promise.all([...this.#running.values()].map(({ done }) => done)),
      sleep(GRACE_MS),
    ])
    if (this.#ended.length > 0) await this.#settle(async () => {})
  }

  /** A write waits for the writer's watch: a start without such jobs does not wait for it. */
  async #prepare(): Promise<void> {
    const { store } = this.#options
    if (await hasRunning(store)) await store.write((tx) => this.#free(tx), SCOPE)
  }

  async #free(tx: Tx): Promise<void> {
    const now = this.#options.clock.now()
    for (const job of await freeJobs(tx, now))
      await this.findKind(job.Name)?.onFailure?.(tx, { job, ...ENDED, now })
  }

  #follow(changes: TableChanges): void {
    // The claim is written after the commit that this call reports.
    if (changes !== 'all' && changes.has(TABLE)) this.wake()
  }

  /** Writes down ended jobs and takes new ones, in one transaction. */
  async #turn(): Promise<void> {
    this.#isWoken = false
    const { clock, server, hold } = this.#options
    const now = clock.now()
    const isHolding = (await hold.find()) !== undefined
    const taken = await this.#settle(async (tx) => {
      await promoteDue(tx, now)
      if (isHolding) await holdJobs(tx, now, (name) => this.findKind(name)?.staysInside === true)
      const claiming = { server, now }
      const jobs: JobRow[] = []
      let free = this.#budget.free
      for (const name of this.#budget.names) {
        const room = Math.min(free, this.#budget.room(name))
        if (room <= 0) continue
        const claimed = await claimJobs(tx, claiming, name, room)
        jobs.push(...claimed)
        free -= claimed.length
      }
      if (free > 0) jobs.push(...(await claimJobs(tx, claiming, this.#budget.names, free)))
      return { jobs, nextDue: await findNextDue(tx) }
    })
    for (const job of taken.jobs) this.#begin(job)
    this.#planWake(taken.nextDue, now)
  }

  #planWake(nextDue: Date | undefined, now: Date): void {
    const waits = [this.#budget.restMs, nextDue && nextDue.getTime() - now.getTime()]
    const known = waits.filter((each) => each !== undefined)
    if (known.length === 0 || this.#isWoken) return
    this.loop.wake(Math.min(LOOK_MS, Math.max(1, ...[Math.min(...known)])))
  }

  /** Writes ends of jobs; an end that could not be written is written the next time. */
  async #settle<T>(then: (tx: Tx) => Promise<T>): Promise<T> {
    const ended = this.#ended
    this.#ended = []
    for (const { job } of ended) this.#budget.end(job.Queue)
    try {
      return await this.#write(ended, then)
    } catch (error) {
      for (const { job } of ended) this.#budget.begin(job.Queue)
      this.#ended.unshift(...ended)
      throw error
    }
  }

  #write<T>(ended: readonly JobEnd[], then: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#options.store.write(async (tx) => {
      for (const end of ended) {
        if (!(await settleJob(tx, end)) || end.outcome.kind !== 'failed') continue
        const { job, outcome, at: now } = end
        const { reason, fieldErrors } = outcome
        await this.findKind(job.Name)?.onFailure?.(tx, { job, reason, fieldErrors, now })
      }
      return then(tx)
    }, SCOPE)
  }

  #begin(job: JobRow): void {
    const { callers, clock, progress } = this.#options
    this.#budget.begin(job.Queue)
    const run = new ActiveRun(job, {
      callers,
      now: () => clock.now(),
      onProgress: ({ latest }) => {
        if (!latest || job.UserId === null || job.CompanyId === null) return
        const owner = { userId: job.UserId, companyId: job.CompanyId }
        const report = { Kind: job.Name, ...latest, State: 'running' as const }
        progress.report(`job:${job.Id}`, owner, report)
      },
    })
    const done = this.#run(run).then((outcome) => {
      this.#running.delete(job.Id)
      this.#count(job, outcome)
      const latest = run.latest ? JSON.stringify(run.latest) : null
      const at = clock.now()
      this.#ended.push({ job, outcome, progress: latest, log: run.logText, at })
      this.wake()
    })
    this.#running.set(job.Id, { run, done })
  }

  /** Undeclared queues, whose names a model may give, count as one. */
  #count({ Queue }: JobRow, { kind }: JobOutcome): void {
    const key = `${this.#budget.names.includes(Queue) ? Queue : 'other'} ${kind}`
    this.runsEnded.set(key, (this.runsEnded.get(key) ?? 0) + 1)
  }

  /** Runs a job to its outcome; never rejects. */
  async #run(run: ActiveRun): Promise<JobOutcome> {
    const { job } = run
    const kind = this.findKind(job.Name)
    if (!kind)
      return this.#fail(run, new Failure('internal', say`There is no job named ${job.Name}`))
    const timeout = setTimeout(() => run.end('timeout'), kind.timeoutMs ?? this.#options.timeoutMs)
    try {
      const result = await Promise.race([this.#runNoted(kind, run), outlived(run)])
      return { kind: 'succeeded', result: toResultText(run, result) }
    } catch (error) {
      if (run.abortReason === 'stopping') return { kind: 'interrupted' }
      const isLate = run.abortReason === 'timeout'
      return this.#fail(run, isLate ? unavailable(say`It took too long and was stopped`) : error)
    } finally {
      clearTimeout(timeout)
    }
  }

  /** Runs a job, and logs as its user's reading what it shows in a file or a mail. */
  #runNoted(kind: JobKind, run: ActiveRun): Promise<unknown> {
    const { Name, UserId, ImpersonatorId, CompanyId } = run.job
    const by = () => ({
      userId: UserId ?? undefined,
      impersonatorId: ImpersonatorId ?? undefined,
      companyId: CompanyId ?? undefined,
      place: `job/${Name}`,
      request: run.arguments,
    })
    const span = {
      name: `job ${kind.name}`,
      kind: 'consumer' as const,
      attributes: { 'job.queue': run.job.Queue, 'job.attempt': run.job.Attempts },
    }
    return runTraced(span, () => this.#options.reads.run(by, () => runPlanned(kind, run)))
  }

  #fail({ job }: ActiveRun, error: unknown): JobOutcome {
    const { clock, retryDelayMs, log } = this.#options
    const why = toErrorText(error)
    const shown = renderStored(why)
    const isOver = isFinalFailure(error) || job.Attempts >= job.AttemptsMax
    const facts = { job: job.Id, name: job.Name, attempt: job.Attempts, why: shown }
    if (isOver) log.error('a job is a dead letter', undefined, facts)
    else log.warn('a job waits for another try', facts)
    const delay = planJitteredDelay(retryDelayMs, job.Attempts)
    const againAt = isOver ? undefined : new Date(clock.now().getTime() + delay)
    return { kind: 'failed', error: why, ...findReason(error), againAt }
  }
}

/**
 * Runs a job; one whose transaction is refused because the model or the rights it was planned by
 * have changed is planned again within its try: the change is not its fault.
 */
async function runPlanned(kind: JobKind, run: ActiveRun): Promise<unknown> {
  for (;;)
    try {
      return await kind.run(run)
    } catch (error) {
      if (!isPlannedOtherwise(error) || run.signal.aborted) throw error
      run.log(say`The model or the rights have changed. The job starts over.`)
    }
}

/** The reason of an error that may be shown; nothing for an error that is not a refusal. */
function findReason(error: unknown): FailureReason {
  const isTold = error instanceof Failure && error.kind !== 'internal'
  return {
    reason: isTold ? error.text : undefined,
    fieldErrors: isTold ? error.fieldErrors : undefined,
  }
}

const endless = () => new Failure('internal', say`The job did not stop when it was asked to`)

/** Rejects when a run that was asked to stop has not stopped in time. */
function outlived({ signal }: ActiveRun): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      setTimeout(() => reject(endless()), GRACE_MS).unref()
    })
  })
}
