/**
 * Result codes of SQLite, each with its meaning for the caller: the one table from which refusals,
 * sentences for operators, repeats and the trust in a connection follow.
 */

/**
 * The meaning of an error of SQLite.
 * - `disk`: the disk below a file refuses for now.
 * - `access`: a file may not be opened or written by this user, or not just now.
 * - `damage`: pages are not what they should be; a disk that fails for a moment shows it, too.
 * - `full`: there is no room, for a file or for temporary rows; the connection stays whole.
 * - `busy`: others hold what the statement needs, or have changed it: a repeat goes through.
 * - `memory`: the statement wants too much, or others have it just now.
 * - `stopped`: it was ended from outside, at a deadline or for a caller who left.
 * - `rule`: a rule of a table was broken; `type`: a value is of a type that a column does not take.
 * - `size`: a text or a row is longer than SQLite takes.
 * - `statement`: it failed on the values that it met, or names what is not there.
 * - `engine`: the call was a mistake of the engine; none of these has to do with data or files.
 */
export type CodeMeaning =
  | 'disk'
  | 'access'
  | 'damage'
  | 'full'
  | 'busy'
  | 'memory'
  | 'stopped'
  | 'rule'
  | 'type'
  | 'size'
  | 'statement'
  | 'engine'

/** The action that a fault of a file prevents. */
export type Refused = 'room' | 'writing' | 'reading'

/**
 * Result codes by number: the primary ones, and those extended ones that mean something else than
 * theirs. https://www.sqlite.org/rescode.html
 */
const CODES: Readonly<Record<number, readonly [name: string, meaning: CodeMeaning]>> = {
  1: ['SQLITE_ERROR', 'statement'],
  2: ['SQLITE_INTERNAL', 'engine'],
  3: ['SQLITE_PERM', 'access'],
  4: ['SQLITE_ABORT', 'engine'],
  5: ['SQLITE_BUSY', 'busy'],
  6: ['SQLITE_LOCKED', 'busy'],
  7: ['SQLITE_NOMEM', 'memory'],
  8: ['SQLITE_READONLY', 'access'],
  9: ['SQLITE_INTERRUPT', 'stopped'],
  10: ['SQLITE_IOERR', 'disk'],
  11: ['SQLITE_CORRUPT', 'damage'],
  12: ['SQLITE_NOTFOUND', 'engine'],
  13: ['SQLITE_FULL', 'full'],
  14: ['SQLITE_CANTOPEN', 'access'],
  15: ['SQLITE_PROTOCOL', 'disk'],
  16: ['SQLITE_EMPTY', 'engine'],
  17: ['SQLITE_SCHEMA', 'busy'],
  18: ['SQLITE_TOOBIG', 'size'],
  19: ['SQLITE_CONSTRAINT', 'rule'],
  20: ['SQLITE_MISMATCH', 'type'],
  21: ['SQLITE_MISUSE', 'engine'],
  22: ['SQLITE_NOLFS', 'disk'],
  23: ['SQLITE_AUTH', 'access'],
  24: ['SQLITE_FORMAT', 'engine'],
  25: ['SQLITE_RANGE', 'engine'],
  26: ['SQLITE_NOTADB', 'damage'],
  27: ['SQLITE_NOTICE', 'engine'],
  28: ['SQLITE_WARNING', 'engine'],
  257: ['SQLITE_ERROR_MISSING_COLLSEQ', 'engine'],
  513: ['SQLITE_ERROR_RETRY', 'engine'],
  // A rollback, of a fault as a rule, took away what a statement was reading.
  516: ['SQLITE_ABORT_ROLLBACK', 'busy'],
  769: ['SQLITE_ERROR_SNAPSHOT', 'busy'],
  3082: ['SQLITE_IOERR_NOMEM', 'memory'],
  3091: ['SQLITE_CONSTRAINT_DATATYPE', 'type'],
}

const MEANINGS: ReadonlyMap<string, CodeMeaning> = new Map(Object.values(CODES))

/** The name of a code by its number, or of its primary one; undefined for none of SQLite. */
export const nameCode = (code: number): string | undefined =>
  (CODES[code] ?? CODES[code & 0xff])?.[0]

/** The meaning of a code by its name, extended or not; undefined for a name not of SQLite. */
export function findMeaning(code: string): CodeMeaning | undefined {
  if (!/^(?:UNKNOWN_)?SQLITE_/.test(code)) return undefined
  const primary = /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? ''
  return MEANINGS.get(code) ?? MEANINGS.get(primary) ?? 'engine'
}

const WRITE_FAULTS =
  /^SQLITE_(?:READONLY|NOLFS|IOERR_(?:\w*WRITE|\w*FSYNC|TRUNCATE|DELETE|BEGIN_ATOMIC))/
const SPACE_FAULTS = /^SQLITE_(?:FULL|IOERR_SHMSIZE)/

/** Returns the action that a code of SQLite or of the file system prevents; as a rule a read. */
export function toRefused(code: string): Refused {
  if (SPACE_FAULTS.test(code) || /^(?:ENOSPC|EDQUOT)$/.test(code)) return 'room'
  return WRITE_FAULTS.test(code) || code === 'EROFS' ? 'writing' : 'reading'
}
