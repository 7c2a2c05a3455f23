/** Progress of long work, reported to the listeners of its operation. */

interface ProgressReport {
  /** Kind of the work: `export`, `import`. */
  Kind: string
  /** Rows, or another unit that the work counts. */
  Done: number
  /** Null while the total is not known. */
  Total: number | null
  State: 'running' | 'done' | 'failed'
  Message: string | null
}

/** Owner of the work, and the company in which they began it. */
interface ProgressOwner {
  readonly userId: number
  readonly companyId: number
}

type ProgressListener = (
  owner: ProgressOwner,
  report: ProgressReport & { OperationId: string },
) => void

/** Pause between reports of one operation: four a second are enough for readers. */
const PAUSE_MS = 250

/** Longest id in characters; work with a longer one is not reported. */
const ID_CHARACTERS_MAX = 200

/** Reports of all operations, to subscribers; each report names the owner of its operation. */
export class Progress {
  readonly #listeners = new Set<ProgressListener>()
  /** Time at which an operation was last reported, while it runs. */
  readonly #toldAt = new Map<string, number>()

  /** Calls `listener` with each report; the returned function ends the subscription. */
  subscribe(listener: ProgressListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Reports how far an operation is, the first and the last time always; nothing without an id. */
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
