/** The inside of a helper: its line to the process that started it. */
import { existsSync, writeFileSync } from 'node:fs'
import { Channel } from './channel.ts'
import type { Farewell } from './helper-process.ts'

/** The line to the process that started this one. */
export interface HelperPort {
  /** Resolves once it is sent; waits while the other side is behind. */
  send(message: unknown): Promise<void>
  /** Messages of the other side, for one reader. */
  messages(): AsyncIterable<unknown>
}

/** The work of a kind of helper, from its first message to its last. */
export type HelperWork = (port: HelperPort) => Promise<void>

/**
 * Runs a helper's work and says how it ended, once every message is taken. Resolves also when the
 * process that started it has ended. @throws Error where `parent`, the id of a process, did not
 * start it as a helper, or has ended already
 */
export async function runHelperWork(work: HelperWork, parent: number): Promise<void> {
  const post = (frame: object): void => {
    process.send?.(frame)
  }
  if (!process.send) throw new Error('A helper is started by the engine alone')
  const gone = Promise.withResolvers<void>()
  const channel = new Channel(post)
  process.on('message', (frame: unknown) => channel.receive(frame))
  process.on('disconnect', () => gone.resolve())
  // A signal to stop goes to the whole process group; requests in flight still need this helper.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  await endWithParent()
  // The system no longer reports a parent that ended before that.
  if (process.ppid !== parent) throw new Error('The engine that started this helper has ended')
  const end = work({
    send: (message) => channel.send(message),
    messages: () => channel.messages(),
  })
    .then((): Farewell['end'] => 'done')
    .catch((error: unknown) => ({ failed: describe(error) }))
  await Promise.race([
    gone.promise,
    end.then(async (how) => {
      await channel.drained()
      post({ end: how } satisfies Farewell)
    }),
  ])
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

const PR_SET_PDEATHSIG = 1
const SIGKILL = 9n

/**
 * On Linux the system itself ends this process with its parent, whatever it is doing, and takes it
 * first when memory runs out. Elsewhere the closed line is noticed.
 */
async function endWithParent(): Promise<void> {
  if (process.platform !== 'linux') return
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
    const { dlopen } = await import('bun:ffi')
    const { symbols } = dlopen(findCLibrary(), {
      prctl: { args: ['int', 'u64', 'u64', 'u64', 'u64'], returns: 'int' },
    })
    symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n)
  } catch {
    // On a system without it, the closed line is noticed as soon as the work pauses.
  }
}

const MUSL_NAMES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x86_64', arm64: 'aarch64' }

/** The C library by the name that it has on the two kinds of Linux. */
function findCLibrary(): string {
  const musl = `libc.musl-${MUSL_NAMES[process.arch]}.so.1`
  return existsSync(`/lib/${musl}`) ? musl : 'libc.so.6'
}
