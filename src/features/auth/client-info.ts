/** Where a request of a sign-in comes from, and whether it is made by the user themselves. */
import { requireNotImpersonated } from '../../access/impersonation.ts'
import type { Incoming } from '../../server/gate.ts'
import { callerOf, languageOf, networkOf } from '../../server/session.ts'
import type { ClientInfo } from './start-session.ts'

/** The address that failures are counted by, what the client calls itself, and its language. */
export const clientInfoOf = (request: Request): ClientInfo => ({
  address: networkOf(request),
  client: request.headers.get('user-agent') ?? undefined,
  language: languageOf(request),
})

/** A hook of routes that are the own affair of whoever is signed in: judged before the body is. */
export const refuseImpersonated = ({ request }: Incoming): void =>
  requireNotImpersonated(callerOf(request))
