/**
 * Draws documents to print: PDF files, made in helper processes that wait for the next document.
 * Each document has its own limits of time and memory, and a helper draws a bounded number of them.
 */
import { rm } from 'node:fs/promises'
import { Failure, invalid } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { isRunning } from '../../kernel/running.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { PrintHead, PrintMessage, PrintReply } from './document.ts'
import type { DrawFault, DrawReply } from './draw-for-parent.ts'
import {
  type Helper,
  HelperFault,
  readResidentBytes,
  spawnHelper,
} from '../process/helper-process.ts'

interface PrinterLimits {
  /** Time for one document, from its head to its end. */
  timeoutMs: number
  /** Resident memory beyond which a helper is ended. */
  memoryBytesMax: number
  /** Documents that are drawn at the same time. */
  concurrency: number
}

interface DrawingOptions {
  /** The file to make; it must not exist yet. */
  path: string
  head: PrintHead
  /** The caller whose turn it is: works of one caller wait for each other. */
  by: string
  signal?: AbortSignal | undefined
  /** Called now and then with the pages that are drawn. */
  onPages?: ((pages: number) => void) | undefined
}

/** A document that is being drawn. */
interface Drawing {
  /**
   * Sends a part of the document; waits while the helper is behind.
   * @throws Failure when the document cannot be drawn
   */
  send(message: Exclude<PrintMessage, { do: 'open' | 'end' }>): Promise<void>
}

/** How long an idle helper waits, and how many documents it draws. */
const IDLE_MS = 60_000
const DOCUMENTS_MAX = 50
/** Share of its memory with which a helper may wait: the rest is the next document's. */
const KEPT_MAX = 0.5

/** A helper that has drawn, and its line of replies. */
interface Standby {
  helper: Helper
  replies: AsyncIterator<unknown>
  drawn: number
  idle?: ReturnType<typeof setTimeout>
}

/** Draws documents, a bounded number at a time. */
export class Printer {
  readonly #limits: PrinterLimits
  readonly #semaphore: Semaphore
  readonly #standing: Standby[] = []
  readonly #stop = new AbortController()
  readonly #busy = new Set<Standby>()

  constructor(limits: PrinterLimits) {
    this.#limits = limits
    this.#semaphore = new Semaphore(limits.concurrency)
  }

  /**
   * Draws the document that `fill` sends, as soon as it is the caller's turn. The file is complete
   * and on the disk when this resolves; there is none when it rejects.
   * @throws Failure invalid (400) where its data cannot be drawn, unavailable (503) where it took
   *   too long or too much memory, or was aborted
   */
  draw(options: DrawingOptions, fill: (drawing: Drawing) => Promise<void>): Promise<PrintReply> {
    return this.#semaphore.run(async () => {
      options.signal?.throwIfAborted()
      const standby = this.#take()
      try {
        const reply = await this.#drawBy(standby, options, fill)
        this.#giveBack(standby)
        return reply
      } catch (error) {
        await this.#end(standby)
        await rm(options.path, { force: true })
        throw error
      }
    }, options.by)
  }

  /** Ends every helper. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all([...this.#standing.splice(0), ...this.#busy].map((it) => this.#end(it)))
  }

  async #drawBy(
    standby: Standby,
    { path, head, signal, onPages }: DrawingOptions,
    fill: (drawing: Drawing) => Promise<void>,
  ): Promise<PrintReply> {
    const { helper, replies } = standby
    let late = false
    const timer = setTimeout(() => {
      late = true
      helper.kill()
    }, this.#limits.timeoutMs)
    const abort = (): void => helper.kill()
    signal?.addEventListener('abort', abort)
    // A reply before the end is a fault: it is heard while parts are still sent.
    const said = readReply(replies, onPages)
    said.catch(() => {})
    const send = (message: PrintMessage): Promise<void> => helper.send(message)
    try {
      await send({ do: 'open', path, head })
      await Promise.race([fill({ send }), said.then(() => new Promise<never>(() => {}))])
      await send({ do: 'end' })
      return await said
    } catch (error) {
      signal?.throwIfAborted()
      throw error instanceof HelperFault ? stopped(error, late) : error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #take(): Standby {
    if (this.#stop.signal.aborted) throw closing()
    let standby = this.#standing.pop()
    // When memory runs out, the system ends helpers first, waiting ones included.
    while (standby && !isRunning(standby.helper.pid)) standby = this.#standing.pop()
    standby ??= this.#spawn()
    clearTimeout(standby.idle)
    this.#busy.add(standby)
    return standby
  }

  #spawn(): Standby {
    const { memoryBytesMax } = this.#limits
    const helper = spawnHelper('draw-document', { memoryBytesMax, signal: this.#stop.signal })
    return { helper, replies: helper.messages()[Symbol.asyncIterator](), drawn: 0 }
  }

  #giveBack(standby: Standby): void {
    this.#busy.delete(standby)
    const isLarge = readResidentBytes(standby.helper.pid) > this.#limits.memoryBytesMax * KEPT_MAX
    if (++standby.drawn >= DOCUMENTS_MAX || isLarge || this.#stop.signal.aborted) {
      standby.helper.kill()
      return
    }
    standby.idle = setTimeout(() => {
      const at = this.#standing.indexOf(standby)
      if (at >= 0) this.#standing.splice(at, 1)
      standby.helper.kill()
    }, IDLE_MS)
    standby.idle.unref()
    this.#standing.push(standby)
  }

  async #end(standby: Standby): Promise<void> {
    this.#busy.delete(standby)
    clearTimeout(standby.idle)
    await standby.helper[Symbol.asyncDispose]()
  }
}

const closing = (): Failure => new Failure('unavailable', say`The server is stopping`)

function stopped(cause: HelperFault, isLate: boolean): Failure {
  if (isLate)
    return new Failure('unavailable', say`It took too long to create the document`, { cause })
  if (cause.end === 'memory')
    return new Failure('unavailable', say`Creating the document took too much memory`, { cause })
  return new Failure('internal', say`The document could not be created`, { cause })
}

/** Reads the helper's reply. @throws Failure where it could not draw */
async function readReply(
  replies: AsyncIterator<unknown>,
  onPages: ((pages: number) => void) | undefined,
): Promise<PrintReply> {
  for (;;) {
    const result = await replies.next()
    if (result.done) throw new HelperFault('exited', 'The helper said nothing')
    // The helper is this build itself.
    const reply = result.value as DrawReply
    if ('done' in reply) return reply.done
    if ('fault' in reply) throw invalid(describeFault(reply.fault), { code: 'UNPRINTABLE' })
    onPages?.(reply.pages)
  }
}

const describeFault = ({ pagesMax }: DrawFault): Message =>
  say`The document has more than ${pagesMax} pages. Narrow it down and try again.`
