/** The client in Debian's Chromium, before the executable: `serve --client` as users start it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type ClosedPage, openClosedPage } from './browser.ts'
import { type RunningExecutable, startExecutable } from '../support/executable.ts'
import { until } from '../support/until.ts'

let server: RunningExecutable
let browser: ClosedPage
let address = ''

beforeAll(async () => {
  server = await startExecutable({ args: ['--demo', '--client', '0'] })
  await until(() => /^client on /m.test(server.output()))
  address = /^client on (\S+)$/m.exec(server.output())?.[1] ?? ''
  browser = await openClosedPage(address)
})

afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** Signs in by keyboard alone, as one does with a password manager turned off. */
async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('User name or e-mail').fill(name)
  await page.keyboard.press('Tab')
  await page.keyboard.type(`${name}-demo-password`)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Sales manager' }).waitFor()
}

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
