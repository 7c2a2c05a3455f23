/** Whatever is written by whatever path, every computed cell is what its query gives, run fresh. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findStale, startComputedColumns } from '../../support/computed-columns.ts'
import type { Objects, Row } from '../../support/objects.ts'

type Write = (ledger: Objects) => Promise<unknown>

const id = fc.integer({ min: 1, max: 5 })
const price = fc.integer({ min: 0, max: 9999 }).map((cents) => cents / 100)
const quantity = fc.integer({ min: 0, max: 9 })

const stampOf = async (ledger: Objects, table: string, Id: number): Promise<Row> =>
  (await ledger.stored(`SELECT RowVersion FROM ${table} WHERE Id = ${Id}`))[0] ?? {}

const saved = (ledger: Objects, form: string, table: string, values: Row & { Id: number }) =>
  stampOf(ledger, table, values.Id).then((stamp) =>
    ledger.submit('clerk', form, { ...values, ...stamp }),
  )

const sql =
  (text: string): Write =>
  (ledger) =>
    ledger.app.store
      .write((tx) => tx.run(text), { company: 'all', because: 'a test' })
      .catch(() => undefined)

const writes: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(id, quantity, price).map(
    ([CustomerId, Quantity, Price]): Write =>
      (ledger) =>
        ledger.submit(
          'clerk',
          'Orders',
          { CustomerId, RateCode: Quantity % 2 ? 'full' : 'low' },
          {
            Details: {
              Lines: {
                Upsert: [
                  { Quantity, Price },
                  { Quantity: 1, Price },
                ],
              },
            },
          },
        ),
  ),
  fc.tuple(id, id, quantity, price).map(
    ([Id, OrderId, Quantity, Price]): Write =>
      (ledger) =>
        ledger.submit('clerk', 'OrderLines', { Id, OrderId, Quantity, Price }),
  ),
  fc.tuple(id, id).map(
    ([Id, CustomerId]): Write =>
      (ledger) =>
        saved(ledger, 'Orders', 'orders', { Id, CustomerId }),
  ),
  fc.tuple(id, price).map(
    ([Id, Discount]): Write =>
      (ledger) =>
        saved(ledger, 'Customers', 'customers', { Id, Discount }),
  ),
  fc.tuple(id, id).map(
    ([Id, To]): Write =>
      (ledger) =>
        ledger.act('clerk', 'Orders', 'Move', { Id, To }),
  ),
  id.map(
    (Id): Write =>
      (ledger) =>
        ledger.act('clerk', 'Orders', 'Forge', { Id }),
  ),
  id.map(
    (Id): Write =>
      (ledger) =>
        ledger.remove('clerk', 'OrderLines', { Id }),
  ),
  id.map(
    (Id): Write =>
      async (ledger) =>
        ledger.remove('clerk', 'Orders', { Id }, await stampOf(ledger, 'orders', Id)),
  ),
  price.map(
    (Percent): Write =>
      (ledger) =>
        ledger.submit('clerk', 'Rates', { Code: 'low', Percent }),
  ),
  fc.constant<Write>((ledger) => ledger.act('clerk', 'Orders', 'Reprice', {})),
  id.map((at) => sql(`DELETE FROM customers WHERE Id = ${at} AND Id > 2`)),
  fc
    .tuple(id, id)
    .map(([from, to]) =>
      sql(`UPDATE OR IGNORE order_lines SET Id = Id + 7, OrderId = ${to} WHERE Id = ${from}`),
    ),
  fc.tuple(id, price).map(([at, value]) =>
    sql(
      `INSERT INTO order_lines (CompanyId, OrderId, Quantity, Price)
           SELECT CompanyId, Id, 2, ${value} FROM orders WHERE Id >= ${at}`,
    ),
  ),
)

test('every computed cell equals its query, after any writes by any paths', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writes, { minLength: 4, maxLength: 12 }), async (list) => {
      await using ledger = await startComputedColumns()
      for (const Name of ['Ash', 'Fir', 'Yew']) await ledger.save('clerk', 'Customers', { Name })
      await ledger.save('clerk', 'Rates', { Code: 'full', Percent: 20 }, { IsNew: true })
      await ledger.save('clerk', 'Rates', { Code: 'low', Percent: 7 }, { IsNew: true })
      for (const CustomerId of [1, 3, 4, 1]) {
        const Upsert = [{ Quantity: 2, Price: 1.25 }]
        const order = { CustomerId, RateCode: CustomerId === 1 ? 'low' : 'full' }
        await ledger.save('clerk', 'Orders', order, { Details: { Lines: { Upsert } } })
      }
      for (const write of list) {
        await write(ledger)
        expect(await findStale(ledger)).toEqual([])
      }
    }),
    { numRuns: 25 },
  )
})
