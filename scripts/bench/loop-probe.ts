/**
 * The probe of `bench loop`: a process of its own that asks a server for its liveness every few
 * milliseconds. Its words are a port and a process; told `begin`, it collects; told `end`, it sends
 * the worst `Hold` since then, and the median one.
 */
import { readFileSync } from 'node:fs'

/** Longest that an answer took, in milliseconds. */
export interface Hold {
  /** By the clock: other work of the machine counts. */
  wall: number
  /** Time that the server's own thread ran in it; NaN where the system does not tell. */
  own: number
}

/** The holds since `begin`. */
export interface Holds {
  worst: Hold
  median: Hold
}

export type ProbeWord = 'begin' | 'end'

const EVERY_MS = 10

/** Nanoseconds that the first thread of a process has run. */
function readRun(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return Number.NaN
  }
}

function summarize(holds: readonly Hold[]): Holds {
  const at = (pick: (hold: Hold) => number, share: number): number => {
    const sorted = holds.map(pick).sort((one, other) => one - other)
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  }
  const both = (share: number): Hold => ({
    wall: at(({ wall }) => wall, share),
    own: at(({ own }) => own, share),
  })
  return { worst: both(1), median: both(0.5) }
}

async function probe(port: string, pid: string): Promise<never> {
  let holds: Hold[] = []
  let isEnding = false
  let answered = Promise.withResolvers<void>()
  process.on('message', (word: ProbeWord) => {
    if (word === 'begin') holds = []
    else isEnding = true
  })
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: { data: () => answered.resolve(), close: () => process.exit() },
  })
  for (;;) {
    answered = Promise.withResolvers()
    const [begun, run] = [performance.now(), readRun(pid)]
    socket.write(`GET /health/live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    await answered.promise
    const wall = performance.now() - begun
    const own = (readRun(pid) - run) / 1e6
    holds.push({ wall, own })
    if (isEnding) {
      isEnding = false
      process.send?.(summarize(holds))
    }
    await Bun.sleep(Math.max(0, EVERY_MS - wall))
  }
}

if (import.meta.main) {
  const [port = '', pid = ''] = process.argv.slice(2)
  await probe(port, pid)
}
