/** The frame of the client: shortcuts and their sheet. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders')
})

afterAll(() => world[Symbol.asyncDispose]())

const isFocused = (element: Locator): Promise<unknown> =>
  element.evaluate('(each) => document.activeElement === each')

test('the sheet tells of the keys of the place, and gives the focus back', async () => {
  const { page } = browser
  await page.getByText('SO-2026-00200').waitFor()
  const search = page.getByRole('searchbox')
  await page.keyboard.press('/')
  expect(await isFocused(search)).toBe(true)
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
  expect(await isFocused(link)).toBe(true)
})

test('n makes a record, e goes to its first field, keys of the list are over', async () => {
  const { page } = browser
  await page.keyboard.press('n')
  await page.waitForURL(/\/object\/orders\/new$/)
  const customer = page.getByLabel('Customer')
  await customer.waitFor()
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('e')
  expect(await isFocused(customer)).toBe(true)
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

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
