/** The refusals of another program's database, as sentences that say what to do. */
import { codeOf, meaningOf, toFailure } from '../faults.ts'

/** A file that cannot be read as a database: its message says what to do. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** Explains an error of SQLite; any other is returned as it is. */
export function explainSource(path: string, error: unknown): unknown {
  if (meaningOf(error) === undefined) return error
  return new SourceError(`${path} cannot be read (${codeOf(error)}): ${findRemedy(error)}`, {
    cause: toFailure(error),
  })
}

function findRemedy(error: unknown): string {
  const meaning = meaningOf(error)
  if (meaning === 'damage') return 'it is damaged or encrypted: repair it, or take a backup of it'
  if (meaning === 'access')
    return (
      'another program left its log (-wal or -journal) beside it, and this user may not ' +
      'write there: open it once with the program that it belongs to, or copy all of ' +
      'its files into a folder of your own'
    )
  if (meaning === 'busy') return 'another program is writing to it: stop that program first'
  return messageOf(error)
}

/** The message of an error. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
