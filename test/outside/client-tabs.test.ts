/** Forms in tabs: keys, address, what is typed in them, faults, conditions, phones, paper. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/products/1')
})

afterAll(() => world[Symbol.asyncDispose]())

const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name })

const openedTab = (page: Page) => new URL(page.url()).searchParams.get('tab')

const input = (page: Page, name: string) => page.locator(`[data-field=${name}] input`)

const isOpen = async (page: Page, name: string | RegExp): Promise<boolean> =>
  (await tab(page, name).getAttribute('aria-selected')) === 'true'

test('tabs are walked by keys, and the address has the open one', async () => {
  const { page } = browser
  await tab(page, 'General').focus()
  await input(page, 'Sku').waitFor()
  expect(await input(page, 'Price').isVisible()).toBe(false)
  await page.keyboard.press('ArrowRight')
  await input(page, 'Price').waitFor()
  expect(openedTab(page)).toBe('1')
  await page.reload()
  await input(page, 'Price').waitFor()
  expect(await isOpen(page, 'Prices')).toBe(true)
  await tab(page, 'Prices').focus()
  await page.keyboard.press('End')
  await page.locator('[role=tab]:focus', { hasText: 'Stock' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await page.locator('[role=tab]:focus', { hasText: 'General' }).waitFor()
  expect(openedTab(page)).toBeNull()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Home')
  await page.locator('[role=tab]:focus', { hasText: 'General' }).waitFor()
  // One tab of the line is reached by Tab, and its panel behind it.
  expect(await page.locator('[role=tab][tabindex="0"]').count()).toBe(1)
  const panel = page.getByRole('tabpanel', { name: 'General' })
  expect(await panel.locator('[data-field=Sku]').count()).toBe(1)
})

test('what is typed stays in a tab that is left, and its fault leads back', async () => {
  const { page } = browser
  await tab(page, 'Prices').click()
  const price = await input(page, 'Price').inputValue()
  await input(page, 'Price').fill('0.01')
  await input(page, 'Price').press('Tab')
  await tab(page, /^Stock/).click()
  await tab(page, /^Prices.*Not saved/).waitFor()
  await page.keyboard.press('Control+s')
  const line = page.getByRole('alert').getByRole('button', { name: /price is below/ })
  await line.waitFor()
  await tab(page, /1 fault$/).waitFor()
  expect(await isOpen(page, /^Stock/)).toBe(true)
  await line.press('Enter')
  await page.locator('[data-field=Price] :focus').first().waitFor()
  expect(await isOpen(page, /^Prices/)).toBe(true)
  expect(openedTab(page)).toBe('1')
  expect(Number(await input(page, 'Price').inputValue())).toBe(0.01)
  await input(page, 'Price').fill(price)
  await input(page, 'Price').press('Tab')
  await tab(page, /^Prices$/).waitFor()
  browser.complaints.splice(0)
})

interface Described {
  Fields: { Name: string; VisibleWhen: unknown }[]
}

/** The metadata of products, with a stock that only active ones have. */
async function describeActive(): Promise<Described> {
  const path = '/api/v1/svc/object/products/metadata'
  const data = (await world.call('ana', path)) as Described
  for (const field of data.Fields)
    if (['OnHand', 'ReorderLevel'].includes(field.Name))
      field.VisibleWhen = { Field: 'Active', Operator: 'eq', Value: 'true' }
  return data
}

test('a tab vanishes with the last of its fields, and the first one is open then', async () => {
  // Its browser has kept no metadata of an earlier visit.
  const { page } = await world.openAs('ana', '/')
  const json = { success: true, data: await describeActive() }
  await page.route('**/products/metadata', (route) => route.fulfill({ json }))
  await page.goto(`${world.address}/object/products/1?tab=2`)
  await input(page, 'ReorderLevel').waitFor()
  await tab(page, /^General/).click()
  await page.getByRole('checkbox', { name: 'Active' }).press('Space')
  await tab(page, /^Stock/).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Active' }).press('Space')
  await tab(page, /^Stock/).click()
  await input(page, 'ReorderLevel').waitFor()
  await page.unroute('**/products/metadata')
  // Of an order that is new nothing is computed yet: a line of one tab would lead nowhere.
  await page.goto(`${world.address}/object/orders/new`)
  await page.locator('[data-field=CustomerId]').waitFor()
  expect(await page.getByRole('tab').count()).toBe(0)
  await page.goto(`${world.address}/object/orders/400`)
  await tab(page, 'Amounts').click()
  await page.locator('[data-field=Total]').waitFor()
})

test('on paper all tabs stand below each other, and a phone scrolls their line', async () => {
  const { page } = browser
  await page.goto(`${world.address}/object/products/1`)
  await input(page, 'Sku').waitFor()
  await page.emulateMedia({ media: 'print' })
  await input(page, 'Price').waitFor()
  await input(page, 'ReorderLevel').waitFor()
  expect(await page.getByRole('tablist').isVisible()).toBe(false)
  await page.emulateMedia({ media: 'screen' })
  await page.setViewportSize({ width: 320, height: 700 })
  await tab(page, 'Stock').click()
  await input(page, 'ReorderLevel').waitFor()
  const isWhole = `(() => {
    const { right } = document.querySelector('[role=tab][aria-selected=true]').getBoundingClientRect()
    return right <= innerWidth && document.documentElement.scrollWidth <= innerWidth
  })()`
  await until(() => page.evaluate(isWhole))
})

test('German tabs have the same address, and Arabic arrows point where they point', async () => {
  const german = await world.openAs('ana', '/object/products/1?tab=2', { locale: 'de-DE' })
  await input(german.page, 'ReorderLevel').waitFor()
  expect(await german.page.getByRole('tab').allInnerTexts()).toEqual([
    'Allgemein',
    'Preise',
    'Bestand',
  ])
  const { page } = await world.openAs('ana', '/object/products/1', { locale: 'ar' })
  await tab(page, 'عام').focus()
  await page.keyboard.press('ArrowLeft')
  await input(page, 'Price').waitFor()
  expect(openedTab(page)).toBe('1')
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
