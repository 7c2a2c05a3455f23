/** Faults of a database as sentences for the operator: which file, what refused, what to do. */
import { Failure } from '../../kernel/failure.ts'
import { type CodeMeaning, toRefused } from '../codes.ts'
import { codeOf, findFile, isStorageFailure, meaningOf } from '../faults.ts'

/** Adds the file and the way out to errors of the package, which name neither. */
export async function explain<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    if (meaningOf(error) === undefined && !/^E[A-Z]+$/.test(code)) throw error
    throw new Error(`${file} cannot be opened (${code}): ${findRemedy(error)}`, { cause: error })
  }
}

/** A command that reads and writes both databases knows no name for a fault that bears none. */
const SOME_DATABASE = 'A database of the data folder'

/**
 * Returns the sentence for a fault that a database met once it was open: "/data/engine.db cannot be
 * used (SQLITE_IOERR): its disk fails to read it. Check the disk, then start again". Undefined for
 * an error that is no fault of a file.
 */
export function describeStorageFault(error: unknown): string | undefined {
  if (error instanceof Failure && !isStorageFailure(error)) return undefined
  const fault = isStorageFailure(error) ? error.cause : error
  const code = codeOf(fault)
  if (isOfFile(meaningOf(fault)))
    return `${findFile(fault) ?? SOME_DATABASE} cannot be used (${code}): ${findRemedy(fault)}`
  // The cause of a refusal by the state of the files names the file.
  return isStorageFailure(error) && fault instanceof Error && code === ''
    ? `${error.message} (${fault.message})`
    : undefined
}

/** Checks for an error of a file that cannot be used; any other one of SQLite is of a statement. */
const isOfFile = (meaning: CodeMeaning | undefined): boolean =>
  meaning !== undefined && OF_FILES.has(meaning)

const OF_FILES: ReadonlySet<CodeMeaning> = new Set([
  'disk',
  'access',
  'damage',
  'full',
  'busy',
  'memory',
])

function findRemedy(error: unknown): string {
  const [code, meaning] = [codeOf(error), meaningOf(error)]
  const isOfStatement = meaning !== undefined && !isOfFile(meaning)
  if (isOfStatement || meaning === 'damage' || /^(?:ENOENT|EISDIR|ENOTDIR)/.test(code))
    return 'restore a backup, or name another folder'
  if (meaning === 'busy')
    return 'another program has it open and locked. End that program, then start again'
  if (meaning === 'memory' || code === 'ENOMEM')
    return 'the system has too little memory for it. Make some free, then start again'
  const refused = toRefused(code)
  if (refused === 'room') return 'its disk is full. Make room, then start again'
  if (meaning === 'access' || /^E(?:ACCES|PERM|ROFS)/.test(code))
    return refused === 'writing'
      ? 'it cannot be written. Allow this user to write it and its folder'
      : 'it cannot be read. Allow this user to read it and its folder'
  return refused === 'writing'
    ? 'its disk fails to write it. Check the disk, then start again'
    : 'its disk fails to read it. Check the disk, then start again'
}
