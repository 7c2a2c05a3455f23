/** Memory that a server gives back when it has worked. */
import { returnFreed } from '../vendor/libsql-memory.ts'
import { type Background, Loop } from '../kernel/background.ts'
import { sleep } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'

/** Often enough for memory to be level, rarely enough for reads to find it warm. */
const RETURN_MS = 20_000

/** Milliseconds that a collection has to end before freed memory is given back. */
const COLLECTING_MS = 2000

/** Milliseconds of processor by which enough is left for a collection, which takes some 50. */
const WORKED_MS = 500

/** Tells whether a server has worked since its memory was given back; its start is work. */
export class WorkMeter {
  readonly #read: () => number
  #since = 0

  /** `read` gives milliseconds of processor since the process began. */
  constructor(read: () => number) {
    this.#read = read
  }

  /** True once for work that leaves enough to give back; never of a server at rest. */
  takeWork(): boolean {
    const now = this.#read()
    if (now - this.#since < WORKED_MS) return false
    this.#since = now
    return true
  }
}

function readProcessorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Gives memory back that SQLite has freed, and what JavaScript keeps until it would collect by
 * itself: with few requests that is long after nothing uses it any more.
 */
export function openMemoryReturn({ log }: { log: Log }): Background {
  const meter = new WorkMeter(readProcessorMs)
  return new Loop({
    name: 'Memory',
    everyMs: RETURN_MS,
    waitsFirst: true,
    steps: [
      async () => {
        if (!meter.takeWork()) return
        Bun.gc(false)
        await sleep(COLLECTING_MS)
        returnFreed()
      },
    ],
    stopMs: 1,
    failure: 'memory was not given back',
    log,
  })
}
