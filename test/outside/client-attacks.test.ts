/** Strange addresses, and texts of others that look like code, in a browser. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld, signIn } from './client-world.ts'

const MARKUP = '<img src=x onerror=alert(1)><b>Mill</b>'

let world: ClientWorld
let browser: ClosedPage
let dialogs = 0

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.open()
  browser.page.on('dialog', (dialog) => {
    dialogs++
    void dialog.dismiss()
  })
})

afterAll(() => world[Symbol.asyncDispose]())

const main = () => browser.page.locator('main.frame-main')

test('an address that nobody encoded leads to the sign-in, and on to its place', async () => {
  const { page } = browser
  await page.goto(`${world.address}/object/50%`)
  await signIn(page, 'ana')
  await main().getByText('There is no object with this name').waitFor()
})

test.each([
  ['/constructor', 'There is no such page'],
  ['/__proto__/x', 'There is no such page'],
  ['/%E0%A4%A', 'There is no such page'],
  ['//evil.example/object', 'There is no such page'],
  ['/object/constructor', 'There is no object with this name'],
  ['/object/orders?sort=__proto__', "Unknown field '__proto__'"],
])('%s says what is wrong', async (address, sentence) => {
  await browser.page.goto(world.address + address)
  await main().getByText(sentence).waitFor()
})

test.each([
  'row=9007199254740991',
  'columns=Number:1e308,Number:5:start,Number,__proto__',
  'group=OrderedAt:weekday,Status:constructor',
  `filters=${'['.repeat(60)}`,
  'filters=%E0%A4%A',
])('?%s shows the rows all the same', async (query) => {
  await browser.page.goto(`${world.address}/object/orders?${query}`)
  await main().getByText('SO-2026-00200').first().waitFor()
  expect(await main().getByRole('columnheader', { name: 'Number' }).count()).toBe(1)
})

test('names, comments and views of others are texts, whatever is in them', async () => {
  const { page } = browser
  const made = (await world.call('ana', '/api/v1/svc/object/submit', {
    FormName: 'Customers',
    Parameters: { Name: MARKUP, Region: 'Hills' },
  })) as { Keys: { Id: number } }
  const record = { Object: 'Customers', Keys: { Id: made.Keys.Id } }
  await world.call('ana', '/api/v1/svc/comments', { ...record, Text: MARKUP })
  await world.call('ana', '/api/v1/svc/views', { Object: 'Customers', Name: MARKUP })
  await page.goto(`${world.address}/object/customers?search=onerror`)
  await page.locator('.grid-title').filter({ hasText: MARKUP }).waitFor()
  await page.getByRole('button', { name: /^View:/ }).click()
  await page.getByRole('menuitem', { name: MARKUP }).waitFor()
  await page.goto(`${world.address}/object/customers/${made.Keys.Id}?panel=timeline`)
  await page.locator('.timeline, aside').getByText(MARKUP).first().waitFor()
  expect(await page.locator('img[src="x"], main b').count()).toBe(0)
})

test('nothing ran, nothing left for another address, and no error was left to the page', () => {
  expect(dialogs).toBe(0)
  expect(browser.outside).toEqual([])
  expect(browser.complaints.filter((each) => !/status of 40[014]/.test(each))).toEqual([])
})
