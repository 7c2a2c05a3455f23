/** Queues that jobs wait in, and how many of each run at a time. */
import { MINUTE } from '../../kernel/setting.ts'

/** A queue as `Svc:Jobs:Queues` declares it; those before it go first. */
export interface JobQueue {
  readonly name: string
  /** Jobs of it that run at a time. */
  readonly workers: number
  /** Jobs of it that begin within a minute. */
  readonly perMinute: number
}

/** `name`, `name:workers` or `name:workers@perMinute`. */
export const QUEUE_FORM = /^([a-z][a-z0-9-]{0,63})(?::(\d{1,4})(?:@(\d{1,6}))?)?$/

/**
 * Jobs of `extensions` (a process each), `webhooks` (which wait for receivers) and `imports` (which
 * take turns with those of requests) run a few at a time.
 */
const DEFAULT_QUEUES = ['critical', 'default', 'extensions:4', 'webhooks:4', 'imports:2', 'low']

/** Reads `Svc:Jobs:Queues`; without it there are the default queues. */
export function readQueues(declared: readonly string[], workers: number): JobQueue[] {
  const texts = declared.length > 0 ? declared : DEFAULT_QUEUES
  return texts.map((text) => {
    const [, name = text, own, perMinute] = QUEUE_FORM.exec(text) ?? []
    return {
      name,
      workers: own === undefined ? workers : Math.max(1, Number(own)),
      perMinute: perMinute === undefined ? Infinity : Math.max(1, Number(perMinute)),
    }
  })
}

/** The number of jobs of each queue that may begin now. */
export class QueueBudget {
  readonly #queues: readonly JobQueue[]
  readonly #workers: number
  readonly #running = new Map<string, number>()
  /** Instants when jobs of a queue with a rate began, by the monotonic clock; the oldest first. */
  readonly #begun = new Map<string, number[]>()

  constructor(queues: readonly JobQueue[], workers: number) {
    this.#queues = queues
    this.#workers = workers
  }

  /** Names of the declared queues, in their order. */
  get names(): readonly string[] {
    return this.#queues.map(({ name }) => name)
  }

  /** Workers that have nothing to do. */
  get free(): number {
    let running = 0
    for (const count of this.#running.values()) running += count
    return Math.max(0, this.#workers - running)
  }

  /** The number of jobs of a queue that may begin; an undeclared queue has all free workers. */
  room(name: string): number {
    const queue = this.#queues.find((each) => each.name === name)
    if (!queue) return this.free
    const own = queue.workers - (this.#running.get(name) ?? 0)
    return Math.max(0, Math.min(this.free, own, this.#rateLeft(queue)))
  }

  /** Milliseconds until a queue that is at its rate has room again; undefined where none is. */
  get restMs(): number | undefined {
    const rests = this.#queues
      .filter((queue) => this.#rateLeft(queue) <= 0)
      .map(({ name }) => (this.#begun.get(name)?.[0] ?? 0) + MINUTE - performance.now())
    return rests.length > 0 ? Math.max(1, Math.ceil(Math.min(...rests))) : undefined
  }

  begin(name: string): void {
    this.#running.set(name, (this.#running.get(name) ?? 0) + 1)
    const queue = this.#queues.find((each) => each.name === name)
    if (!queue || queue.perMinute === Infinity) return
    const begun = this.#begun.get(name) ?? []
    this.#begun.set(name, begun)
    begun.push(performance.now())
  }

  end(name: string): void {
    this.#running.set(name, Math.max(0, (this.#running.get(name) ?? 0) - 1))
  }

  #rateLeft({ name, perMinute }: JobQueue): number {
    if (perMinute === Infinity) return Infinity
    const begun = this.#begun.get(name)
    if (!begun) return perMinute
    const since = performance.now() - MINUTE
    while ((begun[0] ?? Infinity) < since) begun.shift()
    return perMinute - begun.length
  }
}
