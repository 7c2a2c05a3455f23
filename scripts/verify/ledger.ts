/** Requests to the server, their answers, and the effects that they must have had. */
import { type Answer, NoAnswer } from './api.ts'

/** Audit entries by `Entity action`: `{'Order insert': 1, 'OrderLine insert': 3}`. */
export type Effects = Readonly<Record<string, number>>

/** One request that changes records, known in the audit by its trace id. */
export interface Write {
  trace: string
  what: string
  /** All of what it does when it is done. */
  expects: Effects
  outcome: 'acked' | 'refused' | 'failed' | 'unanswered'
  /** The answer to one that was refused or failed. */
  reason: string
  /** By the monotonic clock. */
  sentAt: number
}

export class Ledger {
  readonly writes: Write[] = []
  #waiting: { outcome: Write['outcome'] | undefined; count: number; resolve: () => void }[] = []

  /** Sends a write and notes its end down. Throws NoAnswer when there is no answer. */
  async note<T>(
    what: string,
    expects: Effects,
    send: (trace: string) => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    const trace = crypto.randomUUID().replaceAll('-', '')
    const sentAt = performance.now()
    const write: Write = { trace, what, expects, outcome: 'unanswered', reason: '', sentAt }
    this.writes.push(write)
    const answer = await send(trace)
    write.outcome = toOutcome(answer)
    if (write.outcome !== 'acked') write.reason = `${answer.status} ${JSON.stringify(answer.body)}`
    this.#tell(write.outcome)
    return answer
  }

  /** Ends the wait for answers: there are no more writers. */
  end(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when so many more writes are answered, or none can be. */
  whenAnswered(count: number, outcome?: Write['outcome']): Promise<void> {
    if (count === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ outcome, count, resolve }))
  }

  #tell(outcome: Write['outcome']): void {
    for (const waiting of this.#waiting)
      if ((waiting.outcome ?? outcome) === outcome && --waiting.count === 0) waiting.resolve()
    this.#waiting = this.#waiting.filter(({ count }) => count > 0)
  }

  count(outcome: Write['outcome']): number {
    return this.writes.filter((write) => write.outcome === outcome).length
  }
}

/**
 * A 503 that names no fault and says when to ask again is a true refusal: on a machine without time
 * the writer's queue is longer than `Svc:Writer:MaxWait`. One of the disk has a code of its own.
 */
function toOutcome({ status, body, retryAfter }: Answer<unknown>): Write['outcome'] {
  if (status < 300) return 'acked'
  const isBusy = status === 503 && body.code === 'UNAVAILABLE' && retryAfter !== null
  return status < 500 || isBusy ? 'refused' : 'failed'
}

/** Runs `work` until the server is gone. */
export async function untilGone(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
  }
}
