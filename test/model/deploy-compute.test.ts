/** Computed columns at a deploy: their order, their circles, and what they fill. */
import { expect, test } from 'bun:test'
import { DeployTarget } from '../support/deploy.ts'

const model = (order: string, line = '', more = '') => `<Model>
<Entity Name="Order" Table="orders">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  ${order}
</Entity>
<Entity Name="Line" Table="lines">
  <Column Name="OrderId" References="Order" Key="true"/>
  <Column Name="No" Type="Integer" Key="true"/>
  <Column Name="Price" Type="Decimal" Required="true"/>
  ${line}
</Entity>${more}
</Model>`

const total = (sql: string, from = 'From="Line"') =>
  `<Column Name="Total" Type="Decimal"><Compute ${from}>${sql}</Compute></Column>`
const SUM = 'SELECT coalesce(sum(Price), 0) FROM lines WHERE OrderId = @Id'
const DOUBLE = '<Column Name="Twice" Type="Decimal"><Compute>SELECT @Total * 2</Compute></Column>'

const FILL = [
  'INSERT INTO orders (Id) VALUES (1), (2)',
  'INSERT INTO lines (OrderId, No, Price) VALUES (1, 1, 1.5), (1, 2, 2)',
]

const faultsOf = async (target: DeployTarget, body: string) =>
  (await target.deploy({ 'shop.xml': body })).plan.faults.map(
    ({ place, message }) => `${place.file}:${place.line} ${message}`,
  )

test('a new computed column and what is computed from it are filled for stored rows', async () => {
  await using target = await DeployTarget.open()
  expect(await faultsOf(target, model(''))).toEqual([])
  await target.run(...FILL)
  expect(await faultsOf(target, model(DOUBLE + total(SUM)))).toEqual([])
  const rows = () => target.rows('SELECT Total, Twice FROM orders ORDER BY Id')
  expect(await rows()).toEqual([
    { Total: 3.5, Twice: 7 },
    { Total: 0, Twice: 0 },
  ])
  await target.run('UPDATE orders SET Total = 99, Twice = 99 WHERE Id = 1')
  await target.deploy({ 'shop.xml': model(DOUBLE + total(SUM)) })
  expect((await rows())[0]).toEqual({ Total: 99, Twice: 99 })
  await target.deploy({ 'shop.xml': model(DOUBLE + total(SUM.replace('sum(', 'max('))) })
  expect(await rows()).toEqual([
    { Total: 2, Twice: 4 },
    { Total: 0, Twice: 0 },
  ])
})

test('reference rows of a deploy are computed from', async () => {
  await using target = await DeployTarget.open()
  const body = (price: number) =>
    model(
      total(SUM),
      '',
      `<Rows Entity="Order" Key="Id" Once="true"><Row Id="1"/></Rows>
       <Rows Entity="Line" Key="OrderId No"><Row OrderId="1" No="1" Price="${price}"/></Rows>`,
    )
  expect(await faultsOf(target, body(4))).toEqual([])
  expect(await target.rows('SELECT Total FROM orders')).toEqual([{ Total: 4 }])
  await target.deploy({ 'shop.xml': body(5) })
  expect(await target.rows('SELECT Total FROM orders')).toEqual([{ Total: 5 }])
})

test('a stored value that the type does not take refuses the deploy, at the column', async () => {
  await using target = await DeployTarget.open()
  await target.deploy({ 'shop.xml': model('') })
  await target.run(...FILL)
  const before = await target.dump()
  const wrong = model(total("SELECT 'many' FROM lines WHERE OrderId = @Id"))
  expect(await faultsOf(target, wrong)).toEqual([
    'shop.xml:4 The computed Order.Total of a stored record: Must be a number',
  ])
  expect(await target.dump()).toBe(before)
})

test('stored values that are computed over are a loss, of a rollback too', async () => {
  await using target = await DeployTarget.open()
  const files = (order: string) => ({ 'shop.xml': model(order) })
  const entered = '<Column Name="Total" Type="Decimal"/>'
  await target.deploy(files(entered))
  await target.run('INSERT INTO orders (Id, Total) VALUES (1, 7), (2, NULL)')
  const refused = await target.deploy(files(total(SUM)))
  const lost = ['Order.Total becomes computed: its values in 1 row']
  expect([refused.isDone, refused.plan.losses]).toEqual([false, lost])
  expect(await target.rows('SELECT Total FROM orders WHERE Id = 1')).toEqual([{ Total: 7 }])
  const done = await target.deploy(files(total(SUM)), { allowDataLoss: true })
  expect([done.isDone, done.plan.losses]).toEqual([true, lost])
  // The way back from a column that is entered again: what was entered since is the loss.
  await target.deploy(files(entered))
  await target.run('UPDATE orders SET Total = 8 WHERE Id = 1')
  const back = await target.deploy({}, { rollback: true })
  expect([back.isDone, back.plan.losses]).toEqual([
    false,
    ['Order.Total becomes computed: its values in 2 rows'],
  ])
})

test('a circle names its columns and where they stand', async () => {
  await using target = await DeployTarget.open()
  const share =
    '<Column Name="Share" Type="Decimal"><Compute From="Order">SELECT @Price / Total FROM orders WHERE Id = @OrderId</Compute></Column>'
  const sum = total('SELECT sum(Share) FROM lines WHERE OrderId = @Id')
  expect(await faultsOf(target, model(sum, share))).toEqual([
    'shop.xml:10 Computed from itself: Line.Share (shop.xml:10:3) from ' +
      'Order.Total (shop.xml:4:3) from Line.Share (shop.xml:10:3). ' +
      'Take one of them out of the circle',
  ])
  expect(await faultsOf(target, model(total('SELECT @Total + 1', '')))).toEqual([
    'shop.xml:4 Computed from itself: Order.Total (shop.xml:4:3) from ' +
      'Order.Total (shop.xml:4:3). Take one of them out of the circle',
  ])
  const harmless = share.replace('SELECT @Price / Total', 'SELECT @Price / Id')
  expect(await faultsOf(target, model(sum, harmless))).toEqual([])
})

test('what From may name, and what it means without a reference', async () => {
  await using target = await DeployTarget.open()
  const faults = (sql: string, from: string) =>
    faultsOf(target, model(total(sql, `From="${from}"`)))
  expect(await faults('SELECT count(*) FROM svc_users', 'User')).toEqual([
    'shop.xml:4 From: the engine keeps User, so nothing is computed from it',
  ])
  expect(await faults('SELECT 1', 'Line')).toEqual([
    'shop.xml:4 From: the query does not read lines, the table of Line',
  ])
  const { plan } = await target.deploy({
    'shop.xml': model(total('SELECT max(Price) FROM lines')),
  })
  expect(plan.warnings.map(({ message }) => message)).toEqual([
    'From: the query of Total follows no reference between Line and Order, ' +
      'so each write of Line computes every Order again',
  ])
})
