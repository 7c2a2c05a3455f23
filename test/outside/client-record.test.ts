/** A record of the client in Debian's Chromium: its details, drafts, and sign-ins in between. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld, signIn } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders/400', { takes: '**/submit' })
})

afterAll(() => world[Symbol.asyncDispose]())

interface Line {
  LineNumber: number
  Quantity: number
  Price: number
  ArticleNumber: string
}

async function readLines(order: number): Promise<Line[]> {
  const body = { Parameters: { OrderId: order }, Sort: [{ Field: 'LineNumber' }] }
  const path = '/api/v1/svc/object/order-lines/table'
  return ((await world.call('root', path, body)) as { Rows: Line[] }).Rows
}

const save = () =>
  Promise.all([
    browser.page.waitForResponse((answer) => answer.url().endsWith('/submit')),
    browser.page.keyboard.press('Control+s'),
  ]).then(([answer]) => answer)

test('lines of an order are changed, added and faulted by keyboard, and saved as one', async () => {
  const { page } = browser
  const lines = page.getByRole('grid', { name: 'Order lines' })
  const before = await readLines(400)
  await lines.getByRole('gridcell', { name: '15', exact: true }).click()
  await page.keyboard.type('16')
  await page.keyboard.press('Escape')
  await lines.getByRole('gridcell', { name: '15', exact: true }).waitFor()
  await page.keyboard.type('17')
  await page.keyboard.press('Enter')
  // Behind the last row comes a new one, whose first cell is typed in.
  await page.keyboard.type('2')
  await page.keyboard.press('Tab')
  await page.keyboard.type('GA-0012')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type('0')
  await page.keyboard.press('Tab')
  const refused = await save()
  expect(refused.status()).toBe(400)
  const fault = page.getByRole('alert').filter({ hasText: 'Row 2' })
  await fault.waitFor()
  expect(browser.complaints.splice(0).join()).toContain('400')
  await lines.getByRole('gridcell', { name: '0', exact: true }).first().click()
  await page.keyboard.type('3')
  await page.keyboard.press('Tab')
  const answer = await save()
  const sent = answer.request().postDataJSON() as {
    Parameters: object
    Details: { Lines: { Upsert: object[] } }
  }
  expect(answer.status()).toBe(200)
  expect(Object.keys(sent.Parameters).sort()).toEqual(['Id', 'RowVersion'])
  expect(sent.Details.Lines.Upsert[0]).toEqual({ Id: expect.any(Number), Quantity: 17 })
  const after = await readLines(400)
  expect(after.map(({ Quantity }) => Quantity)).toEqual([17, 3])
  expect(after).toHaveLength(before.length + 1)
  // A price that depends on the product was filled in while one typed.
  expect(after[1]?.Price).toBeGreaterThan(0)
  await page.reload()
  await lines.getByRole('gridcell', { name: '17', exact: true }).waitFor()
})

test('a save waits for a default that is still asked for', async () => {
  const { page } = browser
  let release = (): void => {}
  const pressed = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/field-dataset', async (route) => {
    if (route.request().postData()?.includes('"Default":true')) await pressed
    await route.continue()
  })
  await page.getByRole('button', { name: 'Add row' }).click()
  await page.keyboard.type('9')
  await page.keyboard.press('Tab')
  await page.keyboard.type('GA-0012')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type('1')
  await page.keyboard.press('Tab')
  const answer = page.waitForResponse((each) => each.url().endsWith('/submit'))
  await page.keyboard.press('Control+s')
  release()
  expect((await answer).status()).toBe(200)
  await page.unroute('**/field-dataset')
  expect((await readLines(400)).at(-1)?.Price).toBeGreaterThan(0)
  const lines = page.getByRole('grid', { name: 'Order lines' })
  await lines.getByRole('button', { name: 'Remove row' }).last().click()
  expect((await save()).status()).toBe(200)
})

test('a block of a spreadsheet is pasted, and a row that goes is kept until the save', async () => {
  const { page } = browser
  const lines = page.getByRole('grid', { name: 'Order lines' })
  await lines.getByRole('gridcell', { name: '3', exact: true }).click()
  await page.keyboard.press('Escape')
  await page.evaluate(`(() => {
    const data = new DataTransfer()
    data.setData('text/plain', '4\\t1.25\\n5\\t2.50\\n')
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
  })()`)
  await lines.getByRole('gridcell', { name: '2.50', exact: true }).waitFor()
  await lines.getByRole('button', { name: 'Remove row' }).last().click()
  await lines.getByRole('button', { name: 'Remove row' }).first().click()
  await lines.getByRole('button', { name: 'Keep the row' }).waitFor()
  expect((await save()).status()).toBe(200)
  await lines.getByRole('button', { name: 'Keep the row' }).waitFor({ state: 'detached' })
  expect((await readLines(400)).map(({ Quantity, Price }) => [Quantity, Price])).toEqual([
    [4, 1.25],
  ])
})

const REFERENCE = 'Your reference'

/** The draft that the browser keeps once the pause is over. */
const keptDraft = `new Promise((resolve) => {
  const look = () => {
    const request = indexedDB.open('appengine-drafts', 1)
    request.onsuccess = () => {
      const all = request.result.transaction('drafts').objectStore('drafts').getAll()
      all.onsuccess = () => (all.result.length > 0 ? resolve(all.result) : setTimeout(look, 50))
    }
  }
  look()
})`

test('what was typed and not saved survives a reload, and is offered', async () => {
  const { page } = browser
  await page.getByLabel(REFERENCE).fill('not saved yet')
  await page.evaluate(keptDraft)
  await page.reload()
  await page.getByText('that were never saved').waitFor()
  expect(await page.getByLabel(REFERENCE).inputValue()).not.toBe('not saved yet')
  await page.getByRole('button', { name: 'Bring them back' }).click()
  expect(await page.getByLabel(REFERENCE).inputValue()).toBe('not saved yet')
})

test('a session that ends in the middle signs in over the page, and nothing is lost', async () => {
  const { page } = browser
  const sessions = (await world.call('ana', '/api/v1/auth/sessions')) as { Id: string }[]
  for (const { Id } of sessions.slice(1))
    await world.call('ana', `/api/v1/auth/sessions/${Id}`, undefined, 'DELETE').catch(() => {})
  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog', { name: 'Sign in' })
  await dialog.waitFor()
  browser.complaints.length = 0
  await dialog.locator('input[type=password]').fill('ana-demo-password')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  // Requests of the ended session are refused, some of them late.
  const refused = browser.complaints.splice(0).filter((each) => !each.includes('401'))
  expect(refused).toEqual([])
  expect(await page.getByLabel(REFERENCE).inputValue()).toBe('not saved yet')
  // It is over: nothing says that it has ended any more.
  await page.locator('.place-body > .fault').waitFor({ state: 'detached' })
  expect((await save()).status()).toBe(200)
  await page.reload()
  await page.getByLabel(REFERENCE).waitFor()
  expect(await page.getByText('that were never saved').count()).toBe(0)
})

test('a sign-out of another tab counts here, and a draft is for its user alone', async () => {
  const { page } = browser
  await page.getByLabel(REFERENCE).fill('for later')
  await page.evaluate(keptDraft)
  const other = await page.context().newPage()
  await other.goto(world.address)
  await other.getByRole('button', { name: 'Sales manager' }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.locator('main.lonely').waitFor()
  await other.close()
  await signIn(page, 'root')
  await page.getByLabel(REFERENCE).waitFor()
  expect(await page.getByText('that were never saved').count()).toBe(0)
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
