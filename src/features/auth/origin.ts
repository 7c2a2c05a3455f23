/** Where a request of a sign-in comes from. */
import { languageOf, networkOf } from '../../server/session.ts'
import type { Origin } from './start-session.ts'

/** The address that failures are counted by, what the client calls itself, and its language. */
export const originOf = (request: Request): Origin => ({
  address: networkOf(request),
  client: request.headers.get('user-agent') ?? undefined,
  language: languageOf(request),
})
