/** Inside an extension's process: its line to the serving one. */
import type { EngineError } from './authoring.ts'
import { LOG_CHARACTERS_MAX, PROGRESS_CHARACTERS_MAX } from './limits.ts'
import type { CallKind, FirstMessage, News, ReportMessage } from './rpc-messages.ts'
import type { HelperPort } from '../process/helper-port.ts'
import type { SheetCell } from '../sheets/row-page.ts'

/** A `query` or a `submit` that the engine has refused, as the extension's code meets it. */
export class RefusedCall extends Error implements EngineError {
  override readonly name = 'EngineError'
  readonly Code: string
  readonly FieldErrors?: Record<string, string>
  /** The number by which the serving process knows it. */
  readonly call: number

  constructor(call: number, { code, message, fieldErrors }: Refusal) {
    super(message)
    this.call = call
    this.Code = code
    if (fieldErrors) this.FieldErrors = fieldErrors
  }
}

type Refusal = Extract<News, { error: object }>['error']

/** The line: calls and their answers, rows that come in, the signal to end. */
export class RpcChannel {
  readonly #port: HelperPort
  readonly #news: AsyncIterator<unknown>
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #stop = new AbortController()
  readonly #rows = new TransformStream<readonly (readonly SheetCell[])[]>()
  readonly #rowWriter = this.#rows.writable.getWriter()
  /** True when every row was read. */
  isDrained = false
  #lastCall = 0
  #logged = 0

  constructor(port: HelperPort) {
    this.#port = port
    this.#news = port.messages()[Symbol.asyncIterator]()
  }

  /** Aborts when the serving process says so. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Waits for the first message, then listens for the others. */
  async order(): Promise<FirstMessage> {
    const { value } = await this.#news.next()
    void this.#listen()
    // The serving process is the only one at the other end.
    return value as FirstMessage
  }

  report(report: ReportMessage): Promise<void> {
    return this.#port.send(report)
  }

  /** Logs values as one line. The rest beyond its bound is dropped: the log says so itself. */
  log(values: readonly unknown[]): void {
    if (this.#logged > LOG_CHARACTERS_MAX) return
    const text = values.map(toText).join(' ').slice(0, LOG_CHARACTERS_MAX)
    this.#logged += text.length + 1
    this.report({ log: text }).catch(() => {})
  }

  /** Starts the bound of the log again. */
  renewLog(): void {
    this.#logged = 0
  }

  /** Sends progress; a `done` that is not a finite number is ignored. */
  progress(done: number, total: number | null, message: string | null): void {
    if (!Number.isFinite(done)) return
    const known = Number.isFinite(total) ? total : null
    const text = message === null ? null : String(message).slice(0, PROGRESS_CHARACTERS_MAX)
    this.report({ progress: { done, total: known, message: text } }).catch(() => {})
  }

  /** Asks the serving process. @throws RefusedCall */
  async call<T>(what: CallKind, given: unknown): Promise<T> {
    const id = ++this.#lastCall
    const answer = Promise.withResolvers<unknown>()
    this.#calls.set(id, answer)
    try {
      await this.report({ call: id, what, with: given })
      // The answer has the type that `authoring.ts` promises of the call.
      return (await answer.promise) as T
    } finally {
      this.#calls.delete(id)
    }
  }

  /** The rows that are sent, one by one. */
  async *rows(): AsyncGenerator<readonly SheetCell[], void, undefined> {
    for await (const rows of this.#rows.readable) yield* rows
    this.isDrained = true
  }

  async #listen(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#news.next()
      if (done) return
      await this.#hear(value as News)
    }
  }

  async #hear(news: News): Promise<void> {
    if ('abort' in news) this.#stop.abort()
    else if ('rows' in news) {
      // Waits until they are read, so that no more of them come.
      await (news.rows === null ? this.#rowWriter.close() : this.#rowWriter.write(news.rows))
    } else if ('error' in news)
      this.#calls.get(news.answer)?.reject(new RefusedCall(news.answer, news.error))
    else this.#calls.get(news.answer)?.resolve(news.value)
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return value.stack ?? value.message
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
