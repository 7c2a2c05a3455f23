/** A request on the way through its route: its gate gets it, then its handler. */
import type { Model } from '../model/model.ts'
import type { Caller } from '../access/callers/caller.ts'
import type { AppContext } from './context.ts'
import type { ConnectionServer } from './listening/connection-server.ts'
import type { RequestFacts } from './session.ts'

/**
 * A request as gates, handlers and their functions know it. Members are found when they are asked
 * for: an answer names its language, and is of a model, where its handler asked.
 */
export interface RequestCall {
  readonly app: AppContext
  /** The same, by the name that the engine's functions know it by. */
  readonly engine: AppContext
  readonly request: Request
  /** Beyond the request's own text; for the server's functions. */
  readonly facts: RequestFacts
  /** Parameters of the path, undecoded while they were not checked against their schema. */
  readonly params: unknown
  readonly query: unknown
  /** Undefined until it is read; unchecked until the handler has it. */
  readonly body: unknown
  /** @throws unauthenticated on an open route */
  readonly caller: Caller
  /** The model that serves: the request is planned with it, and its answer names the language. */
  readonly model: Model
  /** The same for an answer without texts: it names no language. */
  readonly servedModel: Model
  /** The language of the answer, which then names it. */
  readonly language: string
  /** Language and region of the answer, as `en-GB`: see `localeOf`. */
  readonly locale: string
  readonly traceId: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** The server that holds the connection; null without one. */
  readonly server: ConnectionServer | null
}
