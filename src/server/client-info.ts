/** The client that a request comes from, and the caller as the author of a change. */
import { type Actor, actorOf } from '../access/audit-entry.ts'
import type { Caller } from '../access/callers/caller.ts'
import { LANGUAGE } from '../access/users/spoken-language.ts'
import type { AppContext } from './context.ts'
import { callerLanguageOf, callerOf, networkOf, type WithFacts } from './session.ts'

/** Origin of a request. */
export interface ClientInfo {
  /** Address that failures are counted by. */
  readonly address: string
  /** Name that the client gives itself. */
  readonly client: string | undefined
  /** The language of mails about it. */
  readonly language: string
  readonly traceId: string
}

/** Origin of a signed-in caller's request. */
export interface OwnRequest extends ClientInfo {
  readonly caller: Caller
}

/** Returns the origin of a request. */
export const clientInfoOf = (of: WithFacts): ClientInfo => ({
  address: networkOf(of),
  client: of.facts.received.headers.get('user-agent') ?? undefined,
  language: callerLanguageOf(of),
  traceId: of.facts.traceId,
})

/** Returns the origin of a request with its caller. */
export const ownRequestOf = (of: WithFacts): OwnRequest => ({
  ...clientInfoOf(of),
  caller: callerOf(of),
})

/** The author of a change that a request makes, as the audit log names them. */
export const authorOf = (
  { clock, settings }: Pick<AppContext, 'clock' | 'settings'>,
  { caller, traceId }: OwnRequest,
  source: string,
): Actor => actorOf(caller, { now: clock.now(), source, traceId, language: settings.get(LANGUAGE) })
