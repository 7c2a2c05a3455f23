/** The grid in Debian's Chromium: keys, places, columns, groups, sums, cards, edits in place. */
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
})

afterAll(() => world[Symbol.asyncDispose]())

const grid = () => page.locator('.grid')

/** The row with this number among those that are shown, from 1, as the grid tells it. */
const rowAt = (number: number) => grid().locator(`[role=row][aria-rowindex="${number + 1}"]`)

const query = () => new URL(page.url()).searchParams

/** The text of the cell with the focus. */
const focusedText = () => page.locator(':focus').innerText()

const open = async (path: string): Promise<void> => {
  await page.goto(`${world.address}${path}`)
  await rowAt(Number(new URL(path, world.address).searchParams.get('row') ?? 0) + 1).waitFor()
}

test('a row is reached and opened by keys alone, and Back returns to it', async () => {
  await open('/object/orders')
  await page.getByText('200 rows').waitFor()
  await grid().locator('[tabindex="0"]').focus()
  await page.keyboard.press('Control+End')
  await page.getByText('SO-2023-00001').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  expect(await focusedText()).toBe('SO-2023-00002')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'SO-2023-00002' }).waitFor()
  await page.goBack()
  await page.getByText('SO-2023-00002').waitFor()
  await until(async () => (await focusedText()) === 'SO-2023-00002')
  expect(Number(query().get('row'))).toBeGreaterThan(150)
  await page.reload()
  await page.getByText('SO-2023-00002').waitFor()
})

/**
 * Looks at each frame: how many lines wait for a later one, and which show another line's record.
 */
const WATCH_LINES = `
  window.lines = { waiting: 0, wrong: [] }
  const look = () => {
    for (const line of document.querySelectorAll('.grid-lines .grid-row')) {
      if (line.dataset.hidden) window.lines.waiting++
      const of = line.querySelector('a[href]')?.href
      const isOwn = !of || new URL(of).searchParams.get('at') === line.dataset.line
      if (!line.dataset.hidden && !isOwn) window.lines.wrong.push([line.dataset.line, of])
    }
    requestAnimationFrame(look)
  }
  look()
`

/** The titles of the lines that are there, by their numbers. */
const readTitles = (): Promise<Record<string, string>> =>
  page.evaluate(`Object.fromEntries([...document.querySelectorAll('.grid-lines .grid-row')].map(
    (line) => [line.dataset.line, line.querySelector('.grid-title')?.textContent]))`)

test('a slow machine draws a leap by and by, and never a line as another', async () => {
  await open('/object/orders?row=150')
  await page.locator('.grid-title').last().waitFor()
  const titles = await readTitles()
  await open('/object/orders')
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 10 })
  await page.evaluate(WATCH_LINES)
  await grid().locator('[tabindex="0"]').focus()
  for (let press = 0; press < 4; press++) await page.keyboard.press('PageDown')
  await page.evaluate(`document.querySelector('.grid').scrollTop = 150 * 36`)
  await rowAt(151).waitFor()
  await until(async () => {
    const drawn = await readTitles()
    return Object.entries(titles).every(([line, title]) => drawn[line] === title)
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  const seen = (await page.evaluate('window.lines')) as { waiting: number; wrong: unknown[] }
  expect(seen.wrong).toEqual([])
  expect(seen.waiting).toBeGreaterThan(0)
})

test('columns are moved, made wider, pinned and hidden by keys; the address has them', async () => {
  await open('/object/orders')
  await page.getByRole('button', { name: 'Columns and groups' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Columns and groups' })
  await dialog.getByLabel('Region', { exact: true }).press('Space')
  await dialog.getByLabel('Number: Stays at').selectOption('start')
  await dialog.getByLabel('Customer: Width').fill('300')
  await dialog.getByRole('button', { name: 'Status: further up' }).press('Enter')
  await dialog.getByRole('button', { name: 'Apply' }).press('Enter')
  await page.waitForURL(/columns=/)
  expect(query().get('columns')).toStartWith('Number::start,Customer:300,Status,')
  expect(query().get('columns')).not.toContain('Region')
  await page.reload()
  await page.getByText('200 rows').waitFor()
  const heads = await grid().getByRole('columnheader').allInnerTexts()
  expect(heads.slice(1, 4).map((text) => text.trim())).toEqual(['Number', 'Customer', 'Status'])
  await page.goBack()
  await grid().getByRole('columnheader', { name: 'Region' }).waitFor()
})

test('a column is dragged to another place, and wider by its end', async () => {
  await open('/object/orders')
  const head = (name: string) => grid().getByRole('columnheader', { name })
  await head('Status').dragTo(head('Number'))
  await page.waitForURL(/columns=Status/)
  const box = await head('Customer').boundingBox()
  if (!box) throw new Error('No head')
  await page.mouse.move(box.x + box.width - 3, box.y + 10)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width + 57, box.y + 10, { steps: 4 })
  await page.mouse.up()
  await until(async () => ((await head('Customer').boundingBox())?.width ?? 0) > box.width + 40)
  expect(query().get('columns')).toMatch(/Customer:\d+/)
})

test('groups hold their rows, and sums stand in their heads and at the foot', async () => {
  await open('/object/orders')
  await page.getByRole('button', { name: 'Columns and groups' }).click()
  const dialog = page.getByRole('dialog', { name: 'Columns and groups' })
  await dialog.getByLabel('Level 1').selectOption({ label: 'Status' })
  await dialog.getByLabel('Level 2').selectOption({ label: 'Ordered at: Year' })
  await dialog.getByLabel('Total: Total').selectOption('sum')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  const shipped = grid().getByRole('row', { name: /^Status Shipped/ })
  await shipped.waitFor()
  const { Rows } = (await world.call('ana', '/api/v1/svc/object-explorer/query', {
    ObjectName: 'orders',
    GroupBy: ['Status'],
    Aggregates: [
      { Function: 'count', As: 'Count' },
      { Function: 'sum', Field: 'Total', As: 'Sum' },
    ],
  })) as { Rows: { Status: string; Count: number; Sum: number }[] }
  const wanted = Rows.find(({ Status }) => Status === 'shipped')
  expect(await shipped.innerText()).toContain(`${wanted?.Count} rows`)
  const sum = new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(wanted?.Sum ?? 0)
  expect(await shipped.innerText()).toContain(sum)
  const all = Rows.reduce((total, { Sum }) => total + Number(Sum) * 100, 0) / 100
  const foot = grid().getByRole('row', { name: /^All rows/ })
  const text = new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(all)
  await until(async () => (await foot.innerText()).includes(text))
  await shipped.getByRole('gridcell').first().focus()
  await page.keyboard.press('ArrowRight')
  expect(await shipped.getAttribute('aria-expanded')).toBe('true')
  const year = grid()
    .getByRole('row', { name: /^Ordered at 20/ })
    .first()
  await year.waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await until(async () => (await year.getAttribute('aria-expanded')) === 'true')
  await grid()
    .getByText(/^SO-20/)
    .first()
    .waitFor()
  await page.reload()
  await shipped.waitFor()
})

test('a value is changed in its cell and stored; one that is refused goes back', async () => {
  await open('/object/customers')
  const first = rowAt(1)
  const name = (await first.locator('.grid-title').innerText()).trim()
  const head = grid().getByRole('columnheader', { name: 'Phone', exact: true })
  const column = await head.getAttribute('data-column')
  const cell = first.locator(`[data-column="${column}"]`)
  await cell.focus()
  await page.keyboard.press('F2')
  const editor = grid().locator('.grid-editor input')
  await editor.waitFor()
  await page.keyboard.type('+49 30 4711')
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    page.keyboard.press('Enter'),
  ])
  expect(answer.status()).toBe(200)
  expect(answer.request().headers()['idempotency-key']).toMatch(/^[\w-]{36}$/)
  await until(async () => (await cell.innerText()) === '+49 30 4711')
  expect(await page.locator('.grid :focus').count()).toBe(1)
  await page.reload()
  await grid().getByText('+49 30 4711').first().waitFor()
  await page.getByRole('searchbox').fill(name)
  await page.waitForURL(/search=/)
  await grid().getByText(name).first().waitFor()
  const other = rowAt(1).locator('.grid-title')
  await other.locator('..').focus()
  await page.keyboard.press('F2')
  await editor.waitFor()
  await page.keyboard.press('Delete')
  await page.keyboard.press('Enter')
  await page.getByText('Name is required').waitFor()
  await grid().getByText(name).first().waitFor()
  expect(browser.complaints.splice(0).join()).toContain('400')
})

test('rows that stand below others are shown as a tree', async () => {
  await open('/object/productgroups')
  await page.getByRole('button', { name: 'Columns and groups' }).click()
  const dialog = page.getByRole('dialog', { name: 'Columns and groups' })
  await dialog.getByLabel('Level 1').selectOption({ label: 'Tree' })
  await dialog.getByRole('button', { name: 'Apply' }).click()
  const tools = grid().getByRole('row', { name: /tools/ }).first()
  await until(async () => (await tools.getAttribute('aria-expanded')) === 'false')
  expect(await grid().getByText('hand-tools').count()).toBe(0)
  await tools.locator('[data-column="1"]').focus()
  await page.keyboard.press('ArrowRight')
  await grid().getByText('hand-tools').waitFor()
  const below = grid().getByRole('row', { name: /hand-tools/ })
  expect(await below.getAttribute('aria-level')).toBe('2')
  expect(await below.getAttribute('aria-expanded')).toBeNull()
  await page.keyboard.press('ArrowLeft')
  await below.waitFor({ state: 'detached' })
})

test('a phone shows cards, which are opened and selected', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  await open('/object/orders')
  const card = rowAt(1)
  await card.locator('dt').nth(1).waitFor()
  await card.getByRole('checkbox').click()
  await page.getByText('1 selected').first().waitFor()
  await card.locator('dl').click()
  await page.waitForURL(/\/object\/orders\/\d+/)
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('the policy refused nothing of it', () => {
  expect(browser.complaints).toEqual([])
})
