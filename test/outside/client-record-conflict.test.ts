/** Two users in one record: who changed what is shown, chosen field by field, and saved. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders/400')
})

afterAll(() => world[Symbol.asyncDispose]())

type Values = Record<string, unknown> & { RowVersion: string }

async function load(): Promise<Values> {
  const path = '/api/v1/svc/object/orders/form'
  const found = await world.call('root', path, { Parameters: { Id: 400 } })
  return (found as { Values: Values }).Values
}

/** Another user's change of the order. */
async function change(values: object): Promise<void> {
  const { RowVersion } = await load()
  await world.call('root', '/api/v1/svc/object/submit', {
    FormName: 'orders',
    Parameters: { Id: 400, RowVersion, ...values },
  })
}

/** Sets a field as the store has it, while the page believes what it loaded. */
async function typeBeside(mine: string, theirs: object): Promise<void> {
  const { page } = browser
  await page.getByLabel('Your reference').fill(mine)
  await change(theirs)
}

const trySave = async (): Promise<number> => {
  const { page } = browser
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    page.keyboard.press('Control+s'),
  ])
  return answer.status()
}

test('fields of both are chosen by mouse, those of one merge, and the save goes on', async () => {
  const { page } = browser
  await page.getByLabel('Remark').fill('only mine')
  await typeBeside('mine', { Reference: 'theirs', DueOn: '2027-05-06' })
  expect(await trySave()).toBe(409)
  browser.complaints.splice(0)
  const dialog = page.getByRole('dialog', { name: 'Changed meanwhile' })
  await dialog.getByText(/changed this record on .* while you did/).waitFor()
  const due = dialog.getByRole('row', { name: /Due on/ })
  expect(await due.innerText()).toContain('May 6, 2027')
  expect(await dialog.getByRole('row', { name: /Remark/ }).innerText()).toContain('Only you')
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await dialog.getByRole('radio', { name: 'Your reference, You: mine' }).check()
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ])
  expect(answer.status()).toBe(200)
  await dialog.waitFor({ state: 'detached' })
  const { Reference, DueOn, Remark } = await load()
  expect([Reference, DueOn, Remark]).toEqual(['mine', '2027-05-06', 'only mine'])
})

test('a dialog that is closed loses nothing, and comes back with the next save', async () => {
  const { page } = browser
  await typeBeside('mine again', { Reference: 'theirs again' })
  expect(await trySave()).toBe(409)
  const dialog = page.getByRole('dialog', { name: 'Changed meanwhile' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const field = page.getByLabel('Your reference')
  expect(await field.inputValue()).toBe('mine again')
  expect(await trySave()).toBe(409)
  browser.complaints.splice(0)
  await dialog.getByRole('button', { name: 'Take all theirs' }).press('Enter')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('theirs again')
  // Nothing of one's own is left, so that nothing is to be saved.
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  expect((await load()).Reference).toBe('theirs again')
})

test('a change while the dialog is open is a conflict again; lines are saved beside', async () => {
  const { page } = browser
  const lines = page.getByRole('grid', { name: 'Order lines' })
  await lines.getByRole('gridcell').nth(3).click()
  await page.keyboard.type('18')
  await page.keyboard.press('Enter')
  await typeBeside('mine for good', { Reference: 'theirs once' })
  expect(await trySave()).toBe(409)
  const dialog = page.getByRole('dialog', { name: 'Changed meanwhile' })
  await dialog.getByText('Your changes here are stored beside').waitFor()
  await change({ Reference: 'theirs twice' })
  await dialog.getByRole('button', { name: 'Take all mine' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('theirs twice').waitFor()
  browser.complaints.splice(0)
  await dialog.getByRole('button', { name: 'Take all mine' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await until(async () => (await load()).Reference === 'mine for good')
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
