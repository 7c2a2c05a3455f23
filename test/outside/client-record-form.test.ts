/** Long forms: sections that fold and stay so, a list that jumps, faults that lead to fields. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/customers/1')
})

afterAll(() => world[Symbol.asyncDispose]())

test('a section folds by keyboard, stays folded, and the list jumps into it', async () => {
  const { page } = browser
  const head = page.getByRole('heading', { name: 'Terms' }).getByRole('button')
  await head.press('Enter')
  const limit = page.locator('[data-field=CreditLimit]')
  await limit.waitFor({ state: 'detached' })
  await page.reload()
  await head.waitFor()
  expect(await limit.count()).toBe(0)
  const list = page.getByRole('navigation', { name: 'Sections' })
  await list.getByRole('button', { name: 'Terms' }).press('Enter')
  await limit.waitFor()
  await page.locator('.fold-button:focus').waitFor()
  expect(await head.getAttribute('aria-expanded')).toBe('true')
})

test('a fault opens its section, and its line in the list leads to the field', async () => {
  const { page } = browser
  await page.locator('[data-field=CreditLimit] input').fill('-5')
  await page.getByRole('heading', { name: 'Terms' }).getByRole('button').click()
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    page.keyboard.press('Control+s'),
  ])
  expect(answer.status()).toBe(400)
  await page.locator('[data-field=CreditLimit] [invalid]').first().waitFor()
  await page.getByRole('alert').getByRole('button', { name: 'Credit limit' }).press('Enter')
  await page.locator('[data-field=CreditLimit] :focus').first().waitFor()
  browser.complaints.splice(0)
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
