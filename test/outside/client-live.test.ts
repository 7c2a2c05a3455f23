/** The client's live parts: changes of others, presence, notifications. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders')
})

afterAll(() => world[Symbol.asyncDispose]())

interface Answer {
  RowVersion: string
}

/** Another user's change of an order. */
async function change(Id: number, values: object): Promise<void> {
  const path = '/api/v1/svc/object/orders/form'
  const { Values } = (await world.call('root', path, { Parameters: { Id } })) as { Values: Answer }
  await world.call('root', '/api/v1/svc/object/submit', {
    FormName: 'orders',
    Parameters: { Id, RowVersion: Values.RowVersion, ...values },
  })
}

test('a row that another user changes is another in the grid, without a reload', async () => {
  const { page } = browser
  await page.getByText('SO-2026-00200').waitFor()
  await page.getByRole('button', { name: /notification/i }).waitFor()
  await change(400, { DueOn: '2027-02-03' })
  await page.getByText('Feb 3, 2027').waitFor()
})

test('an open record takes the change of another, or says that there is one', async () => {
  const { page } = browser
  await page.goto(`${world.address}/object/orders/400`)
  const field = page.getByLabel('Your reference')
  await field.waitFor()
  const { page: other } = await world.openAs('root', '/object/orders/400')
  await page.getByText('Also here: ').waitFor()
  await change(400, { Reference: 'by another' })
  await until(async () => (await field.inputValue()) === 'by another')
  await field.fill('typed by me')
  await change(400, { DueOn: '2027-02-04' })
  await page.getByText('This record was changed meanwhile').waitFor()
  expect(await field.inputValue()).toBe('typed by me')
  await other.close()
  await page.getByText('Also here: ').waitFor({ state: 'detached' })
})

test('a second tab follows by the connection of the first, then by its own', async () => {
  const first = await world.openAs('ana', '/object/orders')
  const sockets: string[] = []
  const second = await first.page.context().newPage()
  second.on('websocket', (socket) => sockets.push(socket.url()))
  await second.goto(`${world.address}/object/orders`)
  await second.getByText('SO-2026-00200').waitFor()
  await change(400, { DueOn: '2027-03-01' })
  await second.getByText('Mar 1, 2027').waitFor()
  expect(sockets).toEqual([])
  const taken = second.waitForEvent('websocket')
  await first.page.close()
  await taken
  await change(400, { DueOn: '2027-03-02' })
  await second.getByText('Mar 2, 2027').waitFor()
})

test('a notification is told at once, counted, opened and read', async () => {
  const { page } = browser
  const [hub] = await Promise.all([
    page.waitForEvent('websocket'),
    page.goto(`${world.address}/object/customers`),
  ])
  await hub.waitForEvent('framereceived')
  const me = (await world.call('ana', '/api/v1/auth/me')) as { Id: number }
  const people = (await world.call('ana', '/api/v1/svc/people?search=')) as { Id: number }[]
  const someone = people.find(({ Id }) => Id !== me.Id)
  await page.getByRole('button', { name: /notification/i }).waitFor()
  const { Rows } = (await world.call('ana', '/api/v1/svc/object/orders/table', {
    Filters: [
      { Field: 'Status', Operator: 'eq', Value: 'new' },
      { Field: 'Id', Operator: 'ne', Value: 400 },
    ],
  })) as { Rows: { Id: number }[] }
  const { Id } = Rows[0]!
  await change(Id, { OwnerId: someone?.Id })
  await change(Id, { OwnerId: me.Id })
  await page
    .getByRole('status')
    .getByText(/is yours now/)
    .waitFor()
  const bell = page.getByRole('button', { name: /^\d+ unread notification/ })
  await bell.click()
  await page
    .getByRole('dialog', { name: 'Notifications' })
    .getByText(/is yours now/)
    .first()
    .click()
  await page.waitForURL(new RegExp(`/object/\\w+/${Id}$`))
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
