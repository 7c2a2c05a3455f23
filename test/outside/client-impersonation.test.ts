/** A System user acts as another one, from the menu, and is herself again. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('root', '/')
})

afterAll(() => world[Symbol.asyncDispose]())

test('a user and a reason are asked for, and the banner says who acts as whom', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'System administrator' }).click()
  await page.getByRole('menuitem', { name: 'Act as another user' }).click()
  const dialog = page.getByRole('dialog', { name: 'Act as another user' })
  const start = dialog.getByRole('button', { name: 'Start' })
  await start.click()
  await dialog.getByText('Choose a user').waitFor()
  await dialog.getByLabel('User').fill('cler')
  await page.getByRole('option', { name: 'Clerk (cy)' }).click()
  await start.click()
  await dialog.getByText('Say what it is for').waitFor()
  await dialog.getByLabel('Reason').fill('The order looks wrong to her')
  await page.keyboard.press('Enter')
  await page.getByText('You act as Clerk.').waitFor()
  await page.getByRole('link', { name: 'South Trading' }).waitFor()
  await page.reload()
  await page.getByText('You act as Clerk.').waitFor()
})

test("the user's account is closed, and from the palette one is oneself again", async () => {
  const { page } = browser
  await page.goto(`${world.address}/account/security`)
  await page.getByText('Password, second factor and sessions are theirs alone').waitFor()
  const change = page.getByRole('button', { name: 'Change password' })
  expect(await change.isDisabled()).toBe(true)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('stop clerk')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'System administrator' }).waitFor()
  expect(await page.getByText('You act as Clerk.').count()).toBe(0)
})

test('another user has no such way', async () => {
  const { page } = await world.openAs('eva', '/')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('act as')
  await page.getByText('Nothing found for').waitFor()
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
