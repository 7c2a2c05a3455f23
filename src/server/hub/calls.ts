/** Calls of one client: one after the other, streams beside them. */
import { newAccount, onAccount, toKnownOutcome } from '../../kernel/charged.ts'
import { STATUS, toFailure } from '../../kernel/envelope.ts'
import { conflict, invalid, tooLarge, tooMany } from '../../kernel/failure.ts'
import { newTraceId } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { say } from '../../kernel/messages.ts'
import type { ReadBy, ReadNotes } from '../../kernel/read-notes.ts'
import { runTraced } from '../../kernel/tracing.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { HubCall, HubConnection } from './hub.ts'
import { type CheckedMethod, type HubMethods, readArguments, requireMethod } from './methods.ts'
import { type Invocation, writeError, writeItem, writeResult } from './protocol.ts'
import type { UserStreams } from './user-streams.ts'

/** Calls of one connection that may wait for their turn. */
const WAITING_MAX = 200

/** Streams of one connection that may run at once. */
const STREAMS_MAX = 8

/** A client that reads nothing has no more than this waiting for it; no message is larger. */
export const SENT_BYTES_MAX = 1024 * 1024

/** The connection, as its calls see it. */
export interface Callee extends HubConnection {
  /** The hub's name. */
  readonly hub: string
  readonly methods: HubMethods
  readonly log: Log
  /** Limits on the streams of a user, over all connections. */
  readonly streams: UserStreams
  readonly exposesErrors: boolean
  /** See `ReadLog.open`. */
  openReads(by: () => ReadBy): ReadNotes | undefined
  /** Returns the caller and the model of now; undefined when the caller is let in no longer. */
  admit(): Admitted | undefined | Promise<Admitted | undefined>
  /** Sends a record. */
  write(record: string): void
  /** Resolves when the sent data has left, or never will. */
  drained(): Promise<void> | undefined
  /** Returns the text of a failure, for the client. */
  describe(thrown: unknown, traceId: string): string
}

/** The caller of a call, and the model that it runs with. */
export interface Admitted {
  readonly caller: Caller
  readonly model: Model
}

/** A running call: its end, and its trace id in the log. */
interface Running {
  readonly signal: AbortSignal
  readonly traceId: string
}

/** The calls of one connection. */
export class Calls {
  readonly #callee: Callee
  readonly #ending = new AbortController()
  readonly #waiting: (() => Promise<void>)[] = []
  readonly #streams = new Map<string, AbortController>()
  readonly #running = new Set<Promise<void>>()
  #isBusy = false
  #isFinishing = false

  constructor(callee: Callee) {
    this.#callee = callee
  }

  /** Runs work in its turn; false when too much waits for it already. */
  enqueue(work: (signal: AbortSignal) => Promise<void>): boolean {
    if (this.#waiting.length >= WAITING_MAX) return false
    this.#waiting.push(() => work(this.#ending.signal))
    if (!this.#isBusy) this.#keep(this.#runAll())
    return true
  }

  /** Takes a call; false when too many wait already. One that comes at the end is not begun. */
  take(invocation: Invocation): boolean {
    if (this.#isFinishing) return true
    if (invocation.kind === 'stream') {
      this.#keep(this.#stream(invocation))
      return true
    }
    return this.enqueue((signal) => this.#run(invocation, { signal, traceId: newTraceId() }))
  }

  /** Ends a stream that the client wants no more of. */
  cancel(id: string): void {
    this.#streams.get(id)?.abort()
  }

  /** Stops new calls and ends the running ones: their client waits no longer. */
  end(): void {
    this.#waiting.length = 0
    this.#ending.abort()
    for (const stream of this.#streams.values()) stream.abort()
  }

  /** Ends streams, which may last for ever; resolves when all else that was called has ended. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    for (const stream of this.#streams.values()) stream.abort()
    await Promise.all(this.#running)
  }

  #keep(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  async #runAll(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next()
    this.#isBusy = false
  }

  async #run(invocation: Invocation, running: Running): Promise<void> {
    const callee = this.#callee
    const { id } = invocation
    const account = newAccount()
    try {
      const { declared, args } = this.#read(invocation, 'method')
      const call = await this.#call(running)
      if (!call) return
      account.reads = this.#openReads(call, invocation)
      const run = (): Promise<unknown> => Promise.resolve(declared.run(call, args))
      const result = await onAccount(account, () => this.#trace(invocation, running, run))
      account.reads?.settle()
      // The call may have taken long: its caller must still be admitted to get the result.
      if (id === undefined || running.signal.aborted || !(await callee.admit())) return
      callee.write(requireSmall(writeResult(id, result)))
    } catch (thrown) {
      this.#fail(id, toKnownOutcome(account, thrown), running.traceId)
    }
  }

  async #stream(invocation: Invocation): Promise<void> {
    const id = invocation.id ?? ''
    const traceId = newTraceId()
    const stream = new AbortController()
    const isFirst = !this.#streams.has(id)
    try {
      if (!isFirst) throw conflict(say`This invocation id is already in use`)
      if (this.#streams.size >= STREAMS_MAX) throw tooMany(say`Too many streams at once`, 1)
      using _place = this.#callee.streams.take(this.#callee.caller.userId)
      this.#streams.set(id, stream)
      await this.#runStream(id, invocation, { signal: stream.signal, traceId })
    } catch (thrown) {
      this.#fail(id, thrown, traceId)
    } finally {
      if (this.#streams.get(id) === stream) this.#streams.delete(id)
    }
  }

  async #runStream(id: string, invocation: Invocation, running: Running): Promise<void> {
    const { declared, args } = this.#read(invocation, 'stream')
    const call = await this.#call(running)
    if (!call) return
    const account = newAccount()
    account.reads = this.#openReads(call, invocation)
    const send = async (): Promise<void> => {
      for await (const item of declared.run(call, args) as AsyncIterable<unknown>) {
        if (running.signal.aborted) break
        if (!(await this.#callee.admit())) return
        account.reads?.settle()
        this.#callee.write(requireSmall(writeItem(id, item)))
        await this.#callee.drained()
      }
    }
    await onAccount(account, () => this.#trace(invocation, running, send))
    if (!this.#ending.signal.aborted) this.#callee.write(writeResult(id, undefined))
  }

  #read(
    invocation: Invocation,
    kind: 'method' | 'stream',
  ): { declared: CheckedMethod['declared']; args: Record<string, unknown> } {
    const method = requireMethod(this.#callee.methods, invocation.target)
    if (invocation.streamsArguments) throw invalid(say`Arguments cannot be streamed`)
    if (method.declared.kind !== kind)
      throw invalid(
        kind === 'stream'
          ? say`This method does not return a stream`
          : say`This method returns a stream`,
      )
    return { declared: method.declared, args: readArguments(method, invocation.args) }
  }

  /** A call has a span under its trace id, as a request has; that of a stream lasts as long. */
  #trace<T>({ target }: Invocation, { traceId }: Running, work: () => Promise<T>): Promise<T> {
    const { hub, methods } = this.#callee
    const method = requireMethod(methods, target).name
    const attributes = { 'rpc.system': 'signalr', 'rpc.service': hub, 'rpc.method': method }
    return runTraced({ name: `${hub}/${method}`, kind: 'server', attributes }, work, {
      traceId,
      isFault: (error) => STATUS[toFailure(error).kind] >= 500,
    })
  }

  #openReads({ caller, traceId }: HubCall, { target, args }: Invocation): ReadNotes | undefined {
    const { userId, impersonatorId, companyId } = caller
    const by = { userId, impersonatorId, companyId, traceId, place: `hub/${target}`, request: args }
    return this.#callee.openReads(() => by)
  }

  async #call({ signal, traceId }: Running): Promise<HubCall | undefined> {
    const admitted = await this.#callee.admit()
    if (!admitted || signal.aborted) return undefined
    return { connection: this.#callee, ...admitted, signal, traceId }
  }

  /** A fault of the engine's is logged; a refusal is the caller's affair. */
  #fail(id: string | undefined, thrown: unknown, traceId: string): void {
    const failure = toFailure(thrown)
    if (STATUS[failure.kind] >= 500)
      this.#callee.log.error('a call of a hub failed', failure.cause ?? failure, { traceId })
    if (id !== undefined && !this.#ending.signal.aborted)
      this.#callee.write(writeError(id, this.#callee.describe(failure, traceId)))
  }
}

/** @throws tooLarge for a record that no client is sent */
function requireSmall(record: string): string {
  if (Buffer.byteLength(record) > SENT_BYTES_MAX / 2)
    throw tooLarge(say`The result is too large for a hub message`)
  return record
}
