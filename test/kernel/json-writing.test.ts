/** A value in turns has the text of the value at once. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isBrief, writeJsonInTurns } from '../../src/kernel/json-writing.ts'
import { LongNumeral, parseJsonExactly, writesLongNumeral } from '../../src/kernel/numerals.ts'
import { hashBody, hashBodyInTurns } from '../../src/server/idempotency.ts'
import { scaleCases } from '../support/property.ts'

async function write(value: unknown): Promise<string> {
  const pieces: string[] = []
  await writeJsonInTurns(value, (piece) => pieces.push(piece))
  return pieces.join('')
}

const numeral = fc.tuple(fc.bigInt(), fc.integer({ min: -400, max: 400 }))
const numerals = fc
  .array(numeral)
  .map((all) => `{"N":[${all.map(([m, e]) => `${m}e${e}`).join()}]}`)
const texts = fc
  .array(fc.string({ unit: 'binary' }))
  .map((all) => JSON.stringify({ toJSON: all, '': [{}, [], all] }))

test('any value is written and hashed as it is at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), numerals, texts), async (text) => {
      const value = parseJsonExactly(text)
      expect(await write(value)).toBe(JSON.stringify(value))
      expect(await hashBodyInTurns(value)).toBe(hashBody(value))
    }),
    { numRuns: scaleCases(500) },
  )
  expect(await hashBodyInTurns(undefined)).toBe(hashBody(undefined))
})

test('a text of many pieces is written whole, and no character is cut', async () => {
  for (const before of [0, 1, 65_534, 65_535, 65_536]) {
    const value = { A: 'x'.repeat(before) + '😀"\n'.repeat(60_000), B: ['\ud83d'.repeat(70_000)] }
    expect((await write(value)) === JSON.stringify(value)).toBe(true)
  }
})

test('a value of many pieces is given on as it is written', async () => {
  const value = Array.from({ length: 50_000 }, (_, at) => ({ at }))
  const pieces: string[] = []
  await writeJsonInTurns(value, (piece) => pieces.push(piece))
  expect(pieces.join('')).toBe(JSON.stringify(value))
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000)
})

test('only a value with a longer text is not brief', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), numerals, texts), (text) => {
      const value = parseJsonExactly(text)
      expect(isBrief(value, JSON.stringify(value).length)).toBe(true)
    }),
    { numRuns: scaleCases(300) },
  )
})

test.each([
  [{ A: 'text' }, 12, true],
  [{ A: 'x'.repeat(10_000) }, 9000, false],
  [Array.from({ length: 90_000 }, () => [1]), 1000, false],
  [{ A: [{ B: null }], C: 'x' }, 100, true],
  ['text', 5, false],
])('a value is brief or not: %#', (value, characters, expected) => {
  expect(isBrief(value, characters)).toBe(expected)
})

const holdsLongNumeral = (value: unknown): boolean =>
  value instanceof LongNumeral ||
  (typeof value === 'object' && value !== null && Object.values(value).some(holdsLongNumeral))

test('a text is said to have a long numeral exactly where one is read as such', () => {
  const text = fc.oneof(
    numerals,
    texts,
    fc.json(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => `{"N":[${one}]}`),
  )
  fc.assert(
    fc.property(text, (json) => {
      const value = parseJsonExactly(json)
      expect(writesLongNumeral(json)).toBe(holdsLongNumeral(value))
    }),
    { numRuns: scaleCases(500) },
  )
})
