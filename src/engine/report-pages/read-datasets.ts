/** Reads the statements of a report's datasets: all of one state, within one time limit. */
import { Failure } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import type { Settings } from '../../kernel/settings.ts'
import type { Reader, Store } from '../../store/store.ts'
import type { Report } from '../../model/compiled/report.ts'
import type { QueryCache, TableVersions } from '../object/read/query-cache.ts'
import { toTableSet } from '../object/read/table-set.ts'
import type { DataSetPlan } from './dataset-plan.ts'

/** The parts that reports are read with. */
interface DataSetReader {
  readonly store: Store
  readonly queryCache: QueryCache
}

/** The same, with the settings. */
export interface ReportReader extends DataSetReader {
  readonly settings: Settings
}

/** The text of a dataset's statement, or why it did not come. */
type DataSetText = { text: string } | { reason: Message }

/** The parts of a dataset's plan that decide how it is read. */
export interface ReadPlan extends Pick<DataSetPlan, 'read' | 'tables'> {
  dataSet: object
}

type DataSetTexts = ReadonlyMap<ReadPlan, DataSetText>

/** The time limit of a report, and the reason shown for datasets that exceed it. */
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

  /** Aborted once the time is up or another dataset has failed. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  get isOver(): boolean {
    return this.#end.signal.aborted
  }

  get reason(): Message {
    return say`The dataset took longer than ${this.#milliseconds} ms (Svc:Reports:Timeout)`
  }

  /** Returns what `work` resolves to. @throws when the time is up first */
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

type ReportName = Pick<Report, 'name'>

/** The last time that a commit came between datasets of a report that were read side by side. */
const moved = new WeakMap<ReportName, number>()

/** Time during which they are not read side by side again, most likely in vain. */
const MOVING_MS = 1000

const isMoving = (report: ReportName): boolean =>
  performance.now() - (moved.get(report) ?? Number.NEGATIVE_INFINITY) < MOVING_MS

/** With fewer free lanes the datasets would wait for each other, and share no pages. */
const LANES_MIN = 2

/** Milliseconds that each dataset took in its last snapshot. */
const times = new WeakMap<object, number>()

const timeOf = ({ dataSet }: ReadPlan): number => times.get(dataSet) ?? Number.MAX_VALUE

/** The text of a dataset, with the versions of its tables before it was read. */
interface VersionedText {
  text: DataSetText
  versions: TableVersions
}

type VersionedTexts = ReadonlyMap<ReadPlan, VersionedText>

/**
 * The texts of the statements, all of one state of the tables: side by side where lanes are free
 * and no commit comes between, else one after another in one snapshot, which reads again only what
 * a commit has changed. A statement that takes longer than it may has its reason instead.
 */
export async function readDataSets(
  reader: DataSetReader,
  report: ReportName,
  plans: readonly ReadPlan[],
  milliseconds: number,
): Promise<DataSetTexts> {
  const { queryCache } = reader
  using time = new ReportTime(milliseconds)
  const whole = queryCache.versionsOf(toTableSet(plans.flatMap(({ tables }) => tables)))
  let read: VersionedTexts = new Map()
  if (plans.length <= 1 || isBestSideBySide(reader, report, plans, whole)) {
    const reads = plans.map(async (plan) => [plan, await readOne(queryCache, plan, time)] as const)
    read = new Map(await Promise.all(reads))
    if (plans.length <= 1 || queryCache.holds(whole))
      return new Map([...read].map(([plan, { text }]) => [plan, text]))
    moved.set(report, performance.now())
  }
  // Awaited here: the time limit ends with this function.
  return await readInSnapshot(reader, { report, plans, read }, time)
}

function isBestSideBySide(
  { store, queryCache }: DataSetReader,
  report: ReportName,
  plans: readonly ReadPlan[],
  whole: TableVersions,
): boolean {
  if (whole.stamp === undefined) return false
  if (store.freeLanes >= LANES_MIN && !isMoving(report)) return true
  return plans.every(({ read, tables }) => queryCache.isAtHand(read, queryCache.versionsOf(tables)))
}

/** Another caller of the same answer may have begun it and may end it: then it is started again. */
async function readOne(
  queryCache: QueryCache,
  { read, tables }: ReadPlan,
  time: ReportTime,
): Promise<VersionedText> {
  const held = { ...read, signal: time.signal }
  for (;;) {
    const versions = queryCache.versionsOf(tables)
    try {
      return { text: { text: await time.within(queryCache.text(held, versions)) }, versions }
    } catch (failure) {
      const isEndedByOther = failure instanceof Failure && failure.code === 'SQL_CANCELLED'
      if (time.isOver || !isEndedByOther)
        return { text: { reason: time.reasonOf(failure) }, versions }
    }
  }
}

interface SnapshotWork {
  report: ReportName
  plans: readonly ReadPlan[]
  /** Datasets that were read side by side. */
  read: VersionedTexts
}

async function readInSnapshot(
  { store, queryCache }: DataSetReader,
  { report, plans, read }: SnapshotWork,
  time: ReportTime,
): Promise<DataSetTexts> {
  const name = [`report ${report.name}`, ...plans.map((plan) => plan.read.sql)].join('\n')
  let found = new Map<ReadPlan, DataSetText>()
  let reason = time.reason
  const load = async (reader: Reader): Promise<void> => {
    // The state of this moment, up to the first await.
    const texts = plans.flatMap((plan) => {
      const known = read.get(plan)
      return known && queryCache.holds(known.versions) ? [[plan, known.text] as const] : []
    })
    found = new Map(texts)
    const missing = plans
      .filter((plan) => !found.has(plan))
      .map((plan) => ({ plan, versions: queryCache.versionsOf(plan.tables) }))
      // One slow dataset must not take the time of the others.
      .sort((one, other) => timeOf(one.plan) - timeOf(other.plan))
    for (const { plan, versions } of missing) {
      if (time.isOver) return
      const text = await readExact(queryCache, reader, { plan, versions }, time)
      found.set(plan, { text })
    }
  }
  try {
    await time.within(store.snapshot(name, load, time.signal))
  } catch (failure) {
    reason = time.reasonOf(failure)
  }
  const texts = new Map(found)
  return new Map(plans.map((plan) => [plan, texts.get(plan) ?? { reason }]))
}

/**
 * The text of a dataset in the state of the snapshot, in which its tables have these versions: from
 * the cache, or of another snapshot in which they have the same.
 */
async function readExact(
  queryCache: QueryCache,
  reader: Reader,
  { plan, versions }: { plan: ReadPlan; versions: TableVersions },
  time: ReportTime,
): Promise<string> {
  let isOwn = false
  const load = async (): Promise<string> => {
    isOwn = true
    const begun = performance.now()
    try {
      return await reader.text(plan.read)
    } finally {
      times.set(plan.dataSet, performance.now() - begun)
    }
  }
  const key = queryCache.keyOf(plan.read)
  for (;;) {
    const answer = queryCache.answer(key, versions, load, { isExact: true })
    // The caller that began a statement waits for its end: only then is its lane free.
    if (isOwn) return await answer
    try {
      return await time.within(answer)
    } catch (failure) {
      // Another caller began it, and may have ended it for a reason of their own.
      if (time.isOver) throw failure
    }
  }
}
