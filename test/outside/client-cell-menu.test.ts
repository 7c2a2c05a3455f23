/** The menu at a cell of a grid: by mouse, by keys, by a finger; filters, text, record, column. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage
let page: Page

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders')
  page = browser.page
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
})

afterAll(() => world[Symbol.asyncDispose]())

const menu = () => page.locator('.menu-layer [role=menu]')

const item = (name: string) => menu().locator('[role^=menuitem]', { hasText: name })

const filters = (): unknown => JSON.parse(new URL(page.url()).searchParams.get('filters') ?? '[]')

const query = (name: string) => new URL(page.url()).searchParams.get(name)

/** The cell of a row, from 1, in the column with this head. */
async function cellAt(row: number, head: string) {
  const heads = page.getByRole('columnheader', { name: head, exact: true })
  const column = await heads.getAttribute('data-column')
  const cell = page.locator(`.grid [data-line="${row - 1}"] > [data-column="${column}"]`)
  await cell.waitFor()
  return cell
}

const open = async (path: string): Promise<void> => {
  await page.goto(`${world.address}${path}`)
  await page.locator('.grid-title').first().waitFor()
}

test('the right button filters by a value, and the focus waits at the first row', async () => {
  await open('/object/orders?sort=Number')
  const cell = await cellAt(3, 'Status')
  const status = await cell.innerText()
  await cell.click({ button: 'right' })
  expect(await menu().locator('.menu-heading').innerText()).toBe(`Status: ${status}`)
  await item('Filter by this value').click()
  await page.waitForURL(/filters=/)
  expect(filters()).toEqual([['Status', 'eq', status.toLowerCase()]])
  await page.locator('.grid [data-line="0"] > :focus', { hasText: status }).waitFor()
})

test('keys open it, Escape returns, and a value is excluded', async () => {
  await open('/object/orders?sort=Number')
  const cell = await cellAt(2, 'Region')
  const region = await cell.innerText()
  await cell.focus()
  await page.keyboard.press('Shift+F10')
  await menu().locator(':focus', { hasText: 'Filter by this value' }).waitFor()
  await page.keyboard.press('Escape')
  await menu().waitFor({ state: 'detached' })
  expect(await page.locator(':focus').innerText()).toBe(region)
  await page.keyboard.press('ContextMenu')
  await menu().locator(':focus').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/filters=/)
  expect(filters()).toEqual([['Region', 'ne', region]])
})

test('an empty cell asks for rows without a value, an instant for its day', async () => {
  await open('/object/orders?sort=Number')
  await (await cellAt(1, 'Approval')).click({ button: 'right' })
  await item('Only rows without a value').click()
  await page.waitForURL(/filters=/)
  expect(filters()).toEqual([['Approval', 'isNull', null]])
  await (await cellAt(1, 'Ordered at')).click({ button: 'right' })
  await item('Exclude this day').click()
  await until(() => (filters() as unknown[]).length === 2)
  expect(JSON.stringify(filters())).toMatch(/\["OrderedAt","ne","\d{4}-\d\d-\d\d"\]/)
})

test('a text is copied, a column sorts and groups, a group narrows', async () => {
  await open('/object/orders')
  await (await cellAt(1, 'Number')).click({ button: 'right' })
  await item('Copy value').click()
  await page.getByText('Copied').waitFor()
  const number = await (await cellAt(1, 'Number')).innerText()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(number)
  await (await cellAt(1, 'Total')).click({ button: 'right' })
  await item('Sort downwards').click()
  await page.waitForURL(/sort=-Total/)
  await page.getByRole('columnheader', { name: 'Status' }).click({ button: 'right' })
  await item('Group by this column').click()
  await page.waitForURL(/group=Status/)
  const shipped = page.locator('.grid-group', { hasText: 'Shipped' })
  await shipped.locator('.grid-group-name').click({ button: 'right' })
  await item('Exclude this value').click()
  await page.waitForURL(/filters=/)
  expect(filters()).toEqual([['Status', 'ne', 'shipped']])
  await shipped.waitFor({ state: 'detached' })
  await page.locator('.grid-group-name').first().click({ button: 'right' })
  await item('Show without groups').click()
  await until(() => query('group') === null)
})

test('a reference leads to its record, and a cell is edited where that is allowed', async () => {
  await open('/object/products')
  const cell = await cellAt(1, 'Group')
  const group = await cell.innerText()
  await cell.click({ button: 'right' })
  await item(`Open ${group}`).click()
  await page.waitForURL(/\/object\/product-groups\//)
  await page.goBack()
  await (await cellAt(1, 'Name')).click({ button: 'right' })
  await item('Change: Name').click()
  await page.locator('.grid-editor input:focus').waitFor()
  await page.keyboard.press('Escape')
  await (await cellAt(1, 'On hand')).click({ button: 'right' })
  const change = item('Change: On hand')
  expect(await change.getAttribute('aria-disabled')).toBe('true')
  expect(await change.innerText()).toContain('On hand cannot be changed here')
  // A press beside the menu closes it, and opens no record.
  await page.mouse.click(5, 300)
  await menu().waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/object/products')
})

test('boxes, sums and links with Shift keep the menu of the browser', async () => {
  await open('/object/orders?totals=Total:sum&columns=Number,Total')
  await page.locator('.grid-foot .grid-total').click({ button: 'right' })
  await page.locator('.grid [data-line="0"] .grid-box').click({ button: 'right' })
  await page
    .locator('.grid-title')
    .first()
    .click({ button: 'right', modifiers: ['Shift'] })
  await page.waitForTimeout(100)
  expect(await menu().count()).toBe(0)
})

test('a finger that rests on a card opens it, in German, and opens no record', async () => {
  const phone = await world.openAs('ana', '/object/orders', {
    locale: 'de-DE',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  const value = phone.page.locator('.grid-card [data-field=Region] dd').first()
  await value.waitFor()
  const box = await value.boundingBox()
  if (!box) throw new Error('No card')
  const touch = await phone.page.context().newCDPSession(phone.page)
  const touchPoints = [{ x: box.x + 10, y: box.y + 8 }]
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  const opened = phone.page.locator('.menu-layer [role=menu]')
  await opened.waitFor()
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  expect(await opened.locator('.menu-heading').innerText()).toStartWith('Gebiet: ')
  await opened.getByText('Nach diesem Wert filtern').tap()
  await phone.page.waitForURL(/filters=/)
  expect(new URL(phone.page.url()).pathname).toBe('/object/orders')
  expect(phone.complaints).toEqual([])
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
