import { expect, test } from 'bun:test'
import { codeOf, isStorageFault, noteFile, toFailure } from '../../src/store/faults.ts'
import { describeStorageFault, explain } from '../../src/store/file/explain-fault.ts'

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
