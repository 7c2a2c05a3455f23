/** The timeline beside a record in Debian's Chromium: by its address, after a save, on a phone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders/400')
})

afterAll(() => world[Symbol.asyncDispose]())

test('a save is told at once, and the panel stands in the address', async () => {
  const { page } = browser
  const panel = page.getByRole('complementary', { name: 'Timeline' })
  await page.getByRole('button', { name: 'Timeline' }).click()
  await panel.waitFor()
  expect(page.url()).toEndWith('/object/orders/400?panel=timeline')
  for (const reference of ['PO 1', 'PO 2']) {
    await page.getByLabel('Reference').fill(reference)
    await page.keyboard.press('Control+s')
    await panel.getByText(`→ ${reference}`).waitFor()
  }
  const [latest] = await panel.getByRole('listitem').allInnerTexts()
  expect(latest).toStartWith('Sales manager changed it')
  expect(latest).toContain('PO 1 → PO 2')
  await page.reload()
  await panel.getByText('PO 1 → PO 2').waitFor()
  await panel.getByRole('button', { name: 'Close' }).click()
  await panel.waitFor({ state: 'detached' })
  expect(page.url()).toEndWith('/object/orders/400')
  const focused = await page.locator(':focus').innerText()
  expect(focused).toBe('Timeline')
  expect(browser.complaints).toEqual([])
})

test('on a phone it stands below the record, and nothing is wider than the screen', async () => {
  const { page } = browser
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Timeline' }).click()
  const panel = page.getByRole('complementary', { name: 'Timeline' })
  await panel.getByText('PO 1 → PO 2').waitFor()
  const form = await page.locator('.record-split > .place-body').boundingBox()
  const below = await panel.boundingBox()
  expect(below?.y).toBeGreaterThanOrEqual((form?.y ?? 0) + (form?.height ?? 0))
  const width = await page.evaluate('document.documentElement.scrollWidth')
  expect(width).toBe(390)
})

test('an action is told by its label with what it changed, in German, too', async () => {
  const { page } = browser
  await page.setViewportSize({ width: 1280, height: 800 })
  const Filters = [{ field: 'Status', op: 'eq', value: 'new' }]
  const found = await world.call('ana', '/api/v1/svc/object/orders/table', { Filters, PageSize: 1 })
  const { Id } = (found as { Rows: { Id: number }[] }).Rows[0] ?? { Id: 0 }
  const path = `/object/orders/${Id}?panel=timeline`
  await page.goto(`${world.address}${path}`)
  const entries = page.getByRole('complementary', { name: 'Timeline' }).getByRole('listitem')
  await entries.first().waitFor()
  const before = await entries.count()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve' })
  await dialog.getByRole('button', { name: 'Approve' }).first().click()
  await entries
    .filter({ hasText: 'Sales manager ran “Approve”' })
    .getByText('New → Approved')
    .waitFor()
  expect(await entries.count()).toBe(before + 1)
  const german = await world.openAs('ana', path, { locale: 'de-DE' })
  await german.page.getByText(/hat „\S+“ ausgeführt/).waitFor()
  expect([...browser.complaints, ...german.complaints]).toEqual([])
})
