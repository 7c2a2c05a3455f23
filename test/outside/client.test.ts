/** The client in Debian's Chromium, before the executable: `serve --client` as users start it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld, signIn } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage
let address = ''

beforeAll(async () => {
  world = await openClientWorld()
  address = world.address
  browser = await world.open({ takes: '**/submit' })
})

afterAll(() => world[Symbol.asyncDispose]())

test('a wrong password says so, a right one leads to the places of the user', async () => {
  const { page } = browser
  await page.goto(address)
  await page.getByLabel('User name or e-mail').fill('ana')
  await page.getByLabel('Password', { exact: true }).fill('not this one')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  // The browser itself writes down what was refused.
  expect(browser.complaints.splice(0).join()).toContain('401')
  await signIn(page, 'ana')
  await page.getByRole('main').getByRole('link', { name: 'Orders', exact: true }).click()
  await page.getByText('SO-2026-00200').waitFor()
  expect(new URL(page.url()).pathname).toBe('/object/orders')
})

test('a link opens the grid of the user, and reload gives the same picture', async () => {
  const { page } = browser
  await page.goto(`${address}/object/orders`)
  const cell = page.getByText('SO-2026-00200')
  await cell.waitFor()
  await page.reload()
  await cell.waitFor()
})

test('nothing of another origin was asked for, and the policy refused nothing', () => {
  expect(browser.outside).toEqual([])
  expect(browser.complaints).toEqual([])
})

const saved = (page: Page) => page.waitForResponse((answer) => answer.url().endsWith('/submit'))

test('a record is changed by keyboard and saved by Ctrl-S, in its own fields alone', async () => {
  const { page } = browser
  await page.goto(`${address}/object/orders/400`)
  const field = page.getByLabel('Your reference')
  await field.fill('PO 4711')
  const [answer] = await Promise.all([saved(page), page.keyboard.press('Control+s')])
  const body = answer.request().postDataJSON() as { Parameters: object }
  expect(Object.keys(body.Parameters).sort()).toEqual(['Id', 'Reference', 'RowVersion'])
  expect(answer.request().headers()['idempotency-key']).toMatch(/^[\w-]{36}$/)
  await page.reload()
  await field.waitFor()
  expect(await field.inputValue()).toBe('PO 4711')
})

test('a new record tells each fault at its field, and then has an address of its own', async () => {
  const { page } = browser
  await page.goto(`${address}/object/orders/new`)
  await page.getByLabel('Customer').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('alert').getByText('Customer is required').waitFor()
  expect(browser.complaints.splice(0).join()).toContain('400')
  await page.getByLabel('Customer').fill('Cobalt F')
  await page.getByRole('option', { name: 'Cobalt Fencing Group' }).click()
  await page.keyboard.press('Control+s')
  await page.waitForURL(/\/object\/orders\/\d+$/)
  await page.getByRole('heading', { level: 1, name: /^SO-/ }).waitFor()
})

test('search, preset and sort stand in the address, and Back takes each back', async () => {
  const { page } = browser
  await page.goto(`${address}/object/orders`)
  const status = page.getByRole('main').getByRole('status')
  await page.getByText('SO-2026-00200').waitFor()
  await page.getByRole('searchbox').fill('granite')
  await page.waitForURL(/search=granite/)
  await page.getByRole('button', { name: 'Customer' }).click()
  await page.waitForURL(/sort=Customer/)
  await page.getByRole('combobox', { name: 'Preset' }).selectOption({ index: 1 })
  await page.waitForURL(/preset=/)
  await page.goBack()
  await page.getByText('Granite Landscaping Partners').first().waitFor()
  expect(await status.innerText()).toMatch(/^\d+ rows$/)
  await page.reload()
  await page.getByText('Granite Landscaping Partners').first().waitFor()
  await page.goBack()
  expect(new URL(page.url()).searchParams.get('sort')).toBeNull()
})

test('a user of two companies goes on in the other one, with its rows alone', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Sales manager' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await signIn(page, 'dee')
  await page.getByRole('button', { name: 'Sales representative' }).click()
  await page.getByRole('menuitemradio', { name: 'West Trading' }).click()
  await page.getByRole('link', { name: 'West Trading' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'West Trading' }).waitFor()
})

test("with a session, the client's files up to a filled grid are under 140 KB", async () => {
  const { page } = await world.openAs('ana', '/object/orders', { takes: '**' })
  const grid = page.getByText('SO-2026-00200')
  await grid.waitFor()
  const files: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    if (!/^\/(?:client|object)\//.test(new URL(request.url()).pathname)) return
    files.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  await page.reload()
  await grid.waitFor()
  const bytes = (await Promise.all(files)).reduce((sum, each) => sum + each, 0)
  expect(files.length).toBeGreaterThan(5)
  expect(bytes).toBeGreaterThan(100 * 1024)
  expect(bytes).toBeLessThan(140 * 1024)
})

test('the policy refused nothing of a form either', () => {
  expect(browser.outside).toEqual([])
  expect(browser.complaints).toEqual([])
})
