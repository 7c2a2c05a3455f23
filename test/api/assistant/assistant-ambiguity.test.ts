/**
 * Words with two meanings of equal worth (src/server/README.md, Assistant): none is run, both are
 * offered. Names of records that are words of questions change nobody's questions.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { systemScope } from '../../../src/store/store.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { refusal, type Refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Town" Table="towns" Label="Town" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Firm" Table="firms" Label="Firm" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Branch" Type="Text"/>
  <Column Name="TownId" References="Town" Label="Town"/>
</Entity>
<Entity Name="Bill" Table="bills" Label="Bill" Display="Id">
  <Column Name="Id" Type="Integer" Key="true"/>
  <Column Name="SellerId" References="Firm" Label="Seller"/>
  <Column Name="BuyerId" References="Firm" Label="Buyer"/>
  <Column Name="Work" Type="Text"><Option Value="o" Label="Open"/><Option Value="d" Label="Done"/></Column>
  <Column Name="Payment" Type="Text"><Option Value="o" Label="Open"/><Option Value="p" Label="Paid"/></Column>
  <Column Name="Sent" Type="Date" Label="Sent on"/>
  <Column Name="Settled" Type="Date" Label="Settled on"/>
  <Column Name="Net" Type="Decimal" Scale="2" Synonyms="amount"/>
  <Column Name="Gross" Type="Decimal" Scale="2" Synonyms="amount"/>
</Entity>
<Entity Name="Stay" Table="stays" Label="Stay" Display="Id">
  <Column Name="Id" Type="Integer" Key="true"/>
  <Column Name="FirmId" References="Firm" Label="Firm"/>
</Entity>
<ObjectView Name="Towns" Entity="Town"/>
<ObjectView Name="Firms" Entity="Firm"/>
<ObjectView Name="Bills" Entity="Bill"/>
<ObjectView Name="Stays" Entity="Stay"/>
<Rbac><Role Name="Manager">
  <Grant Resource="Towns" Verbs="View List"/><Grant Resource="Firms" Verbs="View List"/>
  <Grant Resource="Bills" Verbs="View List"/><Grant Resource="Stays" Verbs="View List"/>
</Role></Rbac>
</Model>`

const BILLS: TestApplication = {
  files: [{ name: 'bills.xml', body: MODEL }],
  ...makePeople('ONE', { root: 'System', ana: 'Manager@ONE' }),
}

const ROWS = [
  "INSERT INTO towns (Id, Name) VALUES (1, 'Kiel'), (2, 'Lund')",
  `INSERT INTO firms (Id, Name, Branch, TownId)
    VALUES (1, 'Kiel', 'wool', 1), (2, 'Lund', 'wood', 2), (3, 'Ashdown', 'wool', 1), (4, 'Still', 'wood', 2)`,
  `INSERT INTO bills (Id, SellerId, BuyerId, Work, Payment, Sent, Settled, Net, Gross)
    VALUES (7, 1, 3, 'o', 'p', '2026-01-05', '2026-02-01', 10, 12)`,
  'INSERT INTO stays (Id, FirmId) VALUES (1, 1), (2, 3), (3, 4)',
]

let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: BILLS })
  await app.store.write(async (tx) => {
    for (const sql of ROWS) await tx.run(sql)
  }, systemScope('the rows of the test'))
})
afterAll(async () => app[Symbol.asyncDispose]())

interface Answer {
  Request: Row
  Explanation: string
}

const ask = (Question: string, language = 'en') =>
  app.fetch<Refusal & { data: Answer; suggestions?: string[] }>('/api/v1/svc/assistant/query', {
    as: 'ana',
    headers: { 'Accept-Language': language },
    body: { Question },
  })

async function answer(question: string): Promise<Answer> {
  const told = await ask(question)
  expect({ question, told }).toMatchObject({ told: { status: 200 } })
  return told.body.data
}

describe('words with two meanings are refused, and a suggestion tells each of them', () => {
  test.each([
    ['a value of two fields', 'open bills', 'open', ['Work', 'Payment']],
    ['a record that two fields refer to', 'bills of Ashdown', 'Ashdown', ['SellerId', 'BuyerId']],
    ['a firm and a town', 'stays of Kiel', 'Kiel', ['FirmId', 'FirmId.TownId']],
    ['days of two dates', 'bills in 2026', 'in 2026', ['Sent', 'Settled']],
    ['parts of two dates', 'bills per month', 'per month', ['Sent:month', 'Settled:month']],
    ['the newest by two dates', 'newest bills', 'newest', ['Sent', 'Settled']],
    ['a name of two numbers', 'sum of amount of bills', 'amount', ['Net', 'Gross']],
    [
      'a field behind two records',
      'bills by branch',
      'branch',
      ['SellerId.Branch', 'BuyerId.Branch'],
    ],
  ])('%s: %s', async (_, question, words, fields) => {
    const told = await ask(question)
    expect(refusal(told, 400).code).toBe('NOT_UNDERSTOOD')
    expect(told.body.error).toStartWith(`“${words}” can be of `)
    expect(told.body.error).toEndWith(' here. Please say which.')
    const requests: string[] = []
    for (const suggestion of told.body.suggestions?.slice(0, fields.length) ?? [])
      requests.push(JSON.stringify((await answer(suggestion)).Request))
    for (const field of fields)
      expect({ field, requests: requests.filter((text) => text.includes(`"${field}"`)) }).toEqual({
        field,
        requests: [expect.any(String)],
      })
  })

  test('in the language of the caller', async () => {
    const told = await ask('open bills', 'de')
    expect(refusal(told, 400).error).toBe(
      '„open“ kann hier zu Work oder Payment gehören. Bitte sagen Sie, wozu.',
    )
  })
})

test.each([
  ['payment open of bills', { Filters: [{ Field: 'Payment', Value: 'o' }] }],
  ['open or done bills', { Filters: [{ Field: 'Work', Value: ['o', 'd'] }] }],
  ['bills sent in 2026', { Filters: [{ Field: 'Sent' }] }],
  ['bills by seller', { GroupBy: ['SellerId'] }],
  ['stays of Ashdown', { Filters: [{ Field: 'FirmId', Value: 3 }] }],
  ['firms in Kiel', { Filters: [{ Field: 'TownId', Value: 1 }] }],
  ['stays of Still', { Filters: [{ Field: 'FirmId', Value: 4 }] }],
  ['bill 7', { Filters: [{ Field: 'Id', Value: 7 }] }],
])('one meaning is run: %s', async (question, request) => {
  expect((await answer(question)).Request).toMatchObject(request)
})

test('a date that a question names is never passed over', async () => {
  expect(refusal(await ask('bills sent'), 400).error).toBe('I do not understand “sent” here.')
})
