/** One run of an extension, from the serving process's side. */
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure, invalid, STATEMENT_FAILED, unavailable } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { ExtensionFault, ExtensionPart } from './parts.ts'
import {
  type AppSettings,
  type CallKind,
  type FirstMessage,
  type News,
  type Order,
  ReportMessage,
} from './rpc-messages.ts'
import { type Helper, HelperFault, spawnHelper } from '../process/helper-process.ts'
import type { SheetCell } from '../sheets/row-page.ts'

export interface RunLimits {
  deadlineMs: number
  memoryBytesMax: number
}

/** Progress that a run reports. */
type RunProgress = Extract<ReportMessage, { progress: unknown }>['progress']

/**
 * Answers a `query`, `submit` or `enqueue`. Rejects with the reason of a refusal. `signal` aborts
 * with the end of the run: calls that only read end then.
 */
export type AnswerCall = (what: CallKind, given: unknown, signal: AbortSignal) => Promise<unknown>

export interface RunOptions extends Omit<RunLimits, 'deadlineMs'> {
  /** Most milliseconds of the run; undefined for a hosted service. */
  deadlineMs?: number | undefined
  /** The settings that `engine.setting` gives. */
  settings: AppSettings
  /** Ends the run with the server. */
  signal: AbortSignal
  /** Asks the code to end; soon after, its process is ended. */
  ending?: AbortSignal | undefined
  onProgress?: ((progress: RunProgress) => void) | undefined
  /** Called with the lines of the log. */
  onLog?: ((text: string) => void) | undefined
  /** Calls without it are refused. */
  answer?: AnswerCall | undefined
  /** Turns an error into the one that the caller gets, by `refuse`; else it is sent as it is. */
  reportError?: (error: unknown) => Extract<News, { error: object }>['error']
}

/** The result of a run. */
export type Outcome = { parts: readonly ExtensionPart[] } | { result: string }

/** The failure of an extension's code: for its author, and the part that the caller may know. */
export class ExtensionFailed extends Error {
  override readonly name = 'ExtensionFailed'
  readonly fault: ExtensionFault
  readonly callerMessage: string | null
  /** The refusal of the call that ended it. */
  readonly refusal: unknown

  constructor(fault: ExtensionFault, callerMessage: string | null, refusal: unknown) {
    super(`${fault.File}:${fault.Line ?? '?'}: ${fault.Message}`)
    this.fault = fault
    this.callerMessage = callerMessage
    this.refusal = refusal
  }
}

/** Calls of one run that are answered at the same time. */
const CALLS_MAX = 4
/** Refusals that are remembered by their calls. */
const REFUSALS_MAX = 100
/** The time that code has after its signal, at most. */
const GRACE_MS_MAX = 1000

/** A process that runs an order. Disposing of it ends the process. */
export class ExtensionRun implements AsyncDisposable {
  readonly #helper: Helper
  readonly #options: RunOptions
  readonly #calls = new Semaphore(CALLS_MAX)
  readonly #over = new AbortController()
  readonly #refusals = new Map<number, unknown>()
  readonly #warning: ReturnType<typeof setTimeout> | undefined
  #killing: ReturnType<typeof setTimeout> | undefined

  constructor(order: Order, options: RunOptions) {
    const { deadlineMs } = options
    this.#options = options
    this.#helper = spawnHelper('run-extension', options)
    void this.#helper.ended.then(() => this.#over.abort())
    this.#post({ ...order, settings: options.settings })
    if (deadlineMs !== undefined) {
      const grace = Math.min(GRACE_MS_MAX, deadlineMs / 10)
      this.#warning = setTimeout(() => this.#post({ abort: true }), deadlineMs - grace)
    }
    options.ending?.addEventListener('abort', this.#end)
    if (options.ending?.aborted) this.#end()
  }

  /** Resolves when the rows are on their way; waits while the process is behind. */
  send(news: Extract<News, { rows: unknown }>): Promise<void> {
    return this.#helper.send(news)
  }

  /**
   * The rows that it sends, in batches; returns the outcome.
   * @throws ExtensionFailed, HelperFault
   */
  async *rows(): AsyncGenerator<readonly (readonly SheetCell[])[], Outcome, undefined> {
    for await (const message of this.#helper.messages()) {
      const report = requireReport(message)
      if ('log' in report) this.#options.onLog?.(report.log)
      else if ('progress' in report) this.#options.onProgress?.(report.progress)
      else if ('call' in report && 'what' in report) await this.#take(report)
      else if ('rows' in report) yield report.rows
      else if ('fault' in report) throw this.#failed(report)
      else return report
    }
    throw new HelperFault('exited', 'The extension ended without a result')
  }

  /** Runs to the end; rows are dropped. @throws ExtensionFailed, HelperFault */
  async finish(): Promise<Outcome> {
    const rows = this.rows()
    for (;;) {
      const { done, value } = await rows.next()
      if (done) return value
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#warning)
    clearTimeout(this.#killing)
    this.#options.ending?.removeEventListener('abort', this.#end)
    this.#over.abort()
    await this.#helper[Symbol.asyncDispose]()
  }

  #end = (): void => {
    this.#post({ abort: true })
    this.#killing ??= setTimeout(() => this.#helper.kill(), GRACE_MS_MAX)
  }

  #post(news: FirstMessage | News): void {
    // The end of a process is reported by its messages.
    this.#helper.send(news).catch(() => {})
  }

  /** Resolves when there is a place for the call, so that no more of them come. */
  async #take({
    call,
    what,
    with: given,
  }: Extract<ReportMessage, { what: unknown }>): Promise<void> {
    const begun = Promise.withResolvers<void>()
    void this.#calls.run(async () => {
      begun.resolve()
      await this.#answer(call, what, given)
    })
    await begun.promise
  }

  async #answer(call: number, what: CallKind, given: unknown): Promise<void> {
    const { answer, reportError } = this.#options
    const { signal } = this.#over
    // The call has waited behind other calls of a run that has ended.
    if (signal.aborted) return
    try {
      if (!answer) throw new Error('There is no user to read or write as')
      this.#post({ answer: call, value: await answer(what, given, signal) })
    } catch (error) {
      if (signal.aborted) return
      if (this.#refusals.size < REFUSALS_MAX) this.#refusals.set(call, error)
      const answered = reportError?.(error) ?? { code: 'INVALID_ARGUMENT', message: String(error) }
      this.#post({ answer: call, error: answered })
    }
  }

  #failed({
    fault,
    callerMessage,
    call,
  }: Extract<ReportMessage, { fault: unknown }>): ExtensionFailed {
    const refusal = call === null ? undefined : this.#refusals.get(call)
    return new ExtensionFailed(fault, callerMessage, refusal)
  }
}

let reports: TypeCheck<typeof ReportMessage> | undefined

function requireReport(message: unknown): ReportMessage {
  reports ??= TypeCompiler.Compile(ReportMessage)
  if (reports.Check(message)) return message
  throw new HelperFault('failed', 'The extension sent what it should not')
}

/** The parts that a failure of the run is reported with. */
interface RunReport {
  log: Log
  limits: RunLimits
  traceId: string | undefined
  /** The last lines that it has logged itself. */
  lastLines?: readonly string[]
}

/** The code of a 400 for a process that was ended, or has ended itself. */
export const SCRIPT_ENDED = 'SCRIPT_ENDED'
/** The code of a 400 for code that failed. */
export const SCRIPT_FAILED = 'SCRIPT_FAILED'

/** The failure of a run as its caller gets it; its log entry is for its author. */
export function explainRun(
  error: unknown,
  name: string,
  { log, limits, traceId, lastLines }: RunReport,
): Failure {
  const facts = { name, traceId, ...(lastLines && { lastLines }) }
  if (error instanceof Failure) return error
  if (error instanceof ExtensionFailed) {
    const { File, Line, Message: reason } = error.fault
    log.warn('an extension failed', { ...facts, file: File, line: Line, reason })
    return explainFailed(error, name)
  }
  if (!(error instanceof HelperFault)) throw error
  log.warn('an extension was ended', { ...facts, end: error.end, reason: error.message })
  if (error.end === 'aborted') return unavailable(say`The server is stopping`)
  return invalid(explainEnd(error, name, limits), { code: SCRIPT_ENDED })
}

function explainEnd({ end }: HelperFault, name: string, limits: RunLimits): Message {
  if (end === 'deadline')
    return say`'${name}' took longer than ${limits.deadlineMs / 1000} seconds and was stopped`
  if (end === 'memory')
    return say`'${name}' used over ${Math.round(limits.memoryBytesMax / MB)} MB and was stopped`
  return say`'${name}' exited unexpectedly. See the server log for the reason.`
}

const MB = 1024 * 1024

function explainFailed({ refusal, callerMessage }: ExtensionFailed, name: string): Failure {
  const code = SCRIPT_FAILED
  if (refusal instanceof Failure && refusal.kind === 'unavailable') return refusal
  // SQL that fails on values is refused by every path alike.
  if (refusal instanceof Failure && refusal.code === STATEMENT_FAILED) return refusal
  if (refusal instanceof Failure && refusal.kind !== 'internal') {
    const { fieldErrors } = refusal
    return invalid(say`'${name}' failed: ${refusal.text}`, { code, fieldErrors, cause: refusal })
  }
  if (callerMessage !== null && callerMessage !== '')
    return invalid(say`'${name}' failed: ${callerMessage}`, { code })
  return invalid(say`'${name}' failed. See the server log for the reason.`, { code })
}
