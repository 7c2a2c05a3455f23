/** The call that a route's gate and handler get. */
import type { Model } from '../model/model.ts'
import type { Caller } from '../access/callers/caller.ts'
import type { RequestCall } from './call.ts'
import type { AppContext } from './context.ts'
import { type Gate, passGate } from './gate.ts'
import { localeOf, modelOf, servedModel } from './language.ts'
import { callerOf, languageOf, type RequestFacts } from './session.ts'

/** A request in the parts that its route has of it. */
export interface Incoming {
  readonly request: Request
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

/** See `RequestCall`. One object a request: what a handler does not ask for is not looked up. */
export class RouteCall implements RequestCall {
  readonly app: AppContext
  readonly request: Request
  readonly facts: RequestFacts
  readonly params: unknown
  readonly query: unknown
  /** Set when it has been read, and when it has been checked. */
  body: unknown
  readonly #gate: Gate

  constructor(app: AppContext, facts: RequestFacts, gate: Gate, given: Incoming) {
    this.app = app
    this.facts = facts
    this.#gate = gate
    this.request = given.request
    this.params = given.params
    this.query = given.query
    this.body = given.body
  }

  get engine(): AppContext {
    return this.app
  }

  get caller(): Caller {
    return callerOf(this)
  }

  get model(): Model {
    return modelOf(this.app, this)
  }

  get servedModel(): Model {
    return servedModel(this.app, this)
  }

  get language(): string {
    return languageOf(this)
  }

  get locale(): string {
    return localeOf(this)
  }

  get traceId(): string {
    return this.facts.traceId
  }

  get signal(): AbortSignal {
    return this.request.signal
  }

  get server(): RequestCall['server'] {
    return this.facts.finders.findServer()
  }

  /**
   * Value that the gate found: once, unless model or rights changed since. Undefined while the body
   * does not name what the gate is about; a handler is not reached so.
   */
  get found(): unknown {
    const found = passGate(this.#gate, this)
    this.facts.planned ??= this.app.models.get()
    return found
  }
}
