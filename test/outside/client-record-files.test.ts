/** Prints and files of a record: shown before they are kept, with progress and faults. */
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

test('an invoice is shown as PDF by keyboard, kept under its name, its fault told', async () => {
  const { page } = browser
  const menu = page.getByRole('button', { name: 'Print ▾' })
  await menu.press('Enter')
  const note = page.getByRole('menuitem', { name: 'Print delivery note' })
  expect(await note.innerText()).toContain('Not possible in the present state')
  await page.getByRole('menuitem', { name: 'Print invoice' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: /^Print invoice SO-.*\.pdf$/ })
  await dialog.getByText(/^PDF · \d+ kB$/).waitFor()
  expect(await dialog.locator('iframe').getAttribute('src')).toMatch(/^blob:/)
  const [kept] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save to disk' }).press('Enter'),
  ])
  expect(kept.suggestedFilename()).toMatch(/^Print invoice SO-.*\.pdf$/)
  expect(
    await Bun.file((await kept.path()) ?? '')
      .slice(0, 5)
      .text(),
  ).toBe('%PDF-')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const json = { success: false, error: 'The printer is out of ink' }
  await page.route('**/report/**', (route) => route.fulfill({ status: 400, json }))
  await menu.press('Enter')
  await page.getByRole('menuitem', { name: 'Print invoice' }).press('Enter')
  await dialog.getByRole('alert').getByText('The printer is out of ink').waitFor()
  await page.unroute('**/report/**')
  browser.complaints.splice(0)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
