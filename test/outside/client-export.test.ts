/** Exports in the client: what the grid shows or what is selected, in the chosen columns. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders?preset=Open&sort=Number')
})

afterAll(() => world[Symbol.asyncDispose]())

/** The lines of the file that the dialog brings. */
async function exportLines(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: 'Export' })
  await dialog.getByLabel('Format').selectOption('csv')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export' }).press('Enter'),
  ])
  await dialog.waitFor({ state: 'detached' })
  expect(download.suggestedFilename()).toMatch(/^Orders \d{4}-\d\d-\d\d\.csv$/)
  const text = await Bun.file(await download.path()).text()
  return text.trim().split(/\r?\n/)
}

const begin = (page: Page) => page.getByRole('button', { name: 'Export' }).press('Enter')

async function findNumbers(): Promise<string[]> {
  const body = { Preset: 'Open', PageSize: 1000, Sort: [{ Field: 'Number', Direction: 'asc' }] }
  const { Rows } = (await world.call('ana', '/api/v1/svc/object/orders/table', body)) as {
    Rows: { Number: string }[]
  }
  return Rows.map(({ Number: number }) => number)
}

test('the rows that the address asks for are exported in their order', async () => {
  const { page } = browser
  await begin(page)
  const [head, ...lines] = await exportLines(page)
  expect(head).toContain('Number')
  const numbers = await findNumbers()
  expect(numbers.length).toBeGreaterThan(2)
  expect(lines.map((line) => numbers.find((each) => line.includes(each)))).toEqual(numbers)
})

test('selected rows are exported in the columns that were chosen', async () => {
  const { page } = browser
  const [first, second] = await findNumbers()
  for (const number of [first, second])
    await page.getByLabel(`Select the row: ${number}`).press('Space')
  await begin(page)
  const columns = page.getByRole('group', { name: 'Columns' })
  await columns.getByRole('checkbox', { name: 'Number' }).waitFor()
  for (const box of await columns.getByRole('checkbox').all()) await box.uncheck()
  await columns.getByRole('checkbox', { name: 'Number' }).check()
  expect(await exportLines(page)).toEqual(['Number', first!, second!])
})

test('an export in the background comes as a notification, whose file is kept', async () => {
  const { page } = browser
  await begin(page)
  const dialog = page.getByRole('dialog', { name: 'Export' })
  await dialog.getByLabel('Format').selectOption('csv')
  await dialog.getByRole('checkbox', { name: 'In the background' }).check()
  await dialog.getByRole('button', { name: 'Export' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  const bell = page.getByRole('button', { name: /unread notification/ })
  await bell.waitFor()
  await bell.press('Enter')
  const told = page.getByRole('button', { name: /^Export of Orders/ }).first()
  const [download] = await Promise.all([page.waitForEvent('download'), told.press('Enter')])
  expect(await Bun.file(await download.path()).text()).toContain('Number')
  await page.keyboard.press('Escape')
})

test('without a column there is no export, and the button says why', async () => {
  const { page } = browser
  await begin(page)
  const dialog = page.getByRole('dialog', { name: 'Export' })
  await dialog.getByRole('checkbox').first().waitFor()
  for (const box of await dialog.getByRole('checkbox').all()) await box.uncheck()
  const button = dialog.getByRole('button', { name: 'Export' })
  expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
    true,
    'Choose at least one column',
  ])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

test('who may not export is offered none, and the policy refused nothing', async () => {
  const { page } = await world.openAs('cy', '/object/customers')
  await page
    .getByLabel(/^Select the row/)
    .first()
    .waitFor()
  expect(await page.getByRole('button', { name: 'Export' }).count()).toBe(0)
  await page.goto(`${world.address}/object/orders`)
  await page.getByRole('button', { name: 'Export' }).waitFor()
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
