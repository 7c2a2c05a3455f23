/** Pictures of the server: by their address with a service worker, by their content without. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld

beforeAll(async () => {
  world = await openClientWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const thumb = (page: Page) => page.locator('.file-line', { hasText: 'dot.png' }).locator('img')

/** The width of the picture; 0 where it is not drawn. */
const widthOf = (page: Page): Promise<unknown> =>
  page.evaluate(`document.querySelector('.file-line img')?.naturalWidth ?? 0`)

const isDrawn = (page: Page) => async (): Promise<boolean> => (await widthOf(page)) === 1

test('without a worker a picture is drawn by its content, also before it is stored', async () => {
  const { page, complaints } = await world.openAs('ana', '/object/orders/400', {
    serviceWorkers: 'block',
  })
  const buffer = PIXEL
  await page
    .locator('.files input[type=file]')
    .setInputFiles([{ name: 'dot.png', mimeType: 'image/png', buffer }])
  await until(isDrawn(page))
  await page.keyboard.press('Control+s')
  await page.getByText('Not saved').waitFor({ state: 'detached' })
  await page.reload()
  await until(isDrawn(page))
  expect(await thumb(page).getAttribute('src')).toMatch(/^blob:/)
  // The address is given back with the place.
  const address = await thumb(page).getAttribute('src')
  await page.getByRole('link', { name: 'Orders', exact: true }).first().click()
  await page.locator('.grid-title').first().waitFor()
  const isThere = `fetch(${JSON.stringify(address)}).then(() => true, () => false)`
  expect(await page.evaluate(isThere)).toBe(false)
  expect(complaints.filter((each) => !each.includes('blob:'))).toEqual([])
})

test('with a worker the browser draws it by its address', async () => {
  const { page, complaints } = await world.openAs('ana', '/object/orders/400')
  await until(() => page.evaluate('navigator.serviceWorker.controller !== null'))
  await page.reload()
  await until(isDrawn(page))
  expect(await thumb(page).getAttribute('src')).toMatch(/^\/files\//)
  expect(complaints).toEqual([])
})
