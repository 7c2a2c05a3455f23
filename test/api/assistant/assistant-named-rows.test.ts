/**
 * The name of a record right behind the word for its object names that record, whatever else its
 * words mean (src/server/README.md, Assistant).
 */
import { expect, test } from 'bun:test'
import { systemScope } from '../../../src/store/store.ts'
import { CLINIC } from '../../models/clinic/clinic.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import type { Refusal, Row } from '../../support/objects.ts'

/** Names of records, each of which means something else in a question, in English or German. */
const NAMES = [
  ...['Ares', 'Doe', 'Hase', 'Note', 'Total', '2026', 'Wien', 'Open', 'out of stock'],
  ...['Offen', 'Last Year', 'By Region'],
]

interface Answer {
  Explanation: string
  Request: Row
}

interface Sight {
  app: TestApp
  as: string
}

/** The explanation of an answer, or its refusal. */
async function ask({ app, as }: Sight, Question: string, language: string, Before?: string) {
  const body = { Question, ...(Before !== undefined && { Before: [Before] }) }
  const headers = { 'Accept-Language': language }
  const path = '/api/v1/svc/assistant/query'
  const answer = await app.fetch<Refusal & { data: Answer }>(path, { as, headers, body })
  return answer.status === 200
    ? answer.body.data.Explanation
    : `${answer.body.code}: ${answer.body.error}`
}

type Asked = readonly [language: string, question: string, answer: string]

/** Asks each question of each name; returns what is not answered as expected. */
async function askAll(sight: Sight, rows: readonly Asked[], names: readonly string[]) {
  const other: Record<string, string> = {}
  for (const name of names)
    for (const [language, question, answer] of rows) {
      const asked = question.replace('@', name)
      const told = await ask(sight, asked, language)
      // A product is called by its number, too.
      const called = told.replace(/(?<=is |ist )NM-\d+ /, '')
      if (called !== answer.replace('@', name)) other[asked] = told
    }
  return other
}

const OF_DEMO: readonly Asked[] = [
  ['en', 'orders of customer @', 'Orders: all rows, Customer is @'],
  ['en', 'revenue of the customer @', 'Orders: sum of Total, by Customer, Customer is @'],
  ['en', 'how many orders does customer @ have', 'Orders: count, Customer is @'],
  ['en', 'credit limit of customer @', 'Customers: Name, Credit limit, Name is @'],
  ['en', 'phone of customer @', 'Customers: Name, Phone, Name is @'],
  ['en', 'price of product @', 'Products: Article number, Name, Price, Name is @'],
  ['en', 'cost of the product @', 'Products: Article number, Name, Cost, Name is @'],
  ['de', 'Aufträge des Kunden @', 'Aufträge des Kunden: alle Zeilen, Kunde ist @'],
  ['de', 'Umsatz vom Kunden @', 'Aufträge: Summe von Summe, je Kunde, Kunde ist @'],
  ['de', 'Preis des Artikels @', 'Artikel: Artikelnummer, Bezeichnung, Preis, Bezeichnung ist @'],
]

const OF_SALES: readonly Asked[] = [
  ['en', 'how many @ were sold', 'Order lines: sum of Quantity, Product is @'],
  ['de', 'wie viele @ wurden verkauft', 'Auftragspositionen: Summe von Menge, Artikel ist @'],
]

const OF_CLINIC: readonly Asked[] = [
  ['en', 'appointments of patient @', 'Appointments: all rows, Patient is @'],
  ['en', 'how many appointments does doctor @ have', 'Appointments: count, Doctor is @'],
  ['en', 'fee of the physician @', 'Appointments: sum of Fee, by Doctor, Doctor is @'],
  ['en', 'appointments in the room @', 'Appointments: all rows, Room is @'],
  ['en', 'floor of room @', 'Rooms: Name, Floor, Name is @'],
  ['de', 'Termine des Patienten @', 'Termine: alle Zeilen, Patient ist @'],
  ['de', 'wie viele Termine hat der Arzt @', 'Termine: Anzahl, Arzt ist @'],
  ['de', 'Gewicht des Patienten @', 'Patienten: Name, Gewicht, Name ist @'],
]

test('customers and products are named, whatever their names mean', async () => {
  await using app = await startApp()
  for (const [at, Name] of NAMES.entries()) {
    const product = { Name, Sku: `NM-${1000 + at}`, GroupCode: 'screws', Price: 5, Cost: 3 }
    for (const [as, FormName, Parameters] of [
      ['dee', 'Customers', { Name, Region: 'Lakes', CountryCode: 'DE' }],
      ['root', 'Products', product],
    ] as const) {
      const made = await app.fetch('/api/v1/svc/object/submit', {
        as,
        body: { FormName, Parameters },
      })
      expect({ Name, status: made.status }).toEqual({ Name, status: 200 })
    }
  }
  const sight = { app, as: 'ana' }
  expect(await askAll(sight, OF_DEMO, NAMES)).toEqual({})
  expect(await askAll(sight, OF_SALES, ['Hase', 'Note', 'Open', 'Wien'])).toEqual({})
  // Behind another question it is the same one, or follows it.
  const before = 'revenue in 2026'
  expect(await ask(sight, 'price of product Total', 'en', before)).toBe(
    'Products: Article number, Name, Price, Name is Total',
  )
  expect(await ask(sight, 'and of customer Note?', 'en', before)).toContain('Customer is Note')
  // Two readings of equal worth: neither is run.
  for (const [language, question, name, single] of [
    ['en', 'on hand of the product out of stock', 'out of stock', 'Product'],
    ['en', 'revenue by customer Note', 'Note', 'Customer'],
    ['en', 'revenue of customers Note and Total', 'Note', 'Customer'],
    ['de', 'Artikel 2026', '2026', 'Artikel'],
  ] as const) {
    const told = await ask(sight, question, language)
    expect(told).toStartWith(
      language === 'en'
        ? `NOT_UNDERSTOOD: “${name}” is also a name of ${single}.`
        : `NOT_UNDERSTOOD: „${name}“ ist auch ein Name von ${single}.`,
    )
  }
  // `in` says no name: a city is meant as well.
  expect(await ask(sight, 'orders of customers in Wien', 'en')).toStartWith(
    'NOT_UNDERSTOOD: “Wien” can be of ',
  )
  // What asks for many of them, or by which of them, means what it did.
  for (const [language, question, answer] of [
    ['en', 'products out of stock', 'Products: all rows, On hand up to 0'],
    ['en', 'revenue by customer', 'Orders: sum of Total, by Customer'],
    ['en', 'customers 2026', 'Customers: all rows, Created at between 2026-01-01, 2026-12-31'],
    ['en', 'customer status', 'Customers: all rows'],
    ['de', 'offene Aufträge', 'Aufträge: alle Zeilen, aus „Offene Aufträge“'],
  ] as const)
    expect({ question, told: await ask(sight, question, language) }).toEqual({
      question,
      told: answer,
    })
})

test('doctors, patients and rooms of another application are named as well', async () => {
  await using app = await startApp({ application: CLINIC })
  await app.store.write(async (tx) => {
    for (const [at, name] of NAMES.entries()) {
      const args = { Id: at + 1, Name: name }
      await tx.run("INSERT INTO doctors (Id, Name, Specialty) VALUES (@Id, @Name, 'skin')", args)
      await tx.run('INSERT INTO patients (Id, Name) VALUES (@Id, @Name)', args)
      await tx.run('INSERT INTO rooms (Id, Name) VALUES (@Id, @Name)', args)
    }
  }, systemScope('the rows of the test'))
  const sight = { app, as: 'desk' }
  expect(await askAll(sight, OF_CLINIC, NAMES)).toEqual({})
})
