/** Rows that two people type in, faults that lead to their cells, drafts of two tabs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage
let order = 0

type Values = Record<string, unknown>
interface Loaded {
  Values: Values & { RowVersion: string }
}

const OBJECT = '/api/v1/svc/object'

beforeAll(async () => {
  world = await openClientWorld()
  order = await makeOrder(6)
  browser = await world.openAs('ana', `/object/orders/${order}`)
})

afterAll(() => world[Symbol.asyncDispose]())

/** A new order with lines of 1 to so many pieces. */
async function makeOrder(lines: number): Promise<number> {
  const { Values } = (await world.call('root', `${OBJECT}/orders/form`, {
    Parameters: { Id: 400 },
  })) as Loaded
  const Upsert = Array.from({ length: lines }, (_, at) => ({
    LineNumber: at + 1,
    ProductId: 1 + (at % 6),
    Quantity: 1,
    Price: 0.01,
  }))
  const made = (await world.call('ana', `${OBJECT}/submit`, {
    FormName: 'orders',
    Parameters: { CustomerId: Values.CustomerId, Region: Values.Region },
    Details: { Lines: { Upsert } },
  })) as { Keys: { Id: number } }
  return made.Keys.Id
}

async function listLines(id = order): Promise<Values[]> {
  const body = { Parameters: { OrderId: id }, PageSize: 1000 }
  return ((await world.call('root', `${OBJECT}/OrderLines/table`, body)) as { Rows: Values[] }).Rows
}

/** Another user's save of the lines. */
async function changeLines(lines: object): Promise<void> {
  const loaded = await world.call('root', `${OBJECT}/orders/form`, { Parameters: { Id: order } })
  const { RowVersion } = (loaded as Loaded).Values
  await world.call('root', `${OBJECT}/submit`, {
    FormName: 'orders',
    Parameters: { Id: order, RowVersion },
    Details: { Lines: lines },
  })
}

const cellOf = (page: Page, row: number, column: number) =>
  page.locator(`.detail-table tr[aria-rowindex="${row + 1}"] [role=gridcell]`).nth(column - 1)

const QUANTITY = 4

async function typeCell(page: Page, row: number, column: number, text: string): Promise<void> {
  await cellOf(page, row, column).click()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  // The cell below is edited now.
  await page.keyboard.press('Escape')
}

async function trySave(page: Page): Promise<number> {
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    page.keyboard.press('Control+s'),
  ])
  return answer.status()
}

const countDrafts = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((done) => {
    const opening = indexedDB.open('appengine-drafts', 1)
    opening.onsuccess = () => {
      const counting = opening.result.transaction('drafts').objectStore('drafts').count()
      counting.onsuccess = () => { opening.result.close(); done(counting.result) }
    }
  })`)

test('cells of both are chosen, a deleted row is kept, all else merges', async () => {
  const { page } = browser
  const [one, two, three, four] = await listLines()
  await cellOf(page, 6, 1).waitFor()
  await typeCell(page, 1, QUANTITY, '11')
  await typeCell(page, 2, QUANTITY, '12')
  await typeCell(page, 3, QUANTITY, '13')
  await changeLines({
    Upsert: [
      { Id: one?.Id, Quantity: 21 },
      { Id: three?.Id, Discount: 7 },
      { Id: four?.Id, Quantity: 24 },
      { LineNumber: 99, ProductId: 2, Quantity: 3, Price: 0.01 },
    ],
    Delete: [{ Id: two?.Id }],
  })
  expect(await trySave(page)).toBe(409)
  const dialog = page.getByRole('dialog', { name: 'Changed meanwhile' })
  await dialog.getByText('Others changed one row. Others added one row.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await dialog.getByRole('radio', { name: /^Row 1 .*: Quantity, .*: 21/ }).check()
  await dialog.getByRole('radio', { name: /^Row 2 .*, You: Quantity: 12/ }).check()
  expect(await dialog.getByRole('row', { name: /^Row 3 .*Discount/ }).innerText()).toContain(
    'stays',
  )
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ])
  expect(answer.status()).toBe(200)
  await dialog.waitFor({ state: 'detached' })
  browser.complaints.splice(0)
  const stored = new Map((await listLines()).map((line) => [line.LineNumber, line]))
  expect(stored.get(1)).toMatchObject({ Id: one?.Id, Quantity: 21 })
  expect(stored.get(2)).toMatchObject({ Quantity: 12, ProductId: two?.ProductId })
  expect(stored.get(2)?.Id).not.toBe(two?.Id)
  expect(stored.get(3)).toMatchObject({ Id: three?.Id, Quantity: 13, Discount: 7 })
  expect(stored.get(4)).toMatchObject({ Quantity: 24 })
  expect(stored.get(99)).toMatchObject({ Quantity: 3 })
})

test('a change that moves nothing of the record is a conflict; theirs by keyboard', async () => {
  const { page } = browser
  await page.reload()
  await cellOf(page, 5, 1).waitFor()
  const [one] = await listLines()
  await typeCell(page, 1, 1, '51')
  await changeLines({ Upsert: [{ Id: one?.Id, LineNumber: 61 }] })
  expect(await trySave(page)).toBe(409)
  const dialog = page.getByRole('dialog', { name: 'Changed meanwhile' })
  await dialog.getByRole('button', { name: 'Take all theirs' }).press('Enter')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  browser.complaints.splice(0)
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  expect((await listLines()).find(({ Id }) => Id === one?.Id)).toMatchObject({ LineNumber: 61 })
})

test('a fault deep in a long table leads to its cell, by keyboard and in German', async () => {
  const long = await makeOrder(400)
  const german = await world.openAs('ana', `/object/orders/${long}`, { locale: 'de-DE' })
  const { page } = german
  await cellOf(page, 1, 1).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+End')
  await typeCell(page, 395, QUANTITY, '0')
  await page.keyboard.press('Control+Home')
  await cellOf(page, 395, 1).waitFor({ state: 'detached' })
  expect(await trySave(page)).toBe(400)
  const line = page.getByRole('alert').getByRole('button', { name: /Zeile 395/ })
  await line.press('Enter')
  await until(async () => (await page.locator('td:focus').count()) === 1)
  const place = page.locator('td:focus')
  expect(await place.getAttribute('aria-invalid')).toBe('true')
  expect(await place.locator('xpath=..').getAttribute('aria-rowindex')).toBe('396')
  await page.keyboard.type('5')
  await page.keyboard.press('Enter')
  expect(await trySave(page)).toBe(200)
  german.complaints.splice(0)
  expect((await listLines(long))[394]).toMatchObject({ Quantity: 5 })
  expect(german.outside).toEqual([])
})

test('drafts of two tabs are both offered, and both come back', async () => {
  const { page } = browser
  const path = `${world.address}/object/orders/${order}`
  await page.goto(path)
  const second = await page.context().newPage()
  await second.goto(path)
  await page.getByLabel('Your reference').fill('of the first tab')
  await second.getByLabel('Remark').fill('of the second tab')
  await until(async () => (await countDrafts(page)) === 2)
  await second.close()
  await page.reload()
  const offers = page.getByRole('button', { name: 'Bring them back' })
  await until(async () => (await offers.count()) === 2)
  await offers.first().press('Enter')
  await until(async () => (await offers.count()) === 1)
  await offers.first().click()
  await until(async () => (await offers.count()) === 0)
  expect(await page.getByLabel('Your reference').inputValue()).toBe('of the first tab')
  expect(await page.getByLabel('Remark').inputValue()).toBe('of the second tab')
  expect(await trySave(page)).toBe(200)
  await page.reload()
  await page.getByLabel('Remark').waitFor()
  expect(await offers.count()).toBe(0)
})

test('a new record may begin with a required field shut: it has its default', async () => {
  const { page } = browser
  await page.goto(`${world.address}/object/customers/new`)
  await page.getByLabel('Name', { exact: true }).fill('Shut from the start')
  await page.getByLabel('Region').fill('Coast')
  await page.keyboard.press('Tab')
  await page.getByLabel('Active').uncheck()
  await page.getByLabel('Note').fill('Asked to be called first')
  expect(await trySave(page)).toBe(200)
  await page.getByRole('heading', { name: /Shut from the start/ }).waitFor()
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
