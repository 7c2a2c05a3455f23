/** Actions and deletions in the client: who may, what follows, and what is said where not. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders')
})

afterAll(() => world[Symbol.asyncDispose]())

interface Order {
  Id: number
  Number: string
  Status: string
}

async function findOrders(preset: string): Promise<Order[]> {
  const body = { Preset: preset, PageSize: 200, Sort: [{ Field: 'OrderedAt', Direction: 'desc' }] }
  const { Rows } = (await world.call('ana', '/api/v1/svc/object/orders/table', body)) as {
    Rows: Order[]
  }
  return Rows
}

const box = (page: Page, number: string) => page.getByLabel(`Select the row: ${number}`)

test('selected rows are approved as one, by the keyboard, and the grid shows it', async () => {
  const { page } = browser
  const [first, second] = (await findOrders('Open')).filter(({ Status }) => Status === 'new')
  await box(page, first!.Number).press('Space')
  await box(page, second!.Number).press('Space')
  const bar = page.getByRole('region', { name: '2 selected' })
  await bar.getByRole('button', { name: 'Approve all selected' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Approve all selected' })
  await dialog.getByText('Approve the selected orders?').waitFor()
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/execute-row-action')),
    dialog.getByRole('button', { name: 'Approve all selected' }).press('Enter'),
  ])
  expect(answer.request().headers()['idempotency-key']).toMatch(/^[\w-]{36}$/)
  await page.getByText('Approve all selected: done').waitFor()
  await bar.waitFor({ state: 'detached' })
  const after = (await findOrders('Open')).filter(({ Id }) => Id === first!.Id || Id === second!.Id)
  expect(after.map(({ Status }) => Status)).toEqual(['approved', 'approved'])
})

test('an action asks for what it needs, and says at its field what is missing', async () => {
  const { page } = browser
  const order = (await findOrders('Open')).find(({ Status }) => Status === 'new')!
  await page.goto(`${world.address}/object/orders/${order.Id}`)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel' })
  await dialog.getByLabel('Reason').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).first().click()
  await dialog.getByText('Reason is required').waitFor()
  expect(browser.complaints.splice(0).join()).toContain('400')
  await dialog.getByLabel('Reason').fill('Not in')
  await page.getByRole('option', { name: 'Not in stock' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).first().click()
  await page.getByText(`Order ${order.Number} cancelled`).waitFor()
  // What the state bars now is greyed and says why.
  await page.getByRole('button', { name: /^Actions/ }).click()
  const barred = page.getByRole('menuitem', { name: /^Approve Not possible/ })
  await barred.waitFor()
  expect(await barred.getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Escape')
})

test('a record is deleted after a question', async () => {
  const { page } = browser
  const submit = async (Parameters: object) =>
    (await world.call('ana', '/api/v1/svc/object/submit', {
      FormName: 'customers',
      Parameters,
    })) as { Keys: { Id: number }; RowVersion: string }
  const made = await submit({ Name: 'Short Lived Ltd', Region: 'Coast' })
  await submit({ ...made.Keys, RowVersion: made.RowVersion, Active: false, Note: 'Closed' })
  await page.goto(`${world.address}/object/customers/${made.Keys.Id}`)
  await page.getByRole('button', { name: /^Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete' })
  await dialog.getByText('Short Lived Ltd').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The record is deleted').waitFor()
  expect(new URL(page.url()).pathname).toBe('/object/customers')
})

test('a user without the right sees the action greyed, with the reason', async () => {
  const { page } = await world.openAs('cy', '/object/orders')
  await page
    .getByLabel(/^Select the row/)
    .first()
    .click()
  await page
    .getByRole('region')
    .getByRole('button', { name: /^Actions/ })
    .click()
  await page.getByRole('menuitem', { name: /^Approve Your roles do not allow this/ }).waitFor()
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
