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

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A file as a browser gives it. */
const file = (name: string, mimeType: string, buffer: Buffer | string) => ({
  name,
  mimeType,
  buffer: Buffer.from(buffer),
})

test('several files are uploaded, looked at, saved, and looked at again', async () => {
  const { page } = browser
  const input = page.locator('.files input[type=file]')
  await input.setInputFiles([
    file('note.txt', 'text/plain', 'Delivered on Friday'),
    file('gate.png', 'image/png', PIXEL),
  ])
  const picture = page.getByRole('button', { name: 'gate.png', exact: true })
  await picture.waitFor()
  await page.getByText('TXT · 19 byte').waitFor()
  await picture.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'gate.png' })
  await dialog.getByRole('img', { name: 'gate.png' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.locator('.files .link-button:focus').waitFor()
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    page.keyboard.press('Control+s'),
  ])
  expect(answer.status()).toBe(200)
  await page.reload()
  await page.getByRole('button', { name: 'note.txt', exact: true }).click()
  await page.getByRole('dialog', { name: 'note.txt' }).getByText('Delivered on Friday').waitFor()
  await page.keyboard.press('Escape')
})

test('a kind that is not taken is told at once; what fails is tried again', async () => {
  const { page } = browser
  const input = page.locator('.files input[type=file]')
  await input.setInputFiles([file('song.mp3', 'audio/mpeg', 'la')])
  await page.getByText('Only these kinds of files are taken').waitFor()
  await page.getByRole('button', { name: 'Cancel: song.mp3' }).click()
  const json = { success: false, error: 'The disk is full' }
  await page.route('**/upload', (route) => route.fulfill({ status: 400, json }))
  await input.setInputFiles([file('late.txt', 'text/plain', 'late')])
  await page.getByRole('alert').getByText('The disk is full').waitFor()
  await page.unroute('**/upload')
  browser.complaints.splice(0)
  await page.getByRole('button', { name: 'Try again' }).press('Enter')
  await page.getByRole('button', { name: 'late.txt', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete: late.txt' }).click()
  expect(await page.getByRole('button', { name: 'late.txt', exact: true }).count()).toBe(0)
})

test('an upload that is not over holds the place by a question', async () => {
  const { page } = browser
  await page.route('**/upload', () => undefined)
  await page.locator('.files input[type=file]').setInputFiles([file('big.txt', 'text/plain', 'x')])
  const progress = page.getByRole('progressbar', { name: 'big.txt is uploaded' })
  await progress.waitFor()
  const link = page.locator('.place-head').getByRole('link', { name: 'Orders' })
  // A link is followed behind the next frame.
  const asking = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.dismiss()
    return dialog.message()
  })
  await Promise.all([asking, link.click()])
  expect(await asking).toBe('Files are still being uploaded. Leave and give them up?')
  await progress.waitFor()
  page.once('dialog', (dialog) => void dialog.accept())
  await link.click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  await page.unroute('**/upload')
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
