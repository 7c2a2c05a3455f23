/** Where a request comes from, and who it makes a change as. */
import { type Actor, actorOf } from '../access/audit-entry.ts'
import type { Caller } from '../access/callers/caller.ts'
import { LANGUAGE } from '../access/users/spoken-language.ts'
import type { AppContext } from './context.ts'
import { callerLanguageOf, callerOf, networkOf, traceIdOf } from './session.ts'

/** Where a request comes from. */
export interface ClientInfo {
  /** What failures are counted by. */
  readonly address: string
  /** What the client calls itself. */
  readonly client: string | undefined
  /** The language of mails about it. */
  readonly language: string
  readonly traceId: string
}

/** The same of whoever is signed in. */
export interface OwnRequest extends ClientInfo {
  readonly caller: Caller
}

/** Where a request comes from. */
export const clientInfoOf = (request: Request): ClientInfo => ({
  address: networkOf(request),
  client: request.headers.get('user-agent') ?? undefined,
  language: callerLanguageOf(request),
  traceId: traceIdOf(request),
})

/** Who asks, and from where. */
export const ownRequestOf = (request: Request): OwnRequest => ({
  ...clientInfoOf(request),
  caller: callerOf(request),
})

/** The author of a change that a request makes, as the audit log names them. */
export const authorOf = (
  { clock, settings }: Pick<AppContext, 'clock' | 'settings'>,
  { caller, traceId }: OwnRequest,
  source: string,
): Actor => actorOf(caller, { now: clock.now(), source, traceId, language: settings.get(LANGUAGE) })
