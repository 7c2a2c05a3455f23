/** The statements of a report's datasets: all of one state of the tables, within one time. */
import { Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Message } from '../../kernel/messages.ts'
import type { Report } from '../../model/compiled/report.ts'
import type { Store } from '../../store/store.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { toTableSet } from '../object/read/table-set.ts'
import type { DataSetPlan } from './dataset-plan.ts'

/** Where reports are read. */
export interface ReportReader {
  readonly store: Store
  readonly queryCache: QueryCache
}

/** The text of a dataset's statement, or why it did not come. */
export type DataSetText = { text: string } | { reason: Message }

type DataSetTexts = ReadonlyMap<DataSetPlan, DataSetText>

/** The end of the time that a report has, and what then stands in the place of a dataset. */
class ReportTime {
  readonly #end = new AbortController()
  readonly #over = Promise.withResolvers<never>()
  readonly #timer: Timer
  readonly #milliseconds: number
  #pending = 0

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
    this.#over.promise.catch(() => undefined)
    this.#timer = setTimeout(() => {
      this.#end.abort()
      this.#over.reject(new Failure('invalid', this.reason))
    }, milliseconds)
  }

  /** Ends what was begun and is not over when the time is, or when another dataset failed. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  get isOver(): boolean {
    return this.#end.signal.aborted
  }

  get reason(): Message {
    return say`It was not there within the ${this.#milliseconds} ms of Svc:Reports:Timeout`
  }

  /** What `work` gives. @throws when the time is over before */
  async within<T>(work: Promise<T>): Promise<T> {
    this.#pending++
    try {
      return await Promise.race([work, this.#over.promise])
    } finally {
      this.#pending--
    }
  }

  /** Why a failed read leaves its dataset without rows. @throws any other failure */
  reasonOf(failure: unknown): Message {
    if (this.isOver) return this.reason
    if (failure instanceof Failure && failure.code === 'SQL_TIMEOUT') return failure.text
    throw failure
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    if (this.#pending > 0) this.#end.abort()
  }
}

/** When a commit last came between the datasets of a report that were read side by side. */
const moved = new WeakMap<Report, number>()

/** For so long they are not read so again, which would most likely be for nothing. */
const MOVING_MS = 1000

const isMoving = (report: Report): boolean =>
  performance.now() - (moved.get(report) ?? Number.NEGATIVE_INFINITY) < MOVING_MS

/**
 * The texts of the statements, all of one state of the tables: side by side where no commit comes
 * between, else one after another in one snapshot. A statement that takes longer than it may has
 * its reason instead.
 */
export async function readDataSets(
  reader: ReportReader,
  report: Report,
  plans: readonly DataSetPlan[],
  milliseconds: number,
): Promise<DataSetTexts> {
  const { queryCache } = reader
  using time = new ReportTime(milliseconds)
  const whole = queryCache.versionsOf(toTableSet(plans.flatMap(({ tables }) => tables)))
  if (plans.length <= 1 || (whole.stamp !== undefined && !isMoving(report))) {
    const reads = plans.map(async (plan) => [plan, await readOne(queryCache, plan, time)] as const)
    const texts = await Promise.all(reads)
    if (plans.length <= 1 || queryCache.holds(whole)) return new Map(texts)
    moved.set(report, performance.now())
  }
  // Awaited here: the time ends with this function.
  return await readInSnapshot(reader, report, plans, time)
}

/**
 * One who waits for the same answer may have begun it and end it: then it is asked for again.
 */
async function readOne(
  queryCache: QueryCache,
  { read, tables }: DataSetPlan,
  time: ReportTime,
): Promise<DataSetText> {
  const held = { ...read, signal: time.signal }
  for (;;) {
    try {
      return { text: await time.within(queryCache.text(held, queryCache.versionsOf(tables))) }
    } catch (failure) {
      const isEndedByOther = failure instanceof Failure && failure.code === 'SQL_CANCELLED'
      if (time.isOver || !isEndedByOther) return { reason: time.reasonOf(failure) }
    }
  }
}

async function readInSnapshot(
  { store }: ReportReader,
  report: Report,
  plans: readonly DataSetPlan[],
  time: ReportTime,
): Promise<DataSetTexts> {
  const name = [`report ${report.name}`, ...plans.map(({ read }) => read.sql)].join('\n')
  let found: string[] = []
  let reason = time.reason
  try {
    const work = store.snapshot(name, async (reader) => {
      found = []
      for (const { read } of plans) if (!time.isOver) found.push(await reader.text(read))
    })
    await time.within(work)
  } catch (failure) {
    reason = time.reasonOf(failure)
  }
  const texts = [...found]
  return new Map(
    plans.map((plan, at) => {
      const text = texts[at]
      return [plan, text === undefined ? { reason } : { text }]
    }),
  )
}
