/** Comments beside a record in Debian's Chromium: two users write, mention, change and delete. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let ana: ClosedPage
let root: ClosedPage

const PATH = '/object/orders/400?panel=timeline'

beforeAll(async () => {
  world = await openClientWorld()
  ana = await world.openAs('ana', PATH)
  root = await world.openAs('root', PATH)
})

afterAll(() => world[Symbol.asyncDispose]())

const panelOf = (page: Page): Locator => page.getByRole('complementary', { name: 'Timeline' })
const boxOf = (page: Page): Locator => panelOf(page).getByLabel('Comment', { exact: true })
const commentOf = (page: Page, text: string): Locator =>
  panelOf(page).getByRole('listitem').filter({ hasText: text })

/** The name by which others know a user. */
async function nameOf(user: string): Promise<string> {
  const me = (await world.call(user, '/api/v1/auth/me')) as { DisplayName: string }
  return me.DisplayName
}

test('a comment by keyboard mentions a person, who has it at once and is led to it', async () => {
  const { page } = ana
  const name = await nameOf('root')
  const box = boxOf(page)
  await boxOf(root.page).waitFor()
  await box.focus()
  await page.keyboard.type(`Please look @${name.slice(0, 3)}`)
  const option = panelOf(page).getByRole('option', { name })
  await option.waitFor()
  while ((await option.getAttribute('aria-selected')) !== 'true')
    await page.keyboard.press('ArrowDown')
  expect(await box.getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'))
  await page.keyboard.press('Enter')
  expect(await box.inputValue()).toBe(`Please look @${name} `)
  await page.keyboard.type('<b>now</b>')
  await page.keyboard.press('Enter')
  await page.keyboard.type('second line')
  await page.keyboard.press('Control+Enter')
  await commentOf(page, 'second line').waitFor()
  expect(await box.inputValue()).toBe('')
  await panelOf(page).getByText('You get notifications of new comments.').waitFor()

  const told = commentOf(root.page, 'Please look')
  await told.waitFor()
  expect(await told.locator('.timeline-text').innerText()).toBe(
    `Please look @${name} <b>now</b>\nsecond line`,
  )
  expect(await told.locator('.mention').innerText()).toBe(`@${name}`)
  expect(await told.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  await root.page.goto(`${world.address}/object/customers`)
  await root.page.getByRole('button', { name: /^1 unread notification/ }).click()
  await root.page
    .getByRole('dialog', { name: 'Notifications' })
    .getByText(/mentioned you/)
    .click()
  await root.page.waitForURL(`**${PATH}`)
  await commentOf(root.page, 'Please look').waitFor()
})

test('what is typed is there after a reload, and a change is seen by all', async () => {
  const { page } = ana
  await boxOf(page).fill('Not yet sent')
  await page.waitForTimeout(500)
  await page.reload()
  await until(async () => (await boxOf(page).inputValue()) === 'Not yet sent')
  await boxOf(page).fill('')

  await commentOf(page, 'Please look').getByRole('button', { name: 'Edit' }).click()
  const change = panelOf(page).getByLabel('Change the comment')
  await until(async () => (await change.inputValue()).startsWith('Please look'))
  await page.keyboard.press('Escape')
  await change.waitFor({ state: 'detached' })
  await until(async () => (await page.locator(':focus').innerText()) === 'Edit')
  await page.keyboard.press('Enter')
  await change.fill('Looked at')
  await page.keyboard.press('Control+Enter')
  await commentOf(root.page, 'Looked at').getByText('Edited').waitFor()
  expect(await commentOf(root.page, 'Please look').count()).toBe(0)
})

test('the answer of a follower comes in while another comment is in change', async () => {
  const { page } = ana
  // By the keyboard: entries that come in move the button.
  await commentOf(page, 'Looked at').getByText('Edited').waitFor()
  await commentOf(page, 'Looked at').getByRole('button', { name: 'Edit' }).press('Enter')
  const change = panelOf(page).getByLabel('Change the comment')
  await change.fill('In change')
  await boxOf(root.page).fill('An answer')
  await panelOf(root.page).getByRole('button', { name: 'Send' }).click()
  await commentOf(page, 'An answer').waitFor()
  expect(await change.inputValue()).toBe('In change')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^1 unread notification/ }).waitFor()
})

test('who does not see the record is not mentioned, but named; what is typed stays', async () => {
  const { page } = ana
  const name = await nameOf('bo')
  await boxOf(page).focus()
  await page.keyboard.type(`@${name.slice(0, 4)}`)
  await panelOf(page).getByRole('option', { name }).click()
  await page.keyboard.type('see this')
  await panelOf(page).getByRole('button', { name: 'Send' }).click()
  await panelOf(page).getByRole('alert').getByText(`${name} does not see this record`).waitFor()
  expect(await boxOf(page).inputValue()).toBe(`@${name} see this`)
  const own = await boxOf(page).getAttribute('id')
  expect(await page.locator(':focus').getAttribute('id')).toBe(own)
  await boxOf(page).fill('')
})

test('following ends and begins, and a comment is deleted behind a question', async () => {
  const { page } = ana
  const panel = panelOf(page)
  await panel.getByRole('button', { name: 'Stop following' }).click()
  await panel.getByText('You do not follow this record.').waitFor()
  await panel.getByRole('button', { name: 'Follow', exact: true }).click()
  await panel.getByText('You get notifications of new comments.').waitFor()
  await commentOf(page, 'Looked at').getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await until(async () => (await page.locator(':focus').innerText()) === 'Delete')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await commentOf(page, 'Looked at').waitFor({ state: 'detached' })
  await commentOf(root.page, 'Looked at').waitFor({ state: 'detached' })
  await commentOf(page, 'An answer').waitFor()
})

test('it speaks German, and a record without comments has no box', async () => {
  const german = await world.openAs('ana', PATH, { locale: 'de-DE' })
  const panel = german.page.getByRole('complementary')
  await panel.getByLabel('Kommentar').fill('Hallo')
  await german.page.keyboard.press('Control+Enter')
  await panel
    .getByText(/hat kommentiert/)
    .first()
    .waitFor()
  await german.page.goto(`${world.address}/object/products/1?panel=timeline`)
  await panel.waitFor()
  await panel.locator('.timeline, .quiet').first().waitFor()
  expect(await panel.getByLabel('Kommentar').count()).toBe(0)
  const all = [ana, root, german].flatMap(({ outside, complaints }) => [...outside, ...complaints])
  // The refusal of the person who may not see the record.
  expect(all).toEqual([
    'Failed to load resource: the server responded with a status of 400 (Bad Request)',
  ])
})
