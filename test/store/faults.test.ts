import { expect, test } from 'bun:test'
import { codeOf, isStorageFault, toFailure } from '../../src/store/faults.ts'

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
