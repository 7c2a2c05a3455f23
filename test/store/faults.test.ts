import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Failure } from '../../src/kernel/failure.ts'
import {
  codeOf,
  isConnectionFault,
  isDamage,
  isStorageFault,
  noteFile,
  toFailure,
} from '../../src/store/faults.ts'
import { DiskState } from '../../src/store/file/disk-state.ts'
import { describeStorageFault, explain } from '../../src/store/file/explain-fault.ts'
import { findUpgrade } from '../../src/store/file/upgrade.ts'
import { temporaryFolder } from '../support/executable.ts'

const fail = (code: string) => Object.assign(new Error('disk I/O error'), { code })

test('a read that failed with EIO is a fault of the disk: 503', () => {
  // SQLITE_IOERR_CORRUPTFS, a name that the package does not know.
  const error = fail('UNKNOWN_SQLITE_ERROR_8458')
  expect(codeOf(error)).toBe('SQLITE_IOERR')
  expect(isStorageFault(error)).toBe(true)
  expect(toFailure(error, 'Orders')).toMatchObject({ kind: 'unavailable', code: 'STORAGE_FAILED' })
})

test('a value of the wrong type is none, though the package does not know its code either', () => {
  const error = fail('UNKNOWN_SQLITE_ERROR_3091')
  expect(isStorageFault(error)).toBe(false)
  expect(toFailure(error)).toMatchObject({ kind: 'validation' })
})

const REMEDIES: readonly (readonly [code: string, remedy: string])[] = [
  ['SQLITE_IOERR', 'its disk fails to read it. Check the disk, then start again'],
  ['SQLITE_IOERR_WRITE', 'its disk fails to write it. Check the disk, then start again'],
  ['SQLITE_FULL', 'its disk is full. Make room, then start again'],
  ['SQLITE_BUSY', 'another program has it open and locked. End that program, then start again'],
  ['SQLITE_NOMEM', 'the system has too little memory for it. Make some free, then start again'],
  ['SQLITE_CORRUPT', 'restore a backup, or name another folder'],
]

test.each(REMEDIES)(
  '%s is told with its file, at the opening and behind it',
  async (code, remedy) => {
    const opening = explain('/data/engine.db', () => Promise.reject(fail(code)))
    expect(await opening.catch(String)).toBe(
      `Error: /data/engine.db cannot be opened (${code}): ${remedy}`,
    )
    const later = fail(code)
    expect(describeStorageFault(later)).toBe(
      `A database of the data folder cannot be used (${code}): ${remedy}`,
    )
    noteFile(later, '/data/state.db')
    expect(describeStorageFault(later)).toBe(`/data/state.db cannot be used (${code}): ${remedy}`)
  },
)

test('what a statement met is told as no fault of a file', () => {
  for (const code of ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_ERROR', 'SQLITE_MISMATCH', 'EIO'])
    expect([code, describeStorageFault(fail(code))]).toEqual([code, undefined])
})

/** The answer to a caller, and the trust in the connection and the pages afterwards. */
interface Outcome {
  status: string
  code: string
  /** The same of a statement that is authored, where it differs. */
  authored?: [status: string, code: string]
  trusted: boolean
  damage?: true
}
function unavailable(code: string, trusted: boolean): Outcome {
  return { status: 'unavailable', code, trusted }
}
const DISK = unavailable('STORAGE_FAILED', false)
const DAMAGE: Outcome = { ...DISK, damage: true }
const ROOM = unavailable('STORAGE_FAILED', true)
const BUSY = unavailable('UNAVAILABLE', true)
const MEMORY: Outcome = {
  ...unavailable('UNAVAILABLE', false),
  authored: ['invalid', 'SQL_MEMORY'],
}
const OURS: Outcome = { status: 'internal', code: 'SQL_FAILED', trusted: true }
const rule = (code: string): Outcome => ({ status: 'validation', code, trusted: true })

/** Every result code of sqlite3.h, by its number; extended ones follow their primary one. */
const CODES: readonly (readonly [name: string, numbers: readonly number[], outcome: Outcome])[] = [
  ['ERROR', [1], { ...OURS, authored: ['invalid', 'STATEMENT_FAILED'] }],
  ['ERROR_MISSING_COLLSEQ', [257], OURS],
  ['ERROR_RETRY', [513], OURS],
  ['ERROR_SNAPSHOT', [769], BUSY],
  ['INTERNAL', [2], OURS],
  ['PERM', [3], DISK],
  ['ABORT', [4], OURS],
  ['ABORT_ROLLBACK', [516], BUSY],
  ['BUSY', [5, 261, 517, 773], BUSY],
  ['LOCKED', [6, 262, 518], BUSY],
  ['NOMEM', [7], MEMORY],
  ['READONLY', [8, 264, 520, 776, 1032, 1288, 1544], DISK],
  ['INTERRUPT', [9], unavailable('SQL_CANCELLED', true)],
  ['IOERR', [10, ...Array.from({ length: 34 }, (_, at) => 266 + 256 * at)], DISK],
  ['IOERR_NOMEM', [3082], MEMORY],
  ['CORRUPT', [11, 267, 523, 779], DAMAGE],
  ['NOTFOUND', [12], OURS],
  ['FULL', [13], ROOM],
  ['CANTOPEN', [14, 270, 526, 782, 1038, 1294, 1550], DISK],
  ['PROTOCOL', [15], DISK],
  ['EMPTY', [16], OURS],
  ['SCHEMA', [17], BUSY],
  ['TOOBIG', [18], { status: 'invalid', code: 'SQL_TOO_LARGE', trusted: true }],
  ['CONSTRAINT', [19, 531, 787, 1043, 1299, 1811, 2067, 2323, 2579, 2835], rule('REFERENCE')],
  ['CONSTRAINT_DATATYPE', [3091], rule('TYPE')],
  ['MISMATCH', [20], rule('TYPE')],
  ['MISUSE', [21], OURS],
  ['NOLFS', [22], DISK],
  ['AUTH', [23, 279], DISK],
  ['FORMAT', [24], OURS],
  ['RANGE', [25], OURS],
  ['NOTADB', [26], DAMAGE],
  ['NOTICE', [27, 283, 539], OURS],
  ['WARNING', [28, 284], OURS],
  ['of a later SQLite', [99], OURS],
]

/** Codes by the package's name for each, and by number, as it tells what it does not know. */
const TOLD = CODES.flatMap(([name, numbers, outcome]) =>
  [`SQLITE_${name}`, ...numbers.map((number) => `UNKNOWN_SQLITE_ERROR_${number}`)]
    .filter((code) => !code.includes(' ') && (name === 'IOERR_NOMEM' || !code.endsWith('_3082')))
    .map((code) => ({ code, outcome })),
)

test.each(TOLD)('$code is answered by what it means', ({ code, outcome }) => {
  const { status, trusted, damage, authored = [status, outcome.code] } = outcome
  const error = fail(code)
  const answers = [toFailure(error), toFailure(error, 'Orders')] as Failure[]
  expect(answers.map((each) => [each.kind, each.code])).toEqual([[status, outcome.code], authored])
  for (const { kind, headers } of answers)
    expect(Number(headers?.['Retry-After']) > 0).toBe(kind === 'unavailable')
  expect([isConnectionFault(error), isDamage(error)]).toEqual([!trusted, damage === true])
  const disk = new DiskState('/data/engine.db')
  disk.noteRead(error)
  expect(disk.isSuspect).toBe(damage === true)
})

test('an authored statement whose tables have changed failed by no fault of its values', () => {
  const error = Object.assign(new Error('no such table: orders'), { code: 'SQLITE_ERROR' })
  expect(toFailure(error, 'Orders')).toMatchObject({ kind: 'internal', code: 'SQL_FAILED' })
})

test('a start that cannot read what version a database is of names it', async () => {
  using folder = temporaryFolder()
  expect(await findUpgrade(folder.path)).toBeUndefined()
  const file = join(folder.path, 'engine.db')
  mkdirSync(file)
  expect(await findUpgrade(folder.path).catch(String)).toBe(
    `Error: ${file} cannot be opened (EISDIR): restore a backup, or name another folder`,
  )
})
