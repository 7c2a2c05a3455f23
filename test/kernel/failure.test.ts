/** Failures hold no more faults than an answer names. */
import { expect, test } from 'bun:test'
import { Failure, validation } from '../../src/kernel/failure.ts'
import { plain } from '../../src/kernel/messages.ts'

const faults = (count: number, last: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      at === count - 1 ? last : `Rows[${at}].Name`,
      plain(`fault ${at}`),
    ]),
  )

test.each([
  [1, 1],
  [100, 100],
  [101, 100],
  [5000, 100],
])('of %d fields at fault %d are named, by every way to a failure', (count, named) => {
  for (const last of ['Last', ''])
    for (const failure of [
      validation(faults(count, last)),
      new Failure('invalid', plain('no'), { fieldErrors: faults(count, last) }),
    ])
      expect(Object.keys(failure.fieldErrors ?? {})).toHaveLength(named)
})

test('what is said of the whole record is never left out', () => {
  const failure = validation(faults(500, ''))
  expect(String(failure.fieldErrors?.[''])).toBe('fault 499')
  expect(failure.message).toBe('fault 499')
})
