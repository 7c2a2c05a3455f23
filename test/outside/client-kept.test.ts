/** Structure that a browser keeps: the next visit is drawn at once, rows and rights follow. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld, signIn } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders')
})

afterAll(() => world[Symbol.asyncDispose]())

const listKept = (page: Page): Promise<string[]> =>
  page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('kept ')))

/** Holds all questions to the engine back until it is called. */
async function holdEngine(page: Page): Promise<() => void> {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/**', async (route) => {
    await held
    await route.continue()
  })
  return release
}

test('frame, head and columns are there before the server answers; rows come with it', async () => {
  const { page } = browser
  await page.getByText('SO-2026-00200').waitFor()
  await until(async () => (await listKept(page)).length >= 4)
  const release = await holdEngine(page)
  await page.reload()
  await page.getByRole('navigation').getByRole('link', { name: 'Orders' }).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
  await page.getByRole('columnheader', { name: 'Customer' }).waitFor()
  await page.getByRole('button', { name: 'Export' }).waitFor()
  expect(await page.locator('.grid-title').count()).toBe(0)
  release()
  await page.getByText('SO-2026-00200').waitFor()
  // Nothing was asked without a token.
  expect(browser.complaints).toEqual([])
})

test('tabs that begin at once have the session of each other, again and again', async () => {
  const context = browser.page.context()
  const tabs = await Promise.all(Array.from({ length: 4 }, () => context.newPage()))
  for (let turn = 0; turn < 3; turn++) {
    await Promise.all(tabs.map((tab) => tab.goto(`${world.address}/object/orders`)))
    await Promise.all(tabs.map((tab) => tab.getByText('SO-2026-00200').waitFor()))
  }
  await Promise.all(tabs.map((tab) => tab.close()))
})

test('no row is kept', async () => {
  const { page } = browser
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
  expect(kept).not.toContain('SO-2026-')
})

test('rights that were taken away are gone with the first rows', async () => {
  const { page } = browser
  await page.evaluate(() => {
    const name = 'kept rights orders'
    const rights = JSON.parse(localStorage.getItem(name) ?? '{}') as object
    localStorage.setItem(name, JSON.stringify({ ...rights, Export: false, Create: false }))
  })
  const release = await holdEngine(page)
  await page.reload()
  await page.getByRole('columnheader', { name: 'Customer' }).waitFor()
  expect(await page.getByRole('button', { name: 'Export' }).count()).toBe(0)
  release()
  await page.getByRole('button', { name: 'Export' }).waitFor()
  await page.getByRole('link', { name: 'New', exact: true }).waitFor()
})

test('what another release of the client has kept is not read', async () => {
  const { page } = browser
  await page.evaluate(() => {
    const owner = JSON.parse(localStorage.getItem('kept user') ?? '{}') as object
    localStorage.setItem('kept user', JSON.stringify({ ...owner, release: 'an older one' }))
    localStorage.setItem('kept metadata en-US orders', '{"Slug":"orders"}')
  })
  await page.reload()
  await page.getByText('SO-2026-00200').waitFor()
})

test('a session that has ended leads to the sign-in, and nothing of it stays', async () => {
  const { page } = browser
  await page.context().clearCookies()
  await page.reload()
  await page.locator('input[autocomplete=username]').waitFor()
  await page.locator('.frame').waitFor({ state: 'detached' })
  expect(await listKept(page)).toEqual([])
})

test('a sign-out forgets all of it; the next user begins with nothing', async () => {
  const { page } = browser
  await signIn(page, 'ana')
  await page.getByText('SO-2026-00200').waitFor()
  await page.locator('.frame-bar').getByRole('button', { name: 'Ana' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.locator('input[autocomplete=username]').waitFor()
  expect(await listKept(page)).toEqual([])
  await signIn(page, 'cy')
  await page.getByText('SO-2026-').first().waitFor()
  const owner = await page.evaluate(() => localStorage.getItem('kept user'))
  expect(owner).toContain('cy')
  expect(browser.complaints.filter((text) => !text.includes('401'))).toEqual([])
})
