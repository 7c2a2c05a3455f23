/** A new record of a grid: the way back to its query, and neighbours once it is stored. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/product-groups?sort=-Code&search=s')
})

afterAll(() => world[Symbol.asyncDispose]())

test('given up, it leads back to the query of its grid', async () => {
  const { page } = browser
  await page.locator('.grid-title').first().waitFor()
  await page.getByRole('link', { name: 'New', exact: true }).click()
  await page.locator('[data-field=Code]').waitFor()
  await page.locator('.place-head').getByRole('link').first().click()
  await page.locator('.grid-title').first().waitFor()
  const { pathname, searchParams } = new URL(page.url())
  expect(pathname).toBe('/object/product-groups')
  expect([searchParams.get('sort'), searchParams.get('search')]).toEqual(['-Code', 's'])
})

test('stored, it is shown and has its neighbours in that grid', async () => {
  const { page } = browser
  await page.locator('.grid [tabindex="0"]').focus()
  await page.keyboard.press('n')
  await page.locator('[data-field=Code] input').fill('zz-saws')
  await page.locator('[data-field=Name] input').fill('Saws')
  await page.keyboard.press('Control+s')
  await page.waitForURL(/\/object\/product-groups\/zz-saws\?/)
  await page.locator('[data-way=next][aria-disabled=false]').waitFor()
  expect(await page.locator('[data-way=previous]').getAttribute('aria-disabled')).toBe('true')
  await page.locator('[data-way=next]').click()
  await page.waitForURL((url) => !url.pathname.endsWith('zz-saws'))
  await page.locator('[data-way=previous][aria-disabled=false]').click()
  await page.waitForURL(/zz-saws/)
  await page.locator('.place-head').getByRole('link').first().click()
  await page.getByText('zz-saws').waitFor()
  expect(new URL(page.url()).searchParams.get('sort')).toBe('-Code')
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
