/**
 * Work that must not run in the serving process, because it is heavy or untrusted: the executable
 * runs itself once more, as `appengine helper KIND PID`, within limits that this side enforces.
 */
import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isExecutable } from '../../kernel/build.ts'
import { sleep } from '../../kernel/clock.ts'
import { lowerPriority } from '../../kernel/priority.ts'
import { Channel } from './channel.ts'

/** The work of a helper; `commands/run-helper.ts` has its code. */
export type HelperKind =
  'run-extension' | 'read-sheet' | 'compile-model' | 'draw-document' | 'read-definition' | 'back-up'

export interface HelperOptions {
  /** Time after which the process is killed; undefined for one that waits for work. */
  deadlineMs?: number | undefined
  /** Resident memory beyond which it is killed; checked where the system has /proc. */
  memoryBytesMax: number
  /** Kills the helper. */
  signal?: AbortSignal | undefined
}

/** Reasons why a helper did not finish. */
type HelperEnd = 'deadline' | 'memory' | 'aborted' | 'flooded' | 'failed' | 'exited'

/** A helper that did not finish. Its message is for logs, never for an answer. */
export class HelperFault extends Error {
  override readonly name = 'HelperFault'
  readonly end: HelperEnd

  constructor(end: HelperEnd, message: string) {
    super(message)
    this.end = end
  }
}

export interface Helper extends AsyncDisposable {
  readonly pid: number
  /** Resolves once it is sent; waits while the helper is behind. @throws HelperFault */
  send(message: unknown): Promise<void>
  /**
   * Messages of the helper, for one reader, as they came: check any that the engine did not make.
   * Ends when the helper has done its work.
   * @throws HelperFault where it has not
   */
  messages(): AsyncIterable<unknown>
  /** Resolves to the fault, if any, when the process has ended. */
  readonly ended: Promise<HelperFault | undefined>
  /** Ends the process at once. */
  kill(): void
}

/** The helper's report on itself, besides its messages. */
export interface Farewell {
  /** Its work is done, or failed for a reason. */
  end: 'done' | { failed: string }
}

/** Helpers of this process by the kind of their work: how many began, run and have failed. */
export const helperCounts: Readonly<
  Record<HelperKind, { begun: number; running: number; failed: number }>
> = {
  'run-extension': { begun: 0, running: 0, failed: 0 },
  'read-sheet': { begun: 0, running: 0, failed: 0 },
  'compile-model': { begun: 0, running: 0, failed: 0 },
  'draw-document': { begun: 0, running: 0, failed: 0 },
  'read-definition': { begun: 0, running: 0, failed: 0 },
  'back-up': { begun: 0, running: 0, failed: 0 },
}

export const HELPER_KINDS = Object.keys(helperCounts) as HelperKind[]

const MEMORY_POLL_MS = 25
/** Niceness of helpers, which give way to the serving process on the same machine. */
const NICENESS = 5
const ERROR_CHARACTERS_MAX = 4000
/** Wait for the rest of its errors: another process may hold the line open. */
const LAST_WORDS_MS = 200

/** The command that starts this executable again; from sources Bun runs it, fetching nothing. */
function planCommand(kind: HelperKind): string[] {
  const source = isExecutable() ? [] : ['--no-install', join(import.meta.dir, '../../main.ts')]
  return [process.execPath, ...source, 'helper', kind, String(process.pid)]
}

/**
 * Starts a helper: a process with none of the environment, no standard input or output, in a folder
 * of its own that is removed with it. It ends with this process.
 */
export function spawnHelper(kind: HelperKind, options: HelperOptions): Helper {
  const watch = new HelperWatch()
  // A fresh folder: no one else can have put files there that a process reads as it starts.
  const folder = mkdtempSync(join(tmpdir(), 'appengine-helper-'))
  const child = Bun.spawn({
    cmd: planCommand(kind),
    env: { TMPDIR: folder, TEMP: folder },
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own: what it starts itself ends with it, and no key of a terminal reaches it.
    detached: true,
    serialization: 'json',
    ipc: (frame: unknown) => watch.receive(frame),
  })
  const errors = collectText(child.stderr)
  const ended = child.exited.then(async (code) => {
    watch.release()
    killGroup(child)
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    return watch.finish(
      code,
      child.signalCode,
      await Promise.race([errors, sleep(LAST_WORDS_MS).then(() => '')]),
    )
  })
  watch.hold(child, options)
  const counts = helperCounts[kind]
  counts.begun++
  counts.running++
  void ended.then((fault) => {
    counts.running--
    if (fault) counts.failed++
  })
  const kill = (): void => watch.end('aborted')
  return {
    pid: child.pid,
    send: (message) => watch.channel.send(message),
    messages: () => watch.channel.messages(),
    ended,
    kill,
    [Symbol.asyncDispose]: async () => {
      kill()
      await ended
    },
  }
}

interface Child {
  readonly pid: number
  kill(signal: 'SIGKILL'): void
  send(frame: unknown): void
}

/** A helper as this side knows it, and the limits that it is held to. */
class HelperWatch {
  readonly channel = new Channel((frame) => this.#post(frame))
  #child: Child | undefined
  #end: HelperEnd | undefined
  #farewell: Farewell['end'] | undefined
  #releases: (() => void)[] = []

  /** Begins to count time and memory. */
  hold(child: Child, { deadlineMs, memoryBytesMax, signal }: HelperOptions): void {
    this.#child = child
    lowerPriority(NICENESS, child.pid)
    if (deadlineMs !== undefined) {
      const timer = setTimeout(() => this.end('deadline'), deadlineMs)
      this.#releases.push(() => clearTimeout(timer))
    }
    const poll = setInterval(() => {
      if (readResidentBytes(child.pid) > memoryBytesMax) this.end('memory')
    }, MEMORY_POLL_MS)
    const abort = (): void => this.end('aborted')
    signal?.addEventListener('abort', abort)
    this.#releases.push(
      () => clearInterval(poll),
      () => signal?.removeEventListener('abort', abort),
    )
    if (signal?.aborted) abort()
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release()
  }

  /** Kills the process; the first reason is the one that is reported. */
  end(reason: HelperEnd): void {
    if (this.#farewell === undefined) this.#end ??= reason
    this.release()
    if (this.#child) killGroup(this.#child)
  }

  receive(frame: unknown): void {
    if (typeof frame === 'object' && frame !== null && 'end' in frame)
      return this.#hearFarewell(frame.end)
    try {
      this.channel.receive(frame)
    } catch {
      this.end('flooded')
    }
  }

  /** The outcome of the process, once it has ended. */
  finish(code: number, signal: string | number | null, errors: string): HelperFault | undefined {
    const fault = this.#findFault(code, signal, errors)
    this.channel.close(fault)
    return fault
  }

  #findFault(
    code: number,
    signal: string | number | null,
    errors: string,
  ): HelperFault | undefined {
    if (this.#end) return new HelperFault(this.#end, `The helper was ended: ${this.#end}`)
    if (this.#farewell === 'done') return undefined
    if (this.#farewell) return new HelperFault('failed', this.#farewell.failed)
    const how = signal ?? `exit code ${code}`
    return new HelperFault('exited', `The helper ended by itself (${how}) ${errors}`.trimEnd())
  }

  #hearFarewell(end: unknown): void {
    if (end === 'done') this.#farewell = end
    else if (typeof end === 'object' && end !== null && 'failed' in end)
      this.#farewell = { failed: String(end.failed) }
  }

  #post(frame: unknown): void {
    try {
      this.#child?.send(frame)
    } catch {
      // The process has just ended, and `finish` says why.
    }
  }
}

/** Ends a process and its children, unless they have left its group. */
function killGroup(child: Child): void {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** Resident memory of a process; 0 where the system does not say. */
export function readResidentBytes(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return Number(kibibytes ?? 0) * 1024
  } catch {
    return 0
  }
}

/** The last characters of a stream, which is read to its end so that it never stalls. */
async function collectText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream)
    text = (text + decoder.decode(chunk, { stream: true })).slice(-ERROR_CHARACTERS_MAX)
  return text
}
