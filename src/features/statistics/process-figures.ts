/** Figures of this process: what was built, its memory, its event loop, and what runs beside it. */
import { statfs } from 'node:fs/promises'
import { findBuild } from '../../kernel/build.ts'
import { counter, type Figure, gauge, Histogram, histogramOf } from '../../kernel/figures.ts'
import { HELPER_KINDS, helperCounts } from '../../engine/process/helper-process.ts'
import type { AppContext } from '../../server/context.ts'
import facts from '../../../package.json' with { type: 'json' }

/** Bounds of delays of the event loop, in seconds. */
const DELAYS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1] as const

/** Measures how late the event loop comes to what is due, by a look after each span of time. */
export class LoopDelay {
  readonly delays = new Histogram(DELAYS)
  #due: number | undefined

  /** Called by a timer of `everyMs`; `now` is of the monotonic clock. */
  look(now: number, everyMs: number): void {
    if (this.#due !== undefined) this.delays.observe(Math.max(0, now - this.#due) / 1000)
    this.#due = now + everyMs
  }

  /** Forgets what is due: a loop that stood still measures nothing. */
  forget(): void {
    this.#due = undefined
  }
}

/** Lists figures of this process and of what is in its memory. */
export async function listProcessFigures(
  context: AppContext,
  { delays }: LoopDelay,
): Promise<Figure[]> {
  const { queryCache, hubs, folder } = context
  const { bavail, bsize, blocks } = await statfs(folder)
  return [
    gauge('appengine_build_info', 'One, with what was built', 1, {
      version: facts.version,
      build: findBuild(),
      bun: Bun.version,
    }),
    counter('process_cpu_seconds_total', 'Processor time of this process', cpuSeconds()),
    gauge('process_start_time_seconds', 'Start of this process, since 1970', startSeconds()),
    memory(),
    histogramOf(
      'appengine_event_loop_delay_seconds',
      'How late the event loop came to what was due',
      delays,
    ),
    counter('appengine_cache_hits_total', 'Answers out of the query cache', queryCache.hits),
    counter('appengine_cache_misses_total', 'Answers that were read again', queryCache.misses),
    gauge('appengine_cache_size_bytes', 'Memory of the cached answers', queryCache.bytes),
    gauge('appengine_hub_connections', 'Clients that are connected to hubs', hubs.size),
    counter(
      'appengine_hub_messages_received_total',
      'Messages of clients of hubs',
      hubs.messages.received,
    ),
    counter(
      'appengine_hub_messages_sent_total',
      'Messages to clients of hubs; one to all who follow a topic counts once',
      hubs.messages.sent,
    ),
    ...listHelpers(),
    gauge('appengine_disk_free_bytes', 'Free space for the data folder', bavail * bsize),
    gauge('appengine_disk_size_bytes', 'Size of the disk of the data folder', blocks * bsize),
  ]
}

function memory(): Figure {
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
  const kinds = { resident: rss, heap_used: heapUsed, heap: heapTotal, external, arrayBuffers }
  return {
    name: 'appengine_memory_bytes',
    help: 'Memory of this process by kind: what is resident has all others in it',
    kind: 'gauge',
    samples: Object.entries(kinds).map(([kind, value]) => ({
      labels: { kind: kind === 'arrayBuffers' ? 'array_buffers' : kind },
      value,
    })),
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const startSeconds = (): number => Math.round(performance.timeOrigin) / 1000

/** Extensions, sheets, models and documents: each runs in a process of its own. */
function listHelpers(): Figure[] {
  const samplesOf = (member: 'begun' | 'running' | 'failed') =>
    HELPER_KINDS.map((kind) => ({ labels: { kind }, value: helperCounts[kind][member] }))
  return [
    {
      name: 'appengine_helper_runs_total',
      help: 'Processes begun for work beside the server; run-extension are runs of extensions',
      kind: 'counter',
      samples: samplesOf('begun'),
    },
    {
      name: 'appengine_helper_failures_total',
      help: 'Such processes that did not end well',
      kind: 'counter',
      samples: samplesOf('failed'),
    },
    {
      name: 'appengine_helpers_running',
      help: 'Such processes that run',
      kind: 'gauge',
      samples: samplesOf('running'),
    },
  ]
}
