/**
 * Reports that take long: begun for a request, they go on as a job, which keeps the file. The job
 * takes over the work as it is; where this process has none of it, it begins again.
 */
import { randomUUID } from 'node:crypto'
import { Failure } from '../../kernel/failure.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { MadeFileRow } from '../../engine/files/generated-files.ts'
import type { ProgressUnit } from '../../engine/printed-reports/make-report.ts'
import type { AppContext } from '../../server/context.ts'

/** How far the making of a file has come. */
interface WorkProgress {
  done: number
  of: ProgressUnit
}

/** The making of a file that has begun. */
export class ReportWork {
  readonly label: ModelText
  readonly file: Promise<MadeFileRow>
  readonly #stop = new AbortController()
  #latest: WorkProgress | undefined
  #listener: ((progress: WorkProgress) => void) | undefined

  /** `make` begins at once; it ends when its signal aborts. */
  constructor(
    label: ModelText,
    make: (
      signal: AbortSignal,
      onProgress: (done: number, of: ProgressUnit) => void,
    ) => Promise<MadeFileRow>,
  ) {
    this.label = label
    this.file = make(this.#stop.signal, (done, of) => {
      this.#latest = { done, of }
      this.#listener?.(this.#latest)
    })
    // Its failure belongs to the request or the job that waits for it; for a while none may.
    this.file.catch(() => {})
  }

  stop(): void {
    this.#stop.abort()
  }

  /** Calls `listener` with the progress so far, and with each one to come. */
  follow(listener: (progress: WorkProgress) => void): void {
    this.#listener = listener
    if (this.#latest) listener(this.#latest)
  }
}

const worksOf = new WeakMap<AppContext, Map<string, ReportWork>>()

const listWorks = (app: AppContext): Map<string, ReportWork> =>
  worksOf.getOrInsertComputed(app, () => new Map<string, ReportWork>())

/** Takes the work that a job was told of; undefined where this process has none of that name. */
export function takeWork(app: AppContext, name: string | undefined): ReportWork | undefined {
  if (name === undefined) return undefined
  const works = listWorks(app)
  const work = works.get(name)
  works.delete(name)
  return work
}

/** The part of the request that waits for a work. */
interface Waiting {
  app: AppContext
  /** Aborted once the client is gone. */
  signal: AbortSignal
  /** Milliseconds after which the work goes on as a job. */
  afterMs: number
  /** Enqueues the job that takes the work of a name. @throws Failure where none may be enqueued */
  enqueue: (name: string) => Promise<unknown>
}

/**
 * Waits for the file of a work; `isKept` tells whether it is a job's by now. Until then the work
 * ends with its client, and so it does where its user has too many jobs.
 * @throws what the work throws
 */
export async function awaitWork(
  work: ReportWork,
  { app, signal, afterMs, enqueue }: Waiting,
): Promise<{ row: MadeFileRow; isKept: boolean }> {
  const leave = (): void => work.stop()
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  const goOnAsJob = async (): Promise<boolean> => {
    const name = randomUUID()
    signal.removeEventListener('abort', leave)
    listWorks(app).set(name, work)
    try {
      await enqueue(name)
      return true
    } catch (error) {
      takeWork(app, name)
      if (!(error instanceof Failure)) app.log.error('a report could not go on as a job', error)
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
      return false
    }
  }
  let enqueued: Promise<boolean> | undefined
  const timer = setTimeout(() => (enqueued = goOnAsJob()), afterMs)
  try {
    const row = await work.file
    clearTimeout(timer)
    return { row, isKept: (await enqueued) ?? false }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}
