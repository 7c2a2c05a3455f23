/** Saved views in the client: kept, opened by a bare link, changed, shared and deleted. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders?search=granite&sort=-Total')
})

afterAll(() => world[Symbol.asyncDispose]())

const menu = () => browser.page.getByRole('button', { name: /^View:/ })

test('what the grid shows is saved as a view, and a bare link opens the default one', async () => {
  const { page } = browser
  await menu().click()
  await page.getByRole('menuitem', { name: /^Save as/ }).click()
  await page.getByLabel('Name').fill('Granite first')
  await page.getByLabel('Open with this view').check()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'View: Granite first ▾' }).waitFor()
  await page.goto(`${world.address}/object/orders`)
  await page.waitForURL(/view=\d+/)
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('search'), searchParams.get('sort')]).toEqual(['granite', '-Total'])
  expect(await page.getByRole('searchbox').inputValue()).toBe('granite')
})

test('a view that was changed says so, goes back, is saved again, and is deleted', async () => {
  const { page } = browser
  await page.getByRole('searchbox').fill('gran')
  await page.getByRole('button', { name: 'View: Granite first • ▾' }).click()
  await page.getByRole('menuitem', { name: 'Reset to “Granite first”' }).click()
  await page.waitForURL(/search=granite/)
  await page.getByRole('searchbox').fill('gra')
  await page.getByRole('button', { name: 'View: Granite first • ▾' }).click()
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT')
  await page.getByRole('menuitem', { name: 'Save “Granite first”' }).click()
  expect((await saved).status()).toBe(200)
  await page.getByRole('button', { name: 'View: Granite first ▾' }).click()
  await page.getByRole('menuitem', { name: 'Delete “Granite first”' }).click()
  await page.getByRole('button', { name: 'View: All ▾' }).waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('gra')
})

test('a view that its owner shares is there for others, who cannot change it', async () => {
  await world.call('root', '/api/v1/svc/views', {
    Object: 'orders',
    Name: 'Late ones',
    Preset: 'Overdue',
    Shared: 'company',
  })
  const { page } = browser
  await page.reload()
  await menu().click()
  await page.getByRole('menuitem', { name: 'Late ones' }).click()
  await page.waitForURL(/preset=Overdue/)
  await page.getByRole('searchbox').fill('x')
  await page.getByRole('button', { name: 'View: Late ones • ▾' }).click()
  const save = page.getByRole('menuitem', { name: /^Save “Late ones”/ })
  expect(await save.getAttribute('aria-disabled')).toBe('true')
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
