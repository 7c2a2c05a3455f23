/** Copies of a record, steps to its neighbours, and the way back to its grid. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders?preset=Open&sort=Number&filters=[]')
})

afterAll(() => world[Symbol.asyncDispose]())

interface Order {
  Id: number
  Number: string
  Reference: string
}

async function findOrders(): Promise<Order[]> {
  const body = { Preset: 'Open', PageSize: 200, Sort: [{ Field: 'Number' }] }
  const path = '/api/v1/svc/object/orders/table'
  return ((await world.call('ana', path, body)) as { Rows: Order[] }).Rows
}

test('a record leads to its neighbours in the order of its grid, by keys and buttons', async () => {
  const { page } = browser
  const [first, second, third] = await findOrders()
  await page.getByText(second!.Number).click()
  const heading = (order: Order) => page.getByRole('heading', { name: order.Number })
  await heading(second!).waitFor()
  await page.getByRole('button', { name: 'Next record' }).waitFor()
  await page.locator('[data-way=next][aria-disabled=false]').waitFor()
  await page.keyboard.press('j')
  await heading(third!).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/object/orders/${third!.Id}`)
  // A reload keeps the order.
  await page.reload()
  await heading(third!).waitFor()
  await page.locator('[data-way=previous][aria-disabled=false]').waitFor()
  await page.keyboard.press('k')
  await heading(second!).waitFor()
  const previous = page.getByRole('button', { name: 'Previous record' })
  await page.locator('[data-way=previous][aria-disabled=false]').waitFor()
  await previous.click()
  await heading(first!).waitFor()
  // The button that was pressed has the focus again.
  await page.locator('[data-way=previous]:focus').waitFor()
  await page.locator('[data-way=previous][aria-disabled=true]').waitFor()
  await page.keyboard.press('Enter')
  await heading(first!).waitFor()
  await page.locator('.place-head').getByRole('link', { name: 'Orders' }).click()
  await page.getByText(first!.Number).waitFor()
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('preset'), searchParams.get('sort')]).toEqual(['Open', 'Number'])
})

test('steps leave no further steps for Back', async () => {
  const { page } = browser
  const [first, second] = await findOrders()
  await page.getByText(first!.Number).click()
  await page.locator('[data-way=next][aria-disabled=false]').waitFor()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: second!.Number }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  expect(new URL(page.url()).searchParams.get('preset')).toBe('Open')
})

test('a copy has values and rows, but a number and a date of its own', async () => {
  const { page } = browser
  const { Values: before } = (await world.call('root', '/api/v1/svc/object/orders/form', {
    Parameters: { Id: 400 },
  })) as { Values: Record<string, unknown> }
  await page.goto(`${world.address}/object/orders/400`)
  await page.getByLabel('Your reference').waitFor()
  await page.keyboard.press('c')
  await page.getByText('Not saved', { exact: true }).waitFor()
  expect(page.url()).toContain('/object/orders/new?copy=400')
  const lines = page.getByRole('grid', { name: 'Order lines' })
  await lines.getByRole('gridcell', { name: '15', exact: true }).waitFor()
  await page.getByLabel('Your reference').fill('a copy')
  // What is typed beside the copied values is a draft of its own.
  await page.waitForTimeout(700)
  await page.reload()
  await page.getByRole('button', { name: 'Bring them back' }).click()
  expect(await page.getByLabel('Your reference').inputValue()).toBe('a copy')
  expect(await lines.getByRole('row').count()).toBe(2)
  await page.locator('[name=DueOn] input').fill('12/24/2027')
  await page.keyboard.press('Enter')
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    page.keyboard.press('Control+s'),
  ])
  expect(answer.status()).toBe(200)
  await page.waitForURL(/\/object\/orders\/\d+$/)
  const Id = Number(page.url().split('/').at(-1))
  const { Values: after } = (await world.call('root', '/api/v1/svc/object/orders/form', {
    Parameters: { Id },
  })) as { Values: Record<string, unknown> }
  expect(after.CustomerId).toBe(before.CustomerId)
  expect([after.Reference, after.Status]).toEqual(['a copy', 'new'])
  expect(after.Number).not.toBe(before.Number)
  expect(after.OrderedAt).not.toBe(before.OrderedAt)
  expect(after.Total).toBeGreaterThan(0)
})

test('a copy takes values of other records along, in German, too', async () => {
  const options = { locale: 'de-DE', takes: '**/submit' }
  const german = await world.openAs('ana', '/object/customers/1', options)
  const { page } = german
  await page.getByRole('button', { name: 'In einen neuen Datensatz kopieren' }).click()
  await page.getByText('Nicht gespeichert').waitFor()
  const { Values: before } = (await world.call('root', '/api/v1/svc/object/customers/form', {
    Parameters: { Id: 1 },
  })) as { Values: Record<string, unknown> }
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    page.keyboard.press('Control+s'),
  ])
  const { Parameters: sent } = answer.request().postDataJSON() as { Parameters: object }
  expect(sent).toMatchObject({
    Name: before.Name,
    CityId: before.CityId,
    Topics: before.Topics,
    CreditLimit: before.CreditLimit,
  })
  expect(answer.status()).toBe(200)
  expect([...german.outside, ...german.complaints]).toEqual([])
})

test('without a right to create there is no copy, without a grid no step', async () => {
  const { page } = browser
  await page.goto(`${world.address}/object/stock-levels/1`)
  await page.locator('main .form').waitFor()
  expect(await page.getByRole('button', { name: 'Copy into a new record' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Next record' }).count()).toBe(0)
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
