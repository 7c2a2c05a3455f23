/** The user's own account: profile, notifications, password, second factor, sessions. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { codeAt } from '../support/authenticator.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('dee', '/object/orders')
})

afterAll(() => world[Symbol.asyncDispose]())

test('the account opens from the menu of the user, and its zone is theirs everywhere', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Sales representative' }).click()
  await page.getByRole('menuitem', { name: 'Account' }).click()
  await page.waitForURL(/\/account$/)
  await page.getByText('dee@example.com').waitFor()
  await page.getByLabel('Time zone').fill('Lisbon')
  await page.getByRole('option', { name: /Europe\/Lisbon/ }).click()
  await page.getByText('Saved').waitFor()
  const load = async () =>
    (await world.call('dee', '/api/v1/svc/timezone')) as { User: string | null; Source: string }
  expect(await load()).toMatchObject({ User: 'Europe/Lisbon', Source: 'User' })
  await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
  await page.getByRole('heading', { level: 1, name: 'Konto' }).waitFor()
  await page.getByRole('combobox', { name: 'Sprache' }).selectOption('en')
})

test('what notifies by which channel is saved with each box', async () => {
  const { page } = browser
  await page.getByRole('link', { name: 'Notifications' }).click()
  await page.waitForURL(/\/account\/notifications$/)
  const box = page.getByLabel('Messages: By mail')
  await Promise.all([
    page.waitForResponse((answer) => answer.request().method() === 'PUT'),
    box.check(),
  ])
  await page.reload()
  await box.waitFor()
  expect(await box.isChecked()).toBe(true)
  expect(await page.getByLabel('Messages: Here').isChecked()).toBe(true)
})

test('the password is changed, with each fault at its field', async () => {
  const { page } = browser
  await page.getByRole('link', { name: 'Security' }).click()
  const field = (name: string) => page.getByLabel(name, { exact: true })
  await page.getByRole('button', { name: 'Change password' }).click()
  expect(await page.getByText('Fill this in').count()).toBe(3)
  await field('Password now').fill('not this one')
  await field('New password').fill('nine stones under a bridge')
  await field('New password again').fill('nine stones')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('The two passwords differ').waitFor()
  await field('New password again').fill('nine stones under a bridge')
  await field('New password again').press('Enter')
  await page.getByText('The password is wrong').first().waitFor()
  expect(browser.complaints.splice(0).join()).toContain('400')
  await field('Password now').fill('dee-demo-password')
  await field('New password again').press('Enter')
  await page.getByText('The password is changed.').waitFor()
})

test('sessions elsewhere are listed and ended', async () => {
  await using other = await world.open()
  const { page } = other
  await page.goto(world.address)
  await page.locator('input[autocomplete=username]').fill('dee')
  await page.locator('input[type=password]').fill('nine stones under a bridge')
  await page.keyboard.press('Enter')
  await page.locator('main.frame-main').waitFor()
  await browser.page.reload()
  const list = browser.page.getByRole('listitem').filter({ hasText: 'Chrome · Linux' })
  await list.nth(1).waitFor()
  await browser.page
    .getByRole('button', { name: /^End: / })
    .first()
    .click()
  await browser.page.getByText('The session has ended').waitFor()
  await page.getByRole('link', { name: 'Orders', exact: true }).first().click()
  await page.getByText('Your session has ended').waitFor()
  expect(other.complaints.join()).toContain('401')
})

test('a second factor is set up with its recovery codes, and removed', async () => {
  const { page } = browser
  const password = 'nine stones under a bridge'
  await page.getByRole('button', { name: 'Set up a second factor' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password now').fill(password)
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await dialog.locator('img.qr').waitFor()
  const secret = await dialog.getByLabel('Secret').inputValue()
  await dialog.getByLabel('Code of your authenticator app').fill('000000')
  await dialog.getByRole('button', { name: 'Verify' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(browser.complaints.splice(0).join()).toContain('400')
  await dialog.getByLabel('Code of your authenticator app').fill(codeAt(secret, new Date()))
  await dialog.getByRole('button', { name: 'Verify' }).click()
  const codes = await dialog.locator('.recovery-codes').innerText()
  expect(codes.split('\n')).toHaveLength(10)
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await page.getByRole('button', { name: 'Remove second factor' }).click()
  await dialog.getByLabel('Password now').fill(password)
  await dialog.getByLabel('Code of your app, or a recovery code').fill(codes.split('\n')[0]!)
  await dialog.getByRole('button', { name: 'Remove second factor' }).click()
  await page.getByText('The second factor is removed').waitFor()
  await page.getByRole('button', { name: 'Set up a second factor' }).waitFor()
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
