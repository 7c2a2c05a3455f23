/** A rental business in the shape of Sakila: two stores, taken over key by key, then used. */
import { describe, expect, test } from 'bun:test'
import { makeSakila, SAKILA } from './sakila/sakila.ts'
import { expectTaken, type SourceTable, takeOver, toCsv } from '../support/account-takeover.ts'
import { startApp } from '../support/app.ts'
import { Imports } from '../support/imports.ts'
import { data, refusal, type Row } from '../support/objects.ts'

const SOURCE = makeSakila(7)
const KEEPERS = ['keeper', 'keeper2'] as const

/** Rows of a table of a store as records. */
function records(tables: readonly SourceTable[], name: string): Row[] {
  const found = tables.find(({ table }) => table === name)
  if (!found) throw new Error(`There is no table ${name}`)
  return found.rows.map((row) => Object.fromEntries(found.columns.map((key, at) => [key, row[at]])))
}

const [STORE_ONE, STORE_TWO] = SOURCE.stores

async function openStores(): Promise<Imports> {
  const stores = new Imports(await startApp({ application: SAKILA }))
  await takeOver(stores, 'keeper', SOURCE.shared)
  for (const [at, keeper] of KEEPERS.entries()) {
    await takeOver(stores, keeper, SOURCE.stores[at] ?? [])
    const managers = SOURCE.managers[at]
    if (!managers) throw new Error('Each store has a manager')
    const file = toCsv(managers)
    const fields = { mode: 'update' }
    const taken = await stores.take(keeper, { objectName: 'Stores', file, fields })
    expect(taken.Updated).toBe(managers.rows.length)
  }
  return stores
}

/** A rental that is not returned yet, and one that is, of the first store. */
const out = records(STORE_ONE, 'rental').find(({ return_date }) => return_date === null) ?? {}
const clerk = Number(records(STORE_ONE, 'staff')[0]?.staff_id)

describe('the take-over', () => {
  test('keeps every row of both stores under its key, and who manages them', async () => {
    await using stores = await openStores()
    await expectTaken(stores, SOURCE.shared)
    const both = STORE_ONE.map((table, at) => ({
      ...table,
      rows: [...table.rows, ...(STORE_TWO[at]?.rows ?? [])],
    }))
    await expectTaken(stores, both)
    const managers = SOURCE.managers.flatMap(({ rows }) => rows)
    await expectTaken(stores, [{ ...SOURCE.managers[0], rows: managers }])
  })

  test('puts each row into the company of who imports it', async () => {
    await using stores = await openStores()
    const counts = await stores.stored(
      'SELECT company_id, count(*) AS Number FROM rental GROUP BY company_id ORDER BY company_id',
    )
    expect(counts.map(({ Number: number }) => number)).toEqual([
      records(STORE_ONE, 'rental').length,
      records(STORE_TWO, 'rental').length,
    ])
  })

  test('refuses the discs of another store, as if they were not there', async () => {
    await using stores = await openStores()
    const columns = ['rental_id', 'rental_date', 'inventory_id', 'customer_id', 'staff_id']
    const ask = async (inventory: unknown) => {
      const customer = records(STORE_ONE, 'customer')[0]?.customer_id
      const row = [9999, '2030-01-01T00:00:00Z', inventory, customer, clerk]
      const file = `${columns.join(',')}\n${row.join(',')}`
      const sending = { objectName: 'Rentals', file, fields: { keepKeys: 'true' } }
      return refusal(await stores.send('keeper', sending), 400).fieldErrors
    }
    const foreign = await ask(records(STORE_TWO, 'inventory')[0]?.inventory_id)
    expect(Object.keys(foreign ?? {})).toEqual(['Rows[2].inventory_id'])
    expect(await ask(987_654)).toEqual(foreign)
  })
})

describe('the counter', () => {
  const rent = (stores: Imports, more: Row) =>
    stores.submit('clerk', 'Rentals', {
      inventory_id: out.inventory_id,
      customer_id: records(STORE_ONE, 'customer')[0]?.customer_id,
      staff_id: clerk,
      ...more,
    })

  test('rents no disc that is out, rents it once it is back, and is paid', async () => {
    await using stores = await openStores()
    const refused = refusal(await rent(stores, {}), 400)
    expect(refused.fieldErrors).toEqual({ inventory_id: 'The disc is out at that time' })
    const back = { rental_id: out.rental_id }
    refusal(await stores.act('clerk', 'Rentals', 'Return', { rental_id: 987_654 }), 404)
    const returned = await stores.act('keeper', 'Rentals', 'Return', back)
    expect(data(returned).Dispatch).toMatchObject([{ Type: 'refreshTable' }])
    const twice = refusal(await stores.act('keeper', 'Rentals', 'Return', back), 400)
    expect(twice.code).toBe('NOT_PERMITTED_NOW')
    const rented = data(await rent(stores, {}))
    expect(rented.Values.return_date).toBeNull()
    const paid = await stores.stored(
      `SELECT amount FROM payment WHERE rental_id = ${Number(out.rental_id)}`,
    )
    expect(paid.length).toBeGreaterThan(0)
  })

  test('a rental in the past overlaps no other: the new row does not count itself', async () => {
    await using stores = await openStores()
    const early = { rental_date: '1999-01-01T10:00:00Z', return_date: '1999-01-02T10:00:00Z' }
    data(await rent(stores, early))
    refusal(await rent(stores, { ...early, rental_date: '1999-01-01T12:00:00Z' }), 400)
    refusal(await rent(stores, { ...early, return_date: '1998-01-01T12:00:00Z' }), 400)
  })

  test('keeps a running balance of each customer', async () => {
    await using stores = await openStores()
    const cents = new Map<unknown, number>()
    for (const { customer_id, amount } of records(STORE_ONE, 'payment'))
      cents.set(customer_id, (cents.get(customer_id) ?? 0) + Math.round(Number(amount) * 100))
    const { Rows } = await stores.table('keeper', 'customers', { PageSize: 1000 })
    expect(Rows.map((row) => [row.customer_id, row.balance])).toEqual(
      Rows.map((row) => [row.customer_id, (cents.get(row.customer_id) ?? 0) / 100]),
    )
  })

  test('sees nothing of the other store', async () => {
    await using stores = await openStores()
    const names = ['stores', 'staff-members', 'customers', 'inventories', 'rentals', 'payments']
    const tables = ['store', 'staff', 'customer', 'inventory', 'rental', 'payment']
    for (const [at, keeper] of KEEPERS.entries()) {
      for (const [index, name] of names.entries()) {
        const { Pagination } = await stores.table(keeper, name)
        const own = records(SOURCE.stores[at] ?? [], tables[index] ?? '')
        expect([name, Pagination.TotalRows]).toEqual([name, own.length])
      }
    }
  })

  test('finds films by what they tell, and their actors', async () => {
    await using stores = await openStores()
    const { Rows } = await stores.table('clerk', 'films', { SearchText: '東京' })
    const expected = records(SOURCE.shared, 'film').filter(({ title, description }) =>
      `${String(title)} ${String(description)}`.includes('東京'),
    )
    expect(Rows.map((row) => row.film_id).sort()).toEqual(expected.map((row) => row.film_id).sort())
  })
})
