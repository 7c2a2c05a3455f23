/** Where a request of a sign-in comes from. */
import { addressOf, languageOf } from '../../server/session.ts'
import type { Origin } from './start-session.ts'

/** All that come over no network are throttled as one. */
const NO_NETWORK = 'none'

/** The address that failures are counted by, what the client calls itself, and its language. */
export const originOf = (request: Request): Origin => ({
  address: addressOf(request) ?? NO_NETWORK,
  client: request.headers.get('user-agent') ?? undefined,
  language: languageOf(request),
})
