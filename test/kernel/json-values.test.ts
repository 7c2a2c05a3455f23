/** How many values a JSON text holds. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { holdsMoreValues } from '../../src/kernel/json-values.ts'

/** Values inside of one; an empty list or object counts twice but for the outermost. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner: unknown[] = Object.values(value)
  return inner.length === 0 ? 1 : inner.length + inner.map(countValues).reduce((a, b) => a + b, 0)
}

test('is told as making them tells it, of bytes and of text', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(20), (text, max) => {
      const holds = text.length > max && countValues(JSON.parse(text)) > max
      expect(holdsMoreValues(text, max)).toBe(holds)
      expect(holdsMoreValues(Buffer.from(text), max)).toBe(holds)
    }),
    { numRuns: 1000 },
  )
})

test('levels are values, marks within texts are none', () => {
  expect(holdsMoreValues('['.repeat(11), 10)).toBe(true)
  expect(holdsMoreValues('{"a":'.repeat(11), 10)).toBe(true)
  expect(holdsMoreValues('["[{,\\"[,{\\\\", ",[{,[{,[{"]', 2)).toBe(false)
})
