/** The frame of the client: shortcuts and their sheet. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders')
})

afterAll(() => world[Symbol.asyncDispose]())

/** Waits until an element has the focus. */
const focused = (page: Page, element: Locator): Promise<void> =>
  element.and(page.locator(':focus')).waitFor()

test('the sheet tells of the keys of the place, and gives the focus back', async () => {
  const { page } = browser
  await page.getByText('SO-2026-00200').waitFor()
  const search = page.getByRole('searchbox')
  await page.keyboard.press('/')
  await focused(page, search)
  // In an editor a letter is a letter.
  await page.keyboard.type('n?/')
  expect(await search.inputValue()).toBe('n?/')
  await search.fill('')
  const link = page.getByRole('link', { name: 'New', exact: true })
  await link.focus()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.getByText('Search in Orders').waitFor()
  await sheet.getByRole('heading', { name: 'In this list' }).waitFor()
  // A dialog keeps the keys of the place behind it away.
  await page.keyboard.press('n')
  await sheet.getByText('New record').waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await focused(page, link)
})

test('n makes a record, e goes to its first field, keys of the list are over', async () => {
  const { page } = browser
  await page.keyboard.press('n')
  await page.waitForURL(/\/object\/orders\/new\?/)
  const customer = page.getByLabel('Customer')
  await customer.waitFor()
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('e')
  await focused(page, customer)
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.getByRole('heading', { name: 'In this record' }).waitFor()
  expect(await sheet.getByText('Search in Orders').count()).toBe(0)
  await sheet.getByRole('button', { name: 'Close' }).click()
})

test('single keys can be turned off, in this browser', async () => {
  const { page } = browser
  await page.goto(`${world.address}/object/orders`)
  await page.getByText('SO-2026-00200').waitFor()
  await page.keyboard.press('?')
  const box = page.getByLabel('Single keys such as n and ? are shortcuts')
  await box.uncheck()
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await page.reload()
  await page.getByText('SO-2026-00200').waitFor()
  await page.keyboard.press('n')
  await page.keyboard.press('?')
  expect(new URL(page.url()).pathname).toBe('/object/orders')
  expect(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count()).toBe(0)
  await page.evaluate('localStorage.clear()')
})

test('who may not make records has the key, but not the way', async () => {
  const { page } = await world.openAs('cy', '/object/products')
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor()
  await page.getByRole('link', { name: 'New', exact: true }).waitFor({ state: 'detached' })
  await page.keyboard.press('n')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/object/products')
})

test('the palette finds places, records and actions, and goes there by keyboard', async () => {
  const { page } = browser
  await page.goto(`${world.address}/object/orders/400`)
  await page.getByRole('heading', { level: 1, name: /^SO-/ }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search and commands' })
  const option = (name: string | RegExp) => page.getByRole('option', { name })
  await option(/^Approve/).waitFor()
  await field.fill('customers')
  await option('Customers Sales').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/object\/customers$/)
  // Records by the search of the server, with marks; what was open before comes first.
  await page.keyboard.press('Control+k')
  await option(/^SO-2026-00200/).waitFor()
  await field.fill('granite')
  await page.getByRole('group', { name: 'Orders' }).locator('mark').first().waitFor()
  expect(await page.getByRole('group', { name: 'Customers' }).locator('mark').innerText()).toBe(
    'Granite',
  )
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/object\/customers\/67$/)
  await page.getByRole('heading', { level: 1, name: 'Granite Landscaping' }).waitFor()
})

test('the palette runs what the place can do, and says where there is nothing', async () => {
  const { page } = browser
  const field = page.getByRole('combobox', { name: 'Search and commands' })
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await field.fill('zzzzqq')
  await page.getByText('Nothing found for “zzzzqq”').waitFor()
  await field.fill('appearance dark')
  await page.keyboard.press('Enter')
  await page.locator('html[theme=dark]').waitFor()
  await page.keyboard.press('Control+k')
  await field.fill('deutsch')
  await page.keyboard.press('Enter')
  const german = page.getByRole('combobox', { name: 'Suche und Befehle' })
  await page.getByRole('button', { name: 'Suchen', exact: true }).click()
  await german.fill('ersten feld')
  await page.keyboard.press('Enter')
  await focused(page, page.locator('.form input:not([readonly])').first())
  await page.keyboard.press('Control+k')
  await german.fill('sprache english')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Search', exact: true }).waitFor()
})

test('records that were open follow the user to another browser', async () => {
  const load = () => world.call('ana', '/api/v1/svc/settings/me')
  await until(async () => JSON.stringify(await load()).includes('SO-2026-00200'))
  const { page: other } = await world.openAs('ana', '/')
  await other.keyboard.press('Control+k')
  await other.getByRole('group', { name: 'Recent' }).getByText('SO-2026-00200').waitFor()
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
