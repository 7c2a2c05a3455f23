import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findJsonFault } from '../../src/kernel/json-fault.ts'

describe('the place of the first fault', () => {
  test.each([
    ['{"a":1', 1, 7, 'the text ends too early'],
    ['', 1, 1, 'the text ends too early'],
    ['{"a":\n  [1,2,,3]}', 2, 8, 'expected a value'],
    ['{a:1}', 1, 2, 'expected a name in double quotes, or }'],
    ["{'a':1}", 1, 2, 'expected a name in double quotes, or }'],
    ['{"a":1,}', 1, 8, 'expected a name in double quotes'],
    ['[1,]', 1, 4, 'expected a value'],
    ['{"a" 1}', 1, 6, 'expected a colon'],
    ['{"a":1 "b":2}', 1, 8, 'expected a comma or the closing bracket'],
    ['{"a":[1}', 1, 8, 'expected a comma or the closing bracket'],
    ['{} {}', 1, 4, 'expected nothing more'],
    ['{"a":01}', 1, 7, 'expected a comma or the closing bracket'],
    ['{"a":"x\ny"}', 1, 6, 'expected a value'],
    ['{"a":NaN}', 1, 6, 'expected a value'],
    ['[[[[', 1, 5, 'the text ends too early'],
  ])('%j', (text, line, column, problem) => {
    expect(() => JSON.parse(text)).toThrow()
    const fault = findJsonFault(text)
    expect({ ...fault, problem: String(fault?.problem) }).toEqual({ line, column, problem })
  })
})

test('depth does not hurt it', () => {
  const depth = 200_000
  expect(findJsonFault('['.repeat(depth))?.column).toBe(depth + 1)
})

test('JSON that was cut short or broken at one place is found at that place or after it', () => {
  const broken = fc.tuple(fc.json(), fc.nat()).map(([text, at]) => {
    const cut = at % text.length
    return { before: text.slice(0, cut), text: `${text.slice(0, cut)}\u0001${text.slice(cut)}` }
  })
  fc.assert(
    fc.property(broken, ({ before, text }) => {
      const { line, column } = findJsonFault(text) ?? { line: 0, column: 0 }
      expect(line).toBe(1)
      expect(column).toBeLessThanOrEqual(before.length + 1)
    }),
    { numRuns: 300 },
  )
})

test('what is further in than others could be kept waiting for has no place', () => {
  const far = 1024 * 1024
  for (const text of [
    `[${'1,'.repeat(far)}x]`,
    `{"a":"${'x'.repeat(8 * far)}`,
    '"' + '\\\\'.repeat(far),
  ])
    expect(findJsonFault(text)).toBeUndefined()
  expect(findJsonFault(`[x${'1,'.repeat(far)}]`)).toMatchObject({ line: 1, column: 2 })
})
