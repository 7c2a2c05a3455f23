/** Times of the stages of a request, for the header Server-Timing (W3C). */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from '../store/store.ts'

/**
 * Stages in the order of a request: admission, the gate, the body, the planning before and between
 * statements, reads, writes with the wait for their turn and their commit, the work after the last
 * statement.
 */
const STAGES = ['admit', 'gate', 'body', 'plan', 'sql', 'write', 'answer'] as const

type Stage = (typeof STAGES)[number]

const current = new AsyncLocalStorage<Stages>()

/** The stages of one request, which add up to all of its time. */
export class Stages {
  readonly #milliseconds = new Map<Stage, number>()
  #since = performance.now()

  /** Books the time since the last stage's end under `stage`. */
  end(stage: Stage): void {
    const now = performance.now()
    const before = this.#milliseconds.get(stage) ?? 0
    this.#milliseconds.set(stage, before + now - this.#since)
    this.#since = now
  }

  /** True once the caller is admitted; the statements before that belong to the first stage. */
  get isAdmitted(): boolean {
    return this.#milliseconds.has('admit')
  }

  /** Runs `work` and counts the store's time for it in these stages. */
  run<T>(work: () => T): T {
    return current.run(this, work)
  }

  /** The value of the header: `admit;dur=0.05, sql;dur=1.20`, in milliseconds. */
  print(): string {
    return STAGES.flatMap((stage) => {
      const milliseconds = this.#milliseconds.get(stage)
      return milliseconds === undefined ? [] : [`${stage};dur=${milliseconds.toFixed(2)}`]
    }).join(', ')
  }
}

/** Wraps a store so that its work for a request is timed in the request's stages. */
export function timeStore(store: Store): void {
  const { text, get, all, snapshot, textOfNow, write } = store
  const reads = { text, get, all, snapshot, textOfNow }
  const entries = Object.entries({ ...reads, write })
  for (const [name, run] of entries)
    Reflect.set(store, name, timed(store, run, name === 'write' ? 'write' : 'sql'))
}

/** Times a method of the store; the reads within a transaction have a stage of their own. */
function timed(store: Store, run: (...args: never[]) => Promise<unknown>, stage: Stage) {
  return (...args: never[]): Promise<unknown> => {
    const stages = current.getStore()
    if (!stages?.isAdmitted) return run.apply(store, args)
    stages.end('plan')
    return run.apply(store, args).finally(() => stages.end(stage))
  }
}
