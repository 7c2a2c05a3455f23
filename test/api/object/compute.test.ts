/** Computed columns, by every path of writing, through chains, and in their own transaction. */
import { expect, test } from 'bun:test'
import { findStale, startComputedColumns } from '../../support/computed-columns.ts'
import { data, type Objects, refusal, type Row } from '../../support/objects.ts'
import { inTime } from '../../support/until.ts'

const lines = (...list: Row[]) => ({ Details: { Lines: { Upsert: list } } })

const amounts = async (ledger: Objects) => ({
  orders: await ledger.stored('SELECT Net, Total, Tax FROM orders ORDER BY Id'),
  customers: (await ledger.stored('SELECT Balance FROM customers ORDER BY Id')).map(
    (row) => row.Balance,
  ),
})

async function startWithOrder() {
  const ledger = await startComputedColumns()
  await ledger.save('clerk', 'Rates', { Code: 'full', Percent: 20 }, { IsNew: true })
  const order = { CustomerId: 1, RateCode: 'full' }
  const two = lines({ Quantity: 2, Price: 10.25 }, { Quantity: 1, Price: 4.5 })
  const saved = await ledger.save('clerk', 'Orders', order, two)
  expect(saved.Values).toMatchObject({ Net: 25, Total: 25, Tax: 5 })
  return ledger
}

test('a form with details: lines, order and customer are computed in one transaction', async () => {
  await using ledger = await startWithOrder()
  expect(await amounts(ledger)).toEqual({
    orders: [{ Net: 25, Total: 25, Tax: 5 }],
    customers: [25, 0],
  })
  const form = await ledger.form('clerk', 'OrderLines', { Id: 1 })
  expect(form.Values).toMatchObject({ Amount: 20.5 })
})

test('a computed column takes nothing of a request, and authored SQL is overwritten', async () => {
  await using ledger = await startWithOrder()
  const Parameters = { Id: 1, CustomerId: 1, Net: 999, Total: 999 }
  const [stored] = await ledger.stored('SELECT RowVersion FROM orders')
  const saved = await ledger.save('clerk', 'Orders', { ...Parameters, ...stored })
  expect(saved.Values).toMatchObject({ Net: 25, Total: 25 })
  data(await ledger.act('clerk', 'Orders', 'Forge', { Id: 1 }))
  expect(await findStale(ledger)).toEqual([])
})

test('a line by itself, changed and deleted; authored SQL; a cascade', async () => {
  await using ledger = await startWithOrder()
  await ledger.save('clerk', 'OrderLines', { Id: 1, Quantity: 4 })
  expect((await amounts(ledger)).customers).toEqual([45.5, 0])
  data(await ledger.remove('clerk', 'OrderLines', { Id: 2 }))
  expect((await amounts(ledger)).customers).toEqual([41, 0])
  const done = data(await ledger.act('clerk', 'Orders', 'Add', { Id: 1, Price: 1 }))
  expect(done.Dispatch[0]).toMatchObject({ Message: 'Line 3, total 41' })
  data(await ledger.act('clerk', 'Orders', 'Reprice', {}))
  expect(await amounts(ledger)).toEqual({
    orders: [{ Net: 84, Total: 84, Tax: 16.8 }],
    customers: [84, 0],
  })
  data(await ledger.remove('clerk', 'Orders', { Id: 1 }, { RowVersion: await stampOf(ledger) }))
  expect(await amounts(ledger)).toEqual({ orders: [], customers: [0, 0] })
})

const stampOf = async (ledger: Objects) =>
  (await ledger.stored('SELECT RowVersion FROM orders WHERE Id = 1'))[0]?.RowVersion

test('lines that move to another order compute both', async () => {
  await using ledger = await startWithOrder()
  await ledger.save('clerk', 'Customers', { Name: 'Ash', Discount: 10 })
  await ledger.save('clerk', 'Orders', { CustomerId: 3 })
  data(await ledger.act('clerk', 'Orders', 'Move', { Id: 1, To: 2 }))
  expect(await amounts(ledger)).toEqual({
    orders: [
      { Net: 0, Total: 0, Tax: 0 },
      { Net: 25, Total: 22.5, Tax: null },
    ],
    customers: [0, 0, 22.5],
  })
})

test('what others refer to: a discount computes the orders and the balance anew', async () => {
  await using ledger = await startWithOrder()
  const [customer] = await ledger.stored('SELECT RowVersion FROM customers WHERE Id = 1')
  await ledger.save('clerk', 'Customers', { Id: 1, Discount: 50, ...customer })
  expect(await amounts(ledger)).toEqual({
    orders: [{ Net: 25, Total: 12.5, Tax: 2.5 }],
    customers: [12.5, 0],
  })
})

test('without a reference every record is computed, of other companies too', async () => {
  await using ledger = await startWithOrder()
  const order = { CustomerId: 2, RateCode: 'full' }
  await ledger.save('other', 'Orders', order, lines({ Quantity: 1, Price: 100 }))
  await ledger.save('clerk', 'Rates', { Code: 'full', Percent: 10 })
  expect((await amounts(ledger)).orders.map((row) => row.Tax)).toEqual([2.5, 10])
  const audit = await ledger.stored(
    `SELECT CompanyId, RecordKey, Changes FROM svc_audit
     WHERE Action = 'update' AND Entity = 'Order'`,
  )
  expect(audit.at(-1)).toEqual({ CompanyId: 2, RecordKey: '[2]', Changes: '{"Tax":[20,10]}' })
})

test('a computed change moves the stamp once, and is audited', async () => {
  await using ledger = await startWithOrder()
  const [before] = await ledger.stored('SELECT RowVersion, ChangedBy FROM customers WHERE Id = 1')
  await ledger.save('clerk', 'OrderLines', { Id: 1, Quantity: 3 })
  const [after] = await ledger.stored('SELECT RowVersion, ChangedBy FROM customers WHERE Id = 1')
  expect(after).toEqual({ ...before, RowVersion: Number(before?.RowVersion) + 1 })
  const [entry] = await ledger.stored(
    `SELECT Changes FROM svc_audit WHERE Entity = 'Customer' ORDER BY Id DESC LIMIT 1`,
  )
  expect(entry).toEqual({ Changes: '{"Balance":[25,35.25]}' })
  const [stamp] = await ledger.stored(
    `SELECT Fields FROM svc_stamps WHERE Entity = 'Customer' ORDER BY Stamp DESC LIMIT 1`,
  )
  expect(stamp).toEqual({ Fields: '["Balance"]' })
})

test('rules hold for what is computed: nothing of the write stays', async () => {
  await using ledger = await startWithOrder()
  const before = await amounts(ledger)
  const over = refusal(await ledger.submit('clerk', 'OrderLines', { Id: 1, Quantity: 1000 }), 400)
  expect(over.fieldErrors).toEqual({ 'Customer.Balance': 'Above the credit limit' })
  const less = refusal(await ledger.submit('clerk', 'OrderLines', { Id: 1, Quantity: -9 }), 400)
  expect(less.fieldErrors).toEqual({ 'Order.Net': 'Net must be at least 0' })
  expect(await amounts(ledger)).toEqual(before)
})

test('a rule that a detail breaks is told on the field of that row', async () => {
  await using ledger = await startWithOrder()
  const two = lines({ Quantity: 2, Price: 1 }, { Quantity: 1, Price: 13.13 })
  const refused = refusal(await ledger.submit('clerk', 'Orders', { CustomerId: 1 }, two), 400)
  expect(refused.fieldErrors).toEqual({ 'Lines[1].Price': 'Whole or half only' })
})

test('a rule that does not end is ended at the limit, and the next write succeeds', async () => {
  const settings = { 'Svc:Sql:WriteTimeout': '400ms' }
  await using ledger = await startComputedColumns({ settings })
  const people = Array.from({ length: 60 }, (_, at) => `(1, 'p${at}')`)
  await ledger.app.store.write(
    (tx) => tx.run(`INSERT INTO people (CompanyId, Name) VALUES ${people.join(', ')}`),
    { company: 1 },
  )
  const endless = refusal(await ledger.submit('clerk', 'People', { Name: 'endless' }), 400)
  expect(endless.code).toBe('SQL_TIMEOUT')
  const next = await inTime(() => ledger.save('clerk', 'People', { Name: 'next' }))
  expect(next.Action).toBe('created')
  expect(await ledger.stored("SELECT 1 FROM people WHERE Name = 'endless'")).toEqual([])
})
