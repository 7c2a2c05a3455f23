/** How far long work has come, reported to whoever listens for its operation. */

interface ProgressReport {
  /** What is done: `export`, `import`. */
  Kind: string
  /** Rows, or whatever the work counts. */
  Done: number
  /** Null while it is not known. */
  Total: number | null
  State: 'running' | 'done' | 'failed'
  Message: string | null
}

/** Whose work it is, and in which company they began it. */
interface ProgressOwner {
  readonly userId: number
  readonly companyId: number
}

type ProgressListener = (
  owner: ProgressOwner,
  report: ProgressReport & { OperationId: string },
) => void

/** Four reports a second of one operation are enough for any eye. */
const PAUSE_MS = 250

/** Longer ids are cut by nobody: nothing is reported of them. */
const ID_CHARACTERS_MAX = 200

/** Reports of all operations, to those who subscribed. Who asked for an operation hears of it. */
export class Progress {
  readonly #listeners = new Set<ProgressListener>()
  /** When an operation was last reported, while it runs. */
  readonly #toldAt = new Map<string, number>()

  /** Calls `listener` with each report; the result ends it. */
  subscribe(listener: ProgressListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Tells how far an operation is, the first and the last time always; nothing without an id. */
  report(
    operationId: string | null | undefined,
    { userId, companyId }: ProgressOwner,
    report: ProgressReport,
  ): void {
    if (!operationId || operationId.length > ID_CHARACTERS_MAX) return
    const key = `${userId} ${companyId} ${operationId}`
    const now = performance.now()
    const isOver = report.State !== 'running'
    if (!isOver && now - (this.#toldAt.get(key) ?? -Infinity) < PAUSE_MS) return
    if (isOver) this.#toldAt.delete(key)
    else this.#toldAt.set(key, now)
    for (const listener of this.#listeners)
      listener({ userId, companyId }, { OperationId: operationId, ...report })
  }
}
