/** The demo's documents to print, as its users get them. */
import { expect, test } from 'bun:test'
import type { PrintMessage } from '../../src/engine/pdf/document.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { collectMessages, prepareAs } from '../support/invoices.ts'

interface Order {
  Id: number
  Number: string
  Lines: number
}

/** The first order that a condition on it and its customer finds. */
async function findOrder(app: TestApp, where: string): Promise<Order> {
  const [order] = await app.store.all(
    `SELECT o.Id, o.Number, (SELECT count(*) FROM order_lines l WHERE l.OrderId = o.Id) AS Lines
      FROM orders o JOIN customers c ON c.Id = o.CustomerId WHERE ${where} ORDER BY o.Id LIMIT 1`,
  )
  if (!order) throw new Error(`There is no order ${where}`)
  return { Id: Number(order.Id), Number: String(order.Number), Lines: Number(order.Lines) }
}

const textOf = (messages: readonly PrintMessage[]): string => JSON.stringify(messages)

const listRows = (messages: readonly PrintMessage[]) =>
  messages.flatMap((message) => (message.do === 'rows' ? message.rows : []))

test('an invoice is in the language of the customer and has every line', async () => {
  await using app = await startApp()
  const order = await findOrder(app, "o.CompanyId = 1 AND c.CountryCode = 'DE'")
  const prepared = await prepareAs(app, 'ana', 'invoice', { OrderId: order.Id, language: 'en' })
  expect(prepared.head).toMatchObject({ title: `Rechnung ${order.Number}`, language: 'de' })
  const messages = await collectMessages(prepared)
  const rows = listRows(messages).filter(({ kind }) => kind === 'row')
  expect(rows).toHaveLength(order.Lines)
  expect(rows.every(({ carry }) => carry?.at(-1) !== '')).toBe(true)
  expect(textOf(messages)).toContain('"label":"Betrag (EUR)"')
  expect(textOf(messages)).toContain('Vielen Dank')
  const foreign = await findOrder(app, "o.CompanyId = 1 AND c.CountryCode = 'FR'")
  const english = await prepareAs(app, 'ana', 'invoice', { OrderId: foreign.Id, language: 'de' })
  expect(english.head).toMatchObject({ title: `Invoice ${foreign.Number}`, language: 'en' })
})

test('a delivery note has no prices', async () => {
  await using app = await startApp()
  const order = await findOrder(app, "o.CompanyId = 1 AND o.Status = 'shipped'")
  const messages = await collectMessages(
    await prepareAs(app, 'ana', 'DeliveryNote', { Id: order.Id }),
  )
  expect(textOf(messages)).not.toMatch(/EUR|Price|Preis|Betrag|Amount/)
  expect(textOf(messages)).toContain(`"type":"code128","text":"${order.Number}"`)
  expect(listRows(messages).filter(({ kind }) => kind === 'row')).toHaveLength(order.Lines)
})

test('whoever sees some orders prints these: by region and by company', async () => {
  await using app = await startApp()
  const print = async (as: string, id: number): Promise<string> => {
    try {
      return (await prepareAs(app, as, 'invoice', { Id: id })).head.title
    } catch (error) {
      return (error as Error).message
    }
  }
  const lakes = await findOrder(app, "o.CompanyId = 1 AND o.Region = 'Lakes'")
  const hills = await findOrder(app, "o.CompanyId = 1 AND o.Region = 'Hills'")
  const south = await findOrder(app, 'o.CompanyId = 2')
  const missing = 'There is no such record'
  expect(await print('dee', lakes.Id)).toContain(lakes.Number)
  expect(await print('dee', hills.Id)).toBe(missing)
  expect(await print('ana', hills.Id)).toContain(hills.Number)
  expect(await print('ana', south.Id)).toBe(missing)
  expect(await print('cy', south.Id)).toContain(south.Number)
  expect(await print('bo', lakes.Id)).not.toContain(lakes.Number)
})
