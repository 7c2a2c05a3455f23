/** The memory of bodies in flight, and the requests that give way when it is used up. */
import { expect, test } from 'bun:test'
import { Failure } from '../../src/kernel/failure.ts'
import { BodyBudget } from '../../src/server/body-budget.ts'
import { readJsonObject } from '../../src/server/body.ts'

const NOBODY_ELSE = () => {
  throw new Error('Nobody else should have to give way')
}

test('what is held counts until it is released', () => {
  const budget = new BodyBudget(100)
  const one = budget.hold('ann', 60, NOBODY_ELSE)
  expect(() => budget.hold('ann', 60, NOBODY_ELSE)).toThrow(Failure)
  one[Symbol.dispose]()
  one[Symbol.dispose]()
  expect(budget.bytes).toBe(0)
  const other = budget.hold('ann', 60, NOBODY_ELSE)
  other.grow(40)
  expect(() => other.grow(1)).toThrow(Failure)
  expect(budget.bytes).toBe(100)
})

test('the caller who holds the most gives way to others, and is refused with 503', () => {
  const budget = new BodyBudget(100)
  const refused: string[] = []
  const other = budget.hold('other', 40, NOBODY_ELSE)
  const greedy = [20, 15, 10].map((bytes) =>
    budget.hold('greedy', bytes, ({ kind }) => refused.push(`${bytes} ${kind}`)),
  )
  const late = budget.hold('late', 30, NOBODY_ELSE)
  expect(refused).toEqual(['20 unavailable'])
  expect(budget.bytes).toBe(95)
  expect(() => budget.hold('greedy', 20, NOBODY_ELSE)).toThrow(Failure)
  for (const each of [...greedy, late, other]) each[Symbol.dispose]()
  expect(budget.bytes).toBe(0)
})

test('what is whole already is not taken back', () => {
  const budget = new BodyBudget(100)
  budget.hold('greedy', 90, NOBODY_ELSE).isWhole()
  expect(() => budget.hold('late', 30, NOBODY_ELSE)).toThrow(Failure)
})

test('one caller holds a part of it, and others get in whatever it does with that', () => {
  const budget = new BodyBudget(100)
  const greedy = [25, 25].map((bytes) => budget.hold('greedy', bytes, NOBODY_ELSE))
  for (const each of greedy) each.isWhole()
  expect(() => budget.hold('greedy', 10, NOBODY_ELSE)).toThrow(Failure)
  expect(() => greedy[0]?.grow(10)).toThrow(Failure)
  budget.hold('late', 50, NOBODY_ELSE).isWhole()
  expect(budget.bytes).toBe(100)
})

/** A body that begins and never ends. */
const endless = (headers: Record<string, string>) =>
  new Request('http://localhost/', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
    }),
  })

const CHUNKED: Record<string, string> = { 'Transfer-Encoding': 'chunked' }

test.each([{}, CHUNKED])('a body that never ends: 400', async (headers) => {
  const budget = new BodyBudget(100)
  const reading = readJsonObject(endless(headers), {
    bytesMax: 50,
    budget,
    caller: 'slow',
    keep: () => {},
    deadlineMs: 1,
  })
  expect(await reading.catch((error: unknown) => error)).toMatchObject({ code: 'BODY_TOO_SLOW' })
})

test('a body whose caller has to give way: 503', async () => {
  const budget = new BodyBudget(100)
  const reading = readJsonObject(
    endless({ 'Content-Length': '80', 'Transfer-Encoding': 'chunked' }),
    {
      bytesMax: 90,
      budget,
      caller: 'greedy',
      keep: () => {},
    },
  )
  budget.hold('late', 50, NOBODY_ELSE)
  expect(await reading.catch((error: unknown) => error)).toMatchObject({
    kind: 'unavailable',
    headers: { 'Retry-After': '5' },
  })
})

const listOf = (values: number): string =>
  JSON.stringify({ Values: Array.from({ length: values }, (_, at) => at) })

const MEMBERS = Object.fromEntries(Array.from({ length: 99_000 }, (_, at) => [`M${at}`, at]))
const LONG = Array.from({ length: 99_000 }, (_, at) => `9007199254${1e6 + at}`)
const NUMERALS = `{"Values":[${LONG.join()}]}`

test.each([
  ['a small body is read in one turn of the event loop', listOf(10), 0],
  ['a large one leaves turns to others between its stages', listOf(20_000), 3],
  ['one of many members leaves turns while it is parsed', JSON.stringify(MEMBERS), 5],
  ['one of numerals that are to be kept leaves turns as well', NUMERALS, 5],
  ['one of a long text, too', JSON.stringify({ Text: 'x'.repeat(4_000_000) }), 4],
] as const)('%s', async (_, text, least) => {
  const budget = new BodyBudget(10 * text.length)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(text.length) }
  const request = new Request('http://localhost/', { method: 'POST', body: text, headers })
  let [turns, isRead] = [0, false]
  const count = (): void => {
    if (isRead) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  const limits = { bytesMax: 10 * text.length, budget, caller: 'ann', keep: () => {} }
  const value = await readJsonObject(request, limits)
  isRead = true
  expect(JSON.stringify(value)).toBe(text)
  if (least === 0) expect(turns).toBeLessThanOrEqual(1)
  else expect(turns).toBeGreaterThanOrEqual(least)
})

test('a large body that is nested too deep, or no JSON, is refused as a small one', async () => {
  const read = (text: string): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(text.length) }
    const request = new Request('http://localhost/', { method: 'POST', body: text, headers })
    const limits = { bytesMax: text.length, caller: 'ann', keep: () => {} }
    return readJsonObject(request, { ...limits, budget: new BodyBudget(10 * text.length) }).catch(
      (error: unknown) => error,
    )
  }
  for (const size of [10, 100_000]) {
    const text = `"Text":"${'x'.repeat(size)}"`
    const deep = await read(`{${text},"Deep":${'['.repeat(64)}${']'.repeat(64)}}`)
    expect(deep).toMatchObject({ kind: 'invalid' })
    expect(String(deep)).toContain('The body is nested deeper than 64 levels')
    expect(await read(`{"A":1,,${text}}`)).toMatchObject({ code: 'MALFORMED_JSON' })
    expect(await read(`{${text},"__proto__":{"a":1}}`)).toStrictEqual({ Text: 'x'.repeat(size) })
  }
})
