/** Sentences for people of what went wrong. */
import type { TextKey } from '../texts/en.ts'
import { isOfLanguage, say } from '../texts/texts.ts'
import { ServerError } from './server-error.ts'

/** An error of the client whose message is a sentence for the user, in their language. */
export class ToldError extends Error {
  override readonly name = 'ToldError'
}

/** The sentence of something thrown: that of the server, ours, or what can be said of any other. */
export function describeFault(thrown: unknown): string {
  if (thrown instanceof ServerError) return describeRefusal(thrown)
  if (thrown instanceof ToldError) return thrown.message
  // A fetch that reaches nothing is a TypeError, whatever the browser says of it.
  return say(thrown instanceof TypeError && isOfFetch(thrown) ? 'unreached' : 'unexpected')
}

const isOfFetch = ({ message }: TypeError): boolean => /fetch|network|load failed/i.test(message)

/** General sentences of refusals by their codes, for users whose language the server lacks. */
const REFUSALS: Readonly<Partial<Record<string, TextKey>>> = {
  PERMISSION_DENIED: 'refusalDenied',
  NOT_PERMITTED_NOW: 'refusalNotNow',
  NOT_FOUND: 'refusalNotFound',
  CONFLICT: 'refusalConflict',
  INVALID_ARGUMENT: 'refusalInvalid',
  VALIDATION_FAILED: 'refusalInvalid',
  TOO_LARGE: 'refusalTooLarge',
  TOO_MANY_REQUESTS: 'refusalTooMany',
  UNAVAILABLE: 'refusalUnavailable',
  OUTCOME_UNKNOWN: 'refusalUnknown',
  INTERNAL_ERROR: 'unexpected',
}

/** The server's own sentence; behind a general one where it is in another language. */
function describeRefusal({ refusal: { error, code = '', language } }: ServerError): string {
  const general = REFUSALS[code]
  if (!general || language === undefined || isOfLanguage(language)) return error
  return `${say(general)} \u2068${error}\u2069`
}
