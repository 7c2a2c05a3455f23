/** Lookups: a record that is missing in the list is made in place, and is chosen then. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders/new')
})

afterAll(() => world[Symbol.asyncDispose]())

const field = (page: Page | Locator, name: string) =>
  page.locator(`vaadin-combo-box[name=${name}] input`)

test('a customer is made while an order is typed, by keyboard, and is chosen', async () => {
  const { page } = browser
  const customer = field(page, 'CustomerId')
  await customer.click()
  await page.keyboard.type('Harbour Chandlers')
  const entry = page.getByRole('option', { name: /Create “Harbour Chandlers” in Customers/ })
  await entry.waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Customers: New' })
  await dialog.getByLabel('Name').waitFor()
  expect(await dialog.locator('vaadin-text-field[name=Name] input').inputValue()).toBe(
    'Harbour Chandlers',
  )
  // The region is missing: the fault stands at its field.
  await page.keyboard.press('Control+s')
  await dialog.locator('vaadin-combo-box[name=Region][invalid]').waitFor()
  browser.complaints.splice(0)
  await field(dialog, 'Region').fill('Coast')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.locator('vaadin-combo-box[name=CustomerId]:focus-within').waitFor()
  await until(async () => (await customer.inputValue()) === 'Harbour Chandlers')
  // Further columns of the choice fill other fields, as of any choice.
  expect(await field(page, 'Region').inputValue()).toBe('Coast')
  const link = page.getByRole('link', { name: 'Open Harbour Chandlers' })
  expect(await link.getAttribute('href')).toMatch(/^\/object\/customers\/\d+$/)
})

test('a dialog opens over a dialog, each closes by itself and asks about typed text', async () => {
  const { page } = browser
  await field(page, 'CustomerId').fill('Hillside')
  await page.getByRole('option', { name: /Create “Hillside”/ }).click()
  const outer = page.getByRole('dialog', { name: 'Customers: New' })
  await field(outer, 'CountryCode').fill('Nowhere')
  await page.getByRole('option', { name: /Create “Nowhere” in Countries/ }).click()
  const inner = page.getByRole('dialog', { name: 'Countries: New' })
  await inner.locator('vaadin-text-field[name=Name] input').waitFor()
  expect(await inner.locator('vaadin-text-field[name=Name] input').inputValue()).toBe('Nowhere')
  await page.keyboard.press('Escape')
  await inner.getByText('What you typed here is not saved').waitFor()
  await page.keyboard.press('Escape')
  await inner.waitFor({ state: 'detached' })
  await outer.locator('vaadin-combo-box[name=CountryCode]:focus-within').waitFor()
  await outer.getByRole('button', { name: 'Cancel' }).click()
  await outer.getByRole('button', { name: 'Discard' }).click()
  await outer.waitFor({ state: 'detached' })
  expect(await field(page, 'CustomerId').inputValue()).toBe('Harbour Chandlers')
})

test('other columns of a choice stand below it; without the right nothing is made', async () => {
  const dee = await world.openAs('dee', '/object/order-entry/new', { locale: 'de-DE' })
  const { page } = dee
  await field(page, 'CustomerId').click()
  const option = page.getByRole('option').first()
  await option.locator('small').waitFor()
  expect(await option.locator('small').innerText()).toMatch(/^C-\d{5}/)
  await page.keyboard.press('Escape')
  await page.goto(`${world.address}/object/customers/new`)
  const found = page.waitForResponse((answer) => answer.url().endsWith('/field-dataset'))
  await field(page, 'CountryCode').fill('zzzz')
  await found
  await page.waitForLoadState('networkidle')
  expect(await page.getByRole('option', { name: /anlegen/ }).count()).toBe(0)
  expect([...dee.outside, ...dee.complaints]).toEqual([])
})

test('a click beside an open list closes it, and does what it was made for', async () => {
  const { page } = await world.openAs('ana', '/object/orders/new')
  await field(page, 'CustomerId').click()
  await page.getByRole('option').first().waitFor()
  const remark = page.getByLabel('Remark')
  await remark.click()
  await page.getByRole('option').first().waitFor({ state: 'hidden' })
  await page.keyboard.type('by the gate')
  expect(await remark.inputValue()).toBe('by the gate')
})

test('a text that finds one choice is taken by a click on Save', async () => {
  const { page } = await world.openAs('ana', '/object/orders/new')
  const customer = field(page, 'CustomerId')
  await customer.click()
  await page.keyboard.type('Amber Gardens')
  await page.getByRole('option', { name: 'Amber Gardens Group' }).waitFor()
  const saved = page.waitForResponse((answer) => answer.url().endsWith('/svc/object/submit'))
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await saved).status()).toBe(200)
  await until(async () => (await customer.inputValue()) === 'Amber Gardens Group')
  // Escape takes back what was typed, and nothing of it is stored.
  await field(page, 'OwnerId').fill('Warehouse')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1 }).click()
  await until(async () => (await field(page, 'OwnerId').inputValue()) === 'Sales manager')
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
