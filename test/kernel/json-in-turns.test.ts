/** A text in turns has the value of the text at once, and the same faults. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseJsonInTurns } from '../../src/kernel/json-in-turns.ts'
import { parseJsonExactly } from '../../src/kernel/numerals.ts'
import { cleanJson } from '../../src/server/body.ts'
import { scaleCases } from '../support/property.ts'

const readAtOnce = (text: string): unknown => {
  try {
    const value = parseJsonExactly(text)
    if (typeof value === 'object' && value !== null) cleanJson(value)
    return { value }
  } catch (error) {
    return error instanceof SyntaxError ? 'no JSON' : error
  }
}

const readInTurns = async (text: string): Promise<unknown> => {
  try {
    return { value: (await parseJsonInTurns(text, () => {})).value }
  } catch (error) {
    return error instanceof SyntaxError ? 'no JSON' : error
  }
}

const PARTS = [
  ...['{', '}', '[', ']', ',', ':', '-', '.', '"', '\\', ' ', '\t', '\u00a0', '\ufeff'],
  ...['"a"', '"b"', '"\\u0041x"', '"\\n"', '"\n"', '"\\x"', '"\\u12"', '"__proto__"'],
  ...['1', '-0', '0.5', '1e5', '1e400', '01', '1.', '12345678901234567', '"12345678901234567"'],
  ...['true', 'false', 'null', 'nul', '"\\ud83d\\ude00"'],
]

const numeral = fc.tuple(fc.bigInt(), fc.integer({ min: -400, max: 400 }))

test('any text is read as it is at once', async () => {
  const parts = fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }).map((all) => all.join(''))
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom(...PARTS))
    .map(([text, at, part]) => text.slice(0, at % text.length) + part)
  const numerals = fc.array(numeral).map((all) => `[${all.map(([m, e]) => `${m}e${e}`).join()}]`)
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), parts, broken, numerals), async (text) => {
      const [atOnce, inTurns] = [readAtOnce(text), await readInTurns(text)]
      expect(inTurns).toStrictEqual(atOnce)
      expect(JSON.stringify(inTurns)).toBe(JSON.stringify(atOnce))
    }),
    { numRuns: scaleCases(1000) },
  )
})

test('a text that is longer than one piece is put together again', async () => {
  const long = `${'x\\"\u00e4\\u00e4\\n'.repeat(40_000)}\\`
  const text = JSON.stringify({ [long]: [long, '😀'.repeat(300_000)] })
  expect(await readInTurns(text)).toStrictEqual({ value: JSON.parse(text) as unknown })
  for (const end of [2, 300_000, text.length - 1])
    expect(await readInTurns(text.slice(0, end))).toBe('no JSON')
})

test('what is nested deeply is told, and overflows nothing', async () => {
  const text = `${'['.repeat(90_000)}${']'.repeat(90_000)}`
  expect(await parseJsonInTurns(text, () => {})).toMatchObject({ depth: 90_000 })
})
