/** Bulk edits in the client: checked first, made as one, and taken back. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld

beforeAll(async () => {
  world = await openClientWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

interface Customer {
  Id: number
  Name: string
  Region: string
}

test('selected records are given a value after a check, and the change is undone', async () => {
  const { page, outside, complaints } = await world.openAs('ana', '/object/customers?sort=Name')
  const find = async (ids?: readonly number[]): Promise<Customer[]> => {
    const body = { PageSize: 200, Sort: [{ Field: 'Name', Direction: 'asc' }] }
    const { Rows } = (await world.call('ana', '/api/v1/svc/object/customers/table', body)) as {
      Rows: Customer[]
    }
    return ids ? Rows.filter(({ Id }) => ids.includes(Id)) : Rows.slice(0, 2)
  }
  const before = await find()
  const ids = before.map(({ Id }) => Id)
  for (const { Name } of before) await page.getByLabel(`Select the row: ${Name}`).press('Space')
  await page.getByRole('button', { name: 'Change values' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Change values' })
  await dialog.getByLabel('Add a field').selectOption('Region')
  await dialog.getByLabel('Region').fill('Lakes')
  await page.getByRole('option', { name: 'Lakes' }).click()
  await dialog.getByRole('button', { name: 'Check' }).press('Enter')
  await dialog.getByText('2 records can be changed').waitFor()
  const regions = async () => (await find(ids)).map(({ Region }) => Region)
  const old = await regions()
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.url().endsWith('/submit-many')),
    dialog.getByRole('button', { name: 'Change 2 records' }).press('Enter'),
  ])
  expect(request.headers()['idempotency-key']).toMatch(/^[\w-]{36}$/)
  await dialog.getByText('2 records are changed').waitFor()
  expect(await regions()).toEqual(['Lakes', 'Lakes'])
  await dialog.getByRole('button', { name: 'Undo' }).press('Enter')
  await page.getByText('The change is undone').waitFor()
  expect(await regions()).toEqual(old)
  expect([...outside, ...complaints]).toEqual([])
})
