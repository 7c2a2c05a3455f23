/** Checks of extensions: what they see, what they refuse, and what becomes of those that fail. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { whileHasty, writeExtensions } from '../../support/extensions.ts'
import { Imports } from '../../support/imports.ts'
import { data, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Order" Table="orders" Display="Title" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true" MaxLength="80"/>
  <Column Name="Status" Type="Text" Default="new"/>
  <Column Name="Amount" Type="Decimal" Scale="2"/>
  <Column Name="Secret" Type="Text"/>
  <On Event="created" When="Title = 'moved'"><Sql>UPDATE orders SET Status = 'moved' WHERE Id = @Id</Sql></On>
</Entity>
<Entity Name="Line" Table="lines" Company="CompanyId">
  <Column Name="OrderId" References="Order" Key="true" OnDelete="Cascade"/>
  <Column Name="No" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Product" Type="Text"/>
</Entity>
<Entity Name="Plain" Table="plains" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text"/>
</Entity>
<ObjectView Name="Orders" Entity="Order" Slug="sales-orders">
  <RowAction Name="Mark" Label="Mark"><Sql>UPDATE orders SET Title = 'bad by action' WHERE Id = @Id</Sql></RowAction>
  <Detail Name="Lines" View="Lines" Parent="OrderId=Id"/>
</ObjectView>
<ObjectView Name="Lines" Entity="Line"/>
<ObjectView Name="Plains" Entity="Plain"/>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Orders" Verbs="View List Create Update Import Export"/>
    <Grant Resource="Lines" Verbs="View List Create Update"/>
    <Grant Resource="Plains" Verbs="View List Create Update"/>
    <FieldRule Resource="Orders" Field="Secret" Access="Hidden"/>
  </Role>
</Rbac>
</Model>`

const SALES: TestApplication = {
  files: [{ name: 'sales.xml', body: MODEL }],
  ...makePeople('ONE TWO', { root: 'System', clerk: 'Clerk', far: 'Clerk in TWO', none: '' }),
}

const CHECKS = `
export default (engine: Engine) => {
  engine.validate({
    Object: 'sales-orders',
    async run({ Object, IsNew, Values, Old, query, log }) {
      const title = String(Values.Title)
      log('checks', title)
      if (title === 'seen') return { Title: JSON.stringify({ Object, IsNew, Values, Old }) }
      if (title === 'count') {
        const [row] = await query('SELECT count(*) AS Orders, @CurrentUserName AS Who FROM orders')
        return { '': JSON.stringify(row) }
      }
      if (title.startsWith('bad')) return { title: 'Not this title', Nothing: 'Whole', Amount: 'Nor this' }
      if (title === 'secret') return { Secret: 'Told of a secret' }
      if (title === 'throws') throw new Error('No orders today')
      if (title === 'breaks') return (undefined as never as { a: never }).a
      if (title === 'writes') await (query as never as (r: object) => Promise<void>)({ ObjectName: 'Orders', Sort: [{ Field: 'Secret' }] })
      if (title === 'hangs') await new Promise(() => {})
      if (title === 'spins') for (;;);
      if (title === 'exits') process.exit(0)
      if (title === 'lies') return [1, 2] as never
      if (Old && Old.Status === 'done' && Values.Amount !== Old.Amount) return { Amount: 'It is done' }
    },
  })
  engine.validate({ Name: 'LineProducts', Object: 'Lines',
    run: ({ Values }) => (Values.Product === 'bad' ? { Product: 'Not sold to order ' + typeof Values.OrderId } : null) })
  engine.validate({ Object: 'Nowhere', run: () => ({ '': 'never' }) })
}
`

let sales: Imports
beforeAll(async () => {
  const settings = { 'Svc:Scripts:ValidateTimeout': '1m' }
  sales = new Imports(await startApp({ application: SALES, settings }))
  writeExtensions(sales.app.folder, { 'checks.ts': CHECKS })
})
afterAll(() => sales[Symbol.asyncDispose]())

const count = async (): Promise<unknown> =>
  (await sales.stored('SELECT count(*) AS Orders FROM orders'))[0]?.Orders

const faultsOf = async (as: string, parameters: Row, more: Row = {}) =>
  refusal(await sales.submit(as, 'Orders', parameters, more), 400)

test('a check sees the record as it would be stored, and as it is', async () => {
  const made = await faultsOf('clerk', { Title: 'seen', Amount: '2.346', Secret: 'x', Id: null })
  expect(JSON.parse(made.fieldErrors?.Title ?? '')).toEqual({
    Object: 'Orders',
    IsNew: true,
    Values: { Id: null, CompanyId: 1, Title: 'seen', Status: 'new', Amount: 2.35, Secret: null },
    Old: null,
  })
  const { Values } = await sales.save('root', 'Orders', { Title: 'one', Amount: 1, Secret: 's' })
  const changed = await faultsOf('clerk', { Id: Values.Id, Title: 'seen', Secret: 'x' })
  const stored = { Id: Values.Id, CompanyId: 1, Status: 'new', Amount: 1, Secret: 's' }
  expect(JSON.parse(changed.fieldErrors?.Title ?? '')).toEqual({
    Object: 'Orders',
    IsNew: false,
    Values: { ...stored, Title: 'seen' },
    Old: { ...stored, Title: 'one' },
  })
})

test('what it says is a 400 by field, and nothing is written', async () => {
  const before = await count()
  const bad = await faultsOf('clerk', { Title: 'bad one' })
  expect(bad.code).toBe('VALIDATION_FAILED')
  expect(bad.error).toBe('Whole')
  expect(bad.fieldErrors).toEqual({ Title: 'Not this title', Amount: 'Nor this' })
  const thrown = await faultsOf('clerk', { Title: 'throws' })
  expect(thrown.error).toBe('No orders today')
  expect(await count()).toBe(before)
  const { Values } = await sales.save('clerk', 'Orders', {
    Title: 'good',
    Status: 'done',
    Amount: 1,
  })
  expect((await faultsOf('clerk', { Id: Values.Id, Amount: 2 })).fieldErrors).toEqual({
    Amount: 'It is done',
  })
  await sales.save('clerk', 'Orders', { Id: Values.Id, Title: 'better' })
})

test('events of the trial leave nothing behind, and the write is made once', async () => {
  const { Values } = await sales.save('clerk', 'Orders', { Title: 'moved' })
  expect(Values.Status).toBe('moved')
  const audit = await sales.stored(
    `SELECT Action FROM svc_audit WHERE Entity = 'Order' AND RecordKey = '[${String(Values.Id)}]'`,
  )
  expect(audit).toHaveLength(1)
})

test('details have the checks of their own objects', async () => {
  const Details = {
    Lines: {
      Upsert: [
        { No: 1, Product: 'good' },
        { No: 2, Product: 'bad' },
      ],
    },
  }
  const before = await count()
  const refused = await faultsOf('clerk', { Title: 'with lines' }, { Details })
  expect(refused.fieldErrors).toEqual({ 'Lines[1].Product': 'Not sold to order number' })
  expect(await count()).toBe(before)
})

test('an import is checked row by row, as is a trial of one', async () => {
  const before = await count()
  const file = 'Title,Amount\nimported,1\nbad row,2\nthrows,3\n'
  for (const dryRun of ['false', 'true']) {
    const answer = await sales.send('clerk', { objectName: 'Orders', file, fields: { dryRun } })
    expect(refusal(answer, 400).fieldErrors).toEqual({
      'Rows[3].Title': 'Not this title',
      'Rows[3].Amount': 'Nor this',
      'Rows[3]': 'Whole',
      'Rows[4]': 'No orders today',
    })
  }
  expect(await count()).toBe(before)
  const kept = await sales.take('clerk', {
    objectName: 'Orders',
    file,
    fields: { onError: 'skip' },
  })
  expect(kept).toMatchObject({ Inserted: 1, Failed: 2 })
})

test('a bulk edit is checked record by record, with what each is and would be', async () => {
  const keys: unknown[] = []
  for (const Status of ['new', 'done'])
    keys.push((await sales.save('clerk', 'Orders', { Title: 'many', Status, Amount: 1 })).Keys)
  const send = (OnError: string) =>
    sales.call<{ Many: { Updated: number; Faults: Row[] } }>('clerk', '/submit-many', {
      FormName: 'Orders',
      Keys: keys,
      Parameters: { Amount: 2 },
      OnError,
    })
  expect(refusal(await send('abort'), 400).fieldErrors).toEqual({ 'Keys[1].Amount': 'It is done' })
  const { Many } = data(await send('skip'))
  expect(Many).toMatchObject({
    Updated: 1,
    Faults: [{ Keys: keys[1], FieldErrors: { Amount: 'It is done' } }],
  })
})

test('attack: a check reads as the caller, and tells nothing of hidden fields', async () => {
  await sales.save('far', 'Orders', { Title: 'elsewhere' })
  const counted = await faultsOf('far', { Title: 'count' })
  expect(JSON.parse(counted.error)).toEqual({ Orders: 1, Who: 'far' })
  const secret = await faultsOf('clerk', { Title: 'secret' })
  expect(JSON.stringify(secret)).not.toContain('Told of a secret')
  expect((await faultsOf('root', { Title: 'secret' })).fieldErrors).toEqual({
    Secret: 'Told of a secret',
  })
  expect((await faultsOf('clerk', { Title: 'writes' })).error).toContain('failed')
})

test('attack: who may not write, or not that record, has no code run', async () => {
  const lines = sales.app.log.length
  refusal(await sales.submit('none', 'Orders', { Title: 'breaks' }), 401)
  const [far] = await sales.stored("SELECT Id FROM orders WHERE Title = 'elsewhere'")
  refusal(await sales.submit('clerk', 'Orders', { Id: far?.Id, Title: 'breaks' }), 404)
  refusal(await sales.submit('clerk', 'Orders', { Title: '' }), 400)
  expect(sales.app.log.slice(lines).join()).not.toContain('an extension')
})

test.each([
  ['breaks', 'See the server log for the reason'],
  ['exits', 'exited unexpectedly'],
  ['lies', 'must return its errors by field'],
])('a check that fails lets nothing through: %s', async (Title, told) => {
  const before = await count()
  expect((await faultsOf('clerk', { Title })).error).toContain(told)
  expect(await count()).toBe(before)
})

test('attack: while checks hang, others write to other objects', async () => {
  const before = await count()
  let isOver = false
  const hanging = whileHasty(sales, 1500, () =>
    Promise.all(['hangs', 'spins'].map((Title) => faultsOf('clerk', { Title }))),
  ).finally(() => (isOver = true))
  let saved = 0
  for (; !isOver; saved++) await sales.save('clerk', 'Plains', { Title: 'goes on' })
  for (const { error } of await hanging) expect(error).toContain('longer than 1.5 seconds')
  expect(saved).toBeGreaterThan(1)
  expect(await count()).toBe(before)
})

test('a row action is SQL: no check of an extension is asked', async () => {
  const { Values } = await sales.save('clerk', 'Orders', { Title: 'acts' })
  data(await sales.act('clerk', 'Orders', 'Mark', { Id: Values.Id }))
  expect(sales.app.log.filter((line) => line.includes('of no object'))).toHaveLength(1)
})
