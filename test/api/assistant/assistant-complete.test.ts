/** Completions of a question (src/server/README.md, Assistant): each is understood. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { startSales } from '../../support/explored-sales.ts'
import { refusal, type Refusal } from '../../support/objects.ts'

interface Completion {
  Text: string
  Completion: string
  Kind: string
}
interface Typed {
  Text: string
  Object?: string
}

const SVC = '/api/v1/svc/assistant'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => app[Symbol.asyncDispose]())

type Refused = Refusal & { data: Completion[] }

async function complete(
  body: Typed,
  by: { language?: string; as?: string; app?: TestApp } = {},
): Promise<Completion[]> {
  const to = by.app ?? app
  const {
    status,
    text,
    body: told,
  } = await to.fetch<Refused>(`${SVC}/complete`, {
    as: by.as ?? 'ana',
    headers: { 'Accept-Language': by.language ?? 'en' },
    body,
  })
  expect({ status, text }).toMatchObject({ status: 200 })
  return told.data
}

describe('a typed text', () => {
  test.each([
    ['en', 'how many ord', 'ord', 'how many Orders', 'Object'],
    ['en', 'orders by reg', 'reg', 'orders by Region', 'Field'],
    ['en', 'canc', 'canc', 'Cancelled', 'Option'],
    ['en', 'orders ship', 'ship', 'orders Shipped', 'Option'],
    ['en', 'sum of order tot', 'tot', 'sum of order Total', 'Measure'],
    ['en', 'orders last mo', 'last mo', 'orders last month', 'Period'],
    ['en', 'orders b', 'b', 'orders by Region', 'Form'],
    ['en', 'HOW MANY O', 'HOW MANY O', 'How many Orders are there?', 'Form'],
    ['de', 'wie viele auf', 'auf', 'wie viele Aufträge', 'Object'],
    ['de', 'Aufträge letzten M', 'letzten M', 'Aufträge letzten Monat', 'Period'],
    ['de', 'Aufträge nach Geb', 'Geb', 'Aufträge nach Gebiet', 'Field'],
  ])('%s: %s', async (language, Text, partial, completion, kind) => {
    const found = await complete({ Text }, { language })
    expect(found).toContainEqual({ Text: partial, Completion: completion, Kind: kind })
  })

  test('is begun by forms and objects where it is empty', async () => {
    const kinds = (await complete({ Text: '' })).map(({ Kind }) => Kind)
    expect(new Set(kinds)).toEqual(new Set(['Form', 'Object']))
    const seen = await complete({ Text: '', Object: 'orders' })
    expect(seen.map(({ Completion }) => Completion)).toContain('How many Orders are there?')
  })

  test('is completed as the object that the caller looks at', async () => {
    const found = await complete({ Text: 'this m', Object: 'Orders' })
    expect(found).toEqual([{ Text: 'this m', Completion: 'this month', Kind: 'Period' }])
    expect(await complete({ Text: 'this m' })).toEqual([])
  })

  test('of unknown words, or of more than 25, has none', async () => {
    expect(await complete({ Text: 'wxyz qrst ord' })).toEqual([])
    expect(await complete({ Text: `${'orders or '.repeat(13)}ord` })).toEqual([])
  })
})

describe('rights', () => {
  test('a hidden field or object, or a value of a record, is never offered', async () => {
    await using sales = await startSales()
    const offer = async (Text: string, as: string): Promise<string> =>
      (await complete({ Text }, { as, app: sales.app })).map((each) => each.Completion).join()
    for (const [Text, name] of [
      ['sum of cos', 'Cost'],
      ['sales by cli', 'Client'],
      ['cli', 'Clients'],
    ] as const) {
      expect(await offer(Text, 'ana')).toContain(name)
      expect(await offer(Text, 'rep')).not.toMatch(/client|cost/i)
    }
    for (const Text of ['', 'sales ', 'sales by ', 'sum of '])
      expect(await offer(Text, 'rep')).not.toMatch(/client|cost/i)
    expect([await offer('sales of Ze', 'ana'), await offer('', 'dee')]).toEqual(['', ''])
    const send = (as: string) =>
      sales.app.fetch<Refused>(`${SVC}/complete`, { as, body: { Text: '', Object: 'Clients' } })
    expect((await send('ana')).status).toBe(200)
    refusal(await send('rep'), 401)
  })

  test('an object that is not there, and a long text, are refused', async () => {
    const send = (body: object) => app.fetch<Refused>(`${SVC}/complete`, { as: 'ana', body })
    const missing = await send({ Text: 'how', Object: 'nothing' })
    expect(refusal(missing, 404).error).toBe('There is no object with this name')
    const long = refusal(await send({ Text: 'x'.repeat(2001) }), 400)
    expect(long.fieldErrors).toHaveProperty('Text')
    expect((await app.fetch(`${SVC}/complete`, { body: { Text: '' } })).status).toBe(401)
  })
})

const HEADS: Readonly<Record<string, readonly string[]>> = {
  en: ['how many orders', 'customers by', 'sum of total of orders per month', 'top 5 products by'],
  de: ['wie viele Aufträge', 'Kunden nach', 'Summe Betrag der Aufträge pro Monat'],
}

describe('completions', () => {
  test.each(Object.keys(HEADS))('in %s are understood as they stand', async (language) => {
    const texts = (HEADS[language] ?? []).flatMap((head) =>
      Array.from({ length: head.length / 6 }, (_, at) => head.slice(0, at * 6)).concat(`${head} `),
    )
    const offered = new Set<string>()
    for (const Text of texts)
      for (const { Text: partial, Completion } of await complete({ Text }, { language })) {
        expect(Completion.startsWith(Text.slice(0, Text.length - partial.length))).toBe(true)
        offered.add(Completion)
      }
    expect(offered.size).toBeGreaterThan(20)
    for (const Question of offered) {
      const { status, text } = await app.fetch(`${SVC}/query`, {
        as: 'ana',
        headers: { 'Accept-Language': language },
        body: { Question },
      })
      expect({ Question, status, text }).toMatchObject({ status: 200 })
    }
  })
})
