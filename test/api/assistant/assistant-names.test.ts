/** Records that are called by words of questions: they change no question, and are found. */
import { expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import type { Refusal } from '../../support/objects.ts'

interface Answer {
  Explanation: string
  Result: { Rows: unknown[] }
}

const NAMES = [
  ...['Ares', 'Doe', 'Hase', 'Note', 'Total', 'Status', 'Open', 'This Year', '2026', 'Revenue'],
  ...['Austria', 'Top', 'Cancelled Orders', 'Wien', 'Out of stock', 'Still', 'Month', 'Und'],
]

const PLAIN: readonly (readonly [question: string, language: string])[] = [
  ['how many orders are there', 'en'],
  ['revenue per month in 2026', 'en'],
  ['open orders', 'en'],
  ['revenue this year', 'en'],
  ['top 5 customers by revenue', 'en'],
  ['orders by status', 'en'],
  ['customers in Austria', 'en'],
  ['cancelled orders', 'en'],
  ['customers with a note', 'en'],
  ['products out of stock', 'en'],
  ['Total of the orders by month', 'en'],
  ['which orders are still open', 'en'],
  ['Umsatz in Küste und Seen', 'de'],
  ['Kunden in Wien', 'de'],
  ['offene Aufträge', 'de'],
]

/** Explanation of an answer with its number of rows, or the code of its refusal. */
async function ask(app: TestApp, [Question, language]: readonly [string, string]) {
  const { status, body } = await app.fetch<Refusal & { data: Answer }>(
    '/api/v1/svc/assistant/query',
    { as: 'ana', headers: { 'Accept-Language': language }, body: { Question } },
  )
  return status === 200
    ? `${body.data.Explanation} (${body.data.Result.Rows.length})`
    : `${body.code}: ${body.error}`
}

test('customers called by words of questions change no question, and are found', async () => {
  await using app = await startApp()
  const before = new Map<string, string>()
  for (const plain of PLAIN) before.set(plain[0], await ask(app, plain))
  for (const Name of NAMES) {
    const Parameters = { Name, Region: 'Lakes', CountryCode: 'DE' }
    const created = await app.fetch('/api/v1/svc/object/submit', {
      as: 'dee',
      body: { FormName: 'Customers', Parameters },
    })
    expect({ Name, status: created.status }).toEqual({ Name, status: 200 })
  }
  const after = new Map<string, string>()
  for (const plain of PLAIN) after.set(plain[0], await ask(app, plain))
  expect(after).toEqual(before)
  for (const [question, name] of [
    ['orders of Ares', 'Ares'],
    ['revenue of Doe', 'Doe'],
    ['how many orders does Hase have', 'Hase'],
    ['orders of Still', 'Still'],
    ['revenue of "Note"', 'Note'],
    ['orders of "Total"', 'Total'],
    ['orders of "2026"', '2026'],
    ['orders of "Out of stock"', 'Out of stock'],
    ['revenue of customer "Wien"', 'Wien'],
    ['revenue of customer 2026', '2026'],
  ] as const)
    expect(await ask(app, [question, 'en'])).toContain(`Customer is ${name}`)
  // A customer and a city: neither is taken without a word.
  expect(await ask(app, ['Umsatz in Wien', 'de'])).toBe(
    'NOT_UNDERSTOOD: „Wien“ kann hier zu Kunde oder Kunde: Ort gehören. Bitte sagen Sie, wozu.',
  )
  // Words that are the name of a customer too, where a name is said: both readings are offered.
  for (const [question, language, name] of [
    ['how many orders does Total have', 'en', 'Total'],
    ['revenue of Total', 'en', 'Total'],
    ['revenue of Note', 'en', 'Note'],
    ['orders of 2026', 'en', '2026'],
    ['orders of Open', 'en', 'Open'],
    ['Umsatz von Total', 'de', 'Total'],
    ['wie viele Aufträge hat 2026', 'de', '2026'],
  ] as const) {
    const told = await ask(app, [question, language])
    expect(told).toStartWith('NOT_UNDERSTOOD: ')
    expect(told).toContain(
      language === 'en' ? `“${name}” is also a name of Customer.` : `„${name}“ ist auch ein Name`,
    )
    expect(await ask(app, [question.replace(name, `"${name}"`), language])).toContain(name)
  }
  // What is not read as the name is refused by it, and never counts all.
  for (const question of ['orders of Note', 'orders of Out of stock', 'revenue of Out of stock'])
    expect(await ask(app, [question, 'en'])).toStartWith('NOT_UNDERSTOOD: I do not understand “')
})
