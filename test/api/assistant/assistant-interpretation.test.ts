/**
 * The parts of a question (src/server/README.md, Assistant): what its words were read as, and the
 * other readings of the same words.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { MediaType } from '../../../src/features/swagger/parts.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { exampleOf } from '../../support/document-schemas.ts'
import type { Refusal, Row } from '../../support/objects.ts'
import type { Interpreted } from '../../support/questions/judge.ts'

interface Answer {
  Request: Row
  Interpretation: Interpreted[]
  Explanation: string
}

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => app[Symbol.asyncDispose]())

async function interpret(Question: string, language = 'en', Before: string[] = []) {
  const answer = await app.fetch<Refusal & { data: Answer }>('/api/v1/svc/assistant/query', {
    as: 'ana',
    headers: { 'Accept-Language': language },
    body: { Question, Before },
  })
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.data
}

/** `shipped: value Status shipped`. */
const write = ({ Text, Meaning, Field, Value }: Interpreted): string =>
  `${Text}: ${[Meaning, Field, Value].filter((each) => each !== null).join(' ')}`

test.each([
  [
    'How many orders are shipped, by region?',
    'en',
    [
      'How many: measure count',
      'orders: object Orders',
      'are: filler',
      'shipped: value Status shipped',
      ',: filler',
      'by region: group Region',
    ],
  ],
  [
    'orders over 1,000 EUR in Coast sorted by total, highest first',
    'en',
    [
      'orders: object Orders',
      'over 1,000 EUR: comparison Total 1000',
      'in: filler',
      'Coast: value Region Coast',
      'sorted by: order Total desc',
      'total: measure Total',
      ',: filler',
      'highest first: order Total desc',
    ],
  ],
  [
    'customers with more than 3 orders',
    'en',
    [
      'customers: group CustomerId',
      'with: filler',
      'more than 3: comparison count 3',
      'orders: object Orders',
    ],
  ],
  [
    'active products that were never sold in 2026',
    'en',
    [
      'active: value Active true',
      'products: object Products',
      'that were: filler',
      'never sold: negation OrderLines',
      'in 2026: period 2026-01-01,2026-12-31',
    ],
  ],
  [
    'nie verkaufte Artikel',
    'de',
    ['nie verkaufte: negation OrderLines', 'Artikel: object Products'],
  ],
  [
    'products with a cost above their price',
    'en',
    [
      'products: object Products',
      'with a: filler',
      'cost: measure Cost',
      'above: comparison Cost Price',
      'their: filler',
      'price: measure Price',
    ],
  ],
  [
    'customers not in Germany',
    'en',
    ['customers: object Customers', 'not in: negation', 'Germany: value CountryCode DE'],
  ],
  [
    'orders created by me due this week',
    'en',
    [
      'orders: object Orders',
      'created by: field CreatedBy',
      'me: value CreatedBy 2',
      'due: field DueOn',
      'this week: period DueOn thisWeek',
    ],
  ],
  [
    'Umsatz nach Status im letzten Jahr',
    'de',
    [
      'Umsatz: measure Total sum',
      'nach Status: group Status',
      'im letzten Jahr: period OrderedAt lastYear',
    ],
  ],
])('each word has one meaning: %s', async (question, language, parts) => {
  const { Interpretation } = await interpret(question, language)
  expect(Interpretation.map(write)).toEqual(parts)
})

test('a follow-up tells of its own words alone', async () => {
  const { Interpretation } = await interpret('and in Coast?', 'en', ['orders last month'])
  expect(Interpretation.map(write)).toEqual(['and in: filler', 'Coast: value Region Coast'])
})

test('a date and a number that no word names can be changed, and each other one runs', async () => {
  for (const [question, text, fields] of [
    ['revenue in 2025', 'in 2025', ['DueOn']],
    ['Umsatz im Jahr 2025', 'im Jahr 2025', ['DueOn']],
    ['the 3 cheapest products', '3 cheapest', ['Cost', 'OnHand', 'ReorderLevel']],
  ] as const) {
    const { Interpretation, Request } = await interpret(question)
    const part = Interpretation.find(({ Text }) => Text === text)
    expect(part?.Alternatives.map(({ Field }) => Field)).toEqual([...fields])
    for (const each of part?.Alternatives ?? []) {
      expect(each.Request).not.toEqual(Request)
      const run = await app.fetch('/api/v1/svc/object-explorer/query', {
        as: 'ana',
        body: each.Request,
      })
      expect(run).toMatchObject({ status: 200 })
      expect(JSON.stringify(each.Request)).toContain(each.Field)
    }
  }
  const { Interpretation } = await interpret('orders due in May')
  expect(Interpretation.flatMap(({ Alternatives }) => Alternatives)).toEqual([])
})

test('the part that the OpenAPI document shows is one of the answer to its example', async () => {
  const { body } = await app.fetch<Documented>('/swagger/json')
  const operation = body.paths['/api/v1/svc/assistant/query']?.post
  const question = operation?.requestBody.content['application/json']?.example.Question ?? ''
  const media = operation?.responses[200]?.content['application/json']
  const { data } = exampleOf(body, media) as { data: Answer }
  const [shown] = data.Interpretation
  expect(shown).toMatchObject({ Meaning: 'period' })
  expect((await interpret(question)).Interpretation).toContainEqual(shown as never)
})

interface Documented {
  paths: Record<
    string,
    {
      post: {
        requestBody: { content: Record<string, { example: { Question: string } }> }
        responses: Record<number, { content: Record<string, MediaType> }>
      }
    }
  >
}

test('where a field is of two records, the other one is offered', async () => {
  const { Interpretation } = await interpret('orders by region')
  expect(Interpretation.at(-1)).toMatchObject({
    Text: 'by region',
    Field: 'Region',
    Alternatives: [{ Field: 'CustomerId.Region', Request: { GroupBy: ['CustomerId.Region'] } }],
  })
})
