/** Sentences for people of what went wrong. */
import { say } from '../texts/texts.ts'
import { ServerError } from './server-error.ts'

/** An error of the client whose message is a sentence for the user, in their language. */
export class ToldError extends Error {
  override readonly name = 'ToldError'
}

/** The sentence of something thrown: that of the server, ours, or what can be said of any other. */
export function describeFault(thrown: unknown): string {
  if (thrown instanceof ServerError) return thrown.refusal.error
  if (thrown instanceof ToldError) return thrown.message
  // A fetch that reaches nothing is a TypeError, whatever the browser says of it.
  return say(thrown instanceof TypeError && isOfFetch(thrown) ? 'unreached' : 'unexpected')
}

const isOfFetch = ({ message }: TypeError): boolean => /fetch|network|load failed/i.test(message)
