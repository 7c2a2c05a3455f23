import { describe, expect, test } from 'bun:test'
import { formatDiagnostic } from '../../src/model/deploy/report.ts'
import { loadModel } from '../../src/model/load.ts'
import { DeployTarget, NOW } from '../support/deploy.ts'

const KIND = `<Entity Name="Kind" Table="kinds">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="Label" Type="Text" Required="true"/>
</Entity>`

const CUSTOMER = `<Entity Name="Customer" Table="customers" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Remark" Type="Text"/>
</Entity>`

const order = (
  onDelete: string,
): string => `<Entity Name="Order" Table="orders" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="CustomerId" References="Customer" Required="true" OnDelete="${onDelete}"/>
</Entity>`

const VIEW = '<ObjectView Name="Customers" Entity="Customer"/>'
const FILES = {
  'customer.xml': CUSTOMER,
  'order.xml': order('Cascade'),
  'views/customers.xml': VIEW,
}

const names = (scripts: readonly { type: string; name: string }[]): string[] =>
  scripts.map(({ type, name }) => `${type} ${name}`)

const SEED = [
  `INSERT INTO customers (CompanyId, Name, Remark) VALUES (1, 'a', 'x'), (1, 'b', NULL)`,
  'INSERT INTO orders (CompanyId, CustomerId) VALUES (1, 1), (1, 1), (1, 2)',
]

describe('deploy', () => {
  test('makes the tables, keeps the scripts and lets the model serve', async () => {
    await using target = await DeployTarget.open()
    const { plan, isDone } = await target.deploy(FILES)
    expect(plan.faults).toEqual([])
    expect(isDone).toBe(true)
    expect(names(plan.new)).toEqual(['Entity Customer', 'Entity Order', 'ObjectView Customers'])
    expect(plan.steps).toEqual([
      'create table customers',
      'create table orders',
      'create index ix_customers.CompanyId',
      'create index ix_orders.CustomerId',
      'create index ix_orders.CompanyId',
    ])
    expect([...target.models.get().views.keys()]).toEqual(['Customers'])
    expect((await loadModel(target.store)).hash).toBe(target.models.get().hash)
    expect(
      await target.rows(
        'SELECT Type, Name, FileName, Body, IsCurrent, ExecutedAt FROM svc_scripts',
      ),
    ).toContainEqual({
      Type: 'ObjectView',
      Name: 'Customers',
      FileName: 'views/customers.xml',
      Body: VIEW,
      IsCurrent: 1,
      ExecutedAt: NOW,
    })
  })

  test('of the same changes nothing', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.run(...SEED)
    const before = await target.dump()
    const { plan, isDone } = await target.deploy(FILES)
    expect(isDone).toBe(true)
    expect(names(plan.same)).toEqual(['Entity Customer', 'Entity Order', 'ObjectView Customers'])
    expect([plan.new, plan.changed, plan.removed, plan.steps]).toEqual([[], [], [], []])
    expect(await target.dump()).toBe(before)
  })

  test('of one file keeps the others, and the former execution', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    const body = '<ObjectView Name="Customers" Label="All" Entity="Customer"/>'
    const { plan } = await target.deploy({ 'other.xml': body })
    expect(names(plan.changed)).toEqual(['ObjectView Customers'])
    expect(target.models.get().views.get('Customers')?.label).toBe('All')
    expect([...target.models.get().entities.keys()]).toContain('Order')
    expect(
      await target.rows(`SELECT Body, IsCurrent FROM svc_scripts WHERE Name = 'Customers'`),
    ).toEqual([
      { Body: VIEW, IsCurrent: 0 },
      { Body: body, IsCurrent: 1 },
    ])
  })

  test('a faulty file among good ones: each fault by file and line, nothing changed', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.run(...SEED)
    const before = await target.dump()
    const { plan, isDone } = await target.deploy({
      'kind.xml': KIND,
      'bad.xml': '<ObjectView Name="Bad" Entity="Kind">\n  <Feild/>\n</ObjectView>',
      'worse.xml': '<Entity Name="Worse">',
    })
    expect(isDone).toBe(false)
    expect(plan.faults.map((fault) => `${fault.place.file}:${fault.place.line}`)).toEqual([
      'bad.xml:2',
      'worse.xml:1',
    ])
    expect(await target.dump()).toBe(before)
  })

  test('what does not compile changes nothing', async () => {
    await using target = await DeployTarget.open()
    const before = await target.dump()
    const { plan, isDone } = await target.deploy({
      ...FILES,
      'bad.xml': '<ObjectView Name="Bad" Entity="Nothing"/>',
    })
    expect(isDone).toBe(false)
    expect(plan.faults.map(formatDiagnostic)).toEqual(['bad.xml:1:24: There is no Entity Nothing'])
    expect(await target.dump()).toBe(before)
  })

  test('a dry run plans all and changes nothing', async () => {
    await using target = await DeployTarget.open()
    const before = await target.dump()
    const { plan, isDone } = await target.deploy(FILES, { dryRun: true })
    expect([isDone, plan.new.length, plan.steps.length]).toEqual([false, 3, 5])
    expect(await target.dump()).toBe(before)
    expect(target.models.get().views.size).toBe(0)
  })

  test('what would lose data is told and refused, unless it is allowed', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.run(...SEED)
    const before = await target.dump()
    const without = {
      'customer.xml': CUSTOMER.replace('<Column Name="Remark" Type="Text"/>', ''),
    }
    const refused = await target.deploy(without)
    expect(refused.isDone).toBe(false)
    expect(refused.plan.losses).toEqual(['Customer.Remark is removed: its values in 1 row'])
    expect(await target.dump()).toBe(before)
    const allowed = await target.deploy(without, { allowDataLoss: true })
    expect(allowed.isDone).toBe(true)
    expect(await target.rows('SELECT * FROM customers')).toEqual([
      { Id: 1, CompanyId: 1, Name: 'a' },
      { Id: 2, CompanyId: 1, Name: 'b' },
    ])
  })

  test('a rebuilt parent keeps every child that cascades', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.run(...SEED)
    const { plan } = await target.deploy({
      'customer.xml': CUSTOMER.replace('Type="Text"/>', 'Type="Text" Default="none"/>'),
    })
    expect(plan.steps).toContain('rebuild table customers: Remark has another default')
    expect(await target.rows('SELECT CustomerId FROM orders ORDER BY Id')).toEqual([
      { CustomerId: 1 },
      { CustomerId: 1 },
      { CustomerId: 2 },
    ])
    await target.run('DELETE FROM customers WHERE Id = 1')
    expect(await target.rows('SELECT CustomerId FROM orders')).toEqual([{ CustomerId: 2 }])
  })

  test('a renamed entity takes the place of its former script and table', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.run(...SEED)
    const rename = (body: string): string => body.replaceAll('"Customer"', '"Client"')
    const { plan } = await target.deploy({
      'customer.xml': rename(CUSTOMER).replace(
        'Table="customers"',
        'Table="clients" Was="Customer"',
      ),
      'order.xml': rename(order('Cascade')),
      'views.xml': rename(VIEW),
    })
    expect(plan.faults).toEqual([])
    expect(names(plan.removed)).toEqual(['Entity Customer'])
    expect(plan.steps).toContain('rename table customers to clients')
    expect(plan.steps.filter((step) => step.startsWith('rebuild'))).toEqual([])
    expect((await target.rows('SELECT count(*) AS n FROM clients'))[0]).toEqual({ n: 2 })
    expect((await target.rows('SELECT count(*) AS n FROM orders'))[0]).toEqual({ n: 3 })
  })

  test('prune takes out what the files do not hold, and refuses to lose its rows', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.run(...SEED)
    const rest = { 'customer.xml': CUSTOMER, 'views.xml': VIEW }
    expect((await target.deploy(rest)).plan.removed).toEqual([])
    const refused = await target.deploy(rest, { prune: true })
    expect(names(refused.plan.removed)).toEqual(['Entity Order'])
    expect(refused.plan.losses).toEqual(['entity Order: 3 rows of table orders'])
    const allowed = await target.deploy(rest, { prune: true, allowDataLoss: true })
    expect(allowed.isDone).toBe(true)
    expect(await target.rows(`SELECT name FROM sqlite_schema WHERE name = 'orders'`)).toEqual([])
    expect([...target.models.get().entities.keys()]).not.toContain('Order')
  })

  test('of two at once the second one is told', async () => {
    await using target = await DeployTarget.open()
    const [first, second] = await Promise.allSettled([
      target.deploy({ 'kind.xml': KIND }),
      target.deploy(FILES),
    ])
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected'])
    expect(second).toMatchObject({ reason: { kind: 'conflict' } })
    expect([...target.models.get().entities.keys()]).toEqual(['User', 'Kind'])
  })

  test('a table that no deploy made is not taken over', async () => {
    await using target = await DeployTarget.open()
    await target.run('CREATE TABLE kinds (Code TEXT)')
    const { plan } = await target.deploy({ 'kind.xml': KIND })
    expect(plan.faults.map(formatDiagnostic)).toEqual([
      'kind.xml:1:1: The database has a table kinds that no deploy made: choose another Table',
    ])
  })

  test('a fill passes the gate', async () => {
    await using target = await DeployTarget.open()
    await target.deploy({ 'kind.xml': KIND })
    const fill = (sql: string): Record<string, string> => ({
      'kind.xml': KIND.replace(
        '</Entity>',
        `<Column Name="More" Required="true" Fill="${sql}"/></Entity>`,
      ),
    })
    const { plan } = await target.deploy(fill(`readfile('/etc/passwd')`))
    expect(plan.faults).toHaveLength(1)
    expect(plan.faults[0]?.message).toContain('readfile')
    const misspelt = (await target.deploy(fill('upper(Labl)'))).plan
    expect(misspelt.faults.map(formatDiagnostic)).toEqual([
      'kind.xml:4:37: Fill: No column is named Labl here; the nearest is Label',
    ])
    expect((await target.deploy(fill(`upper(Label)`))).plan.faults).toEqual([])
  })

  test('what was queued meanwhile meets the new tables under their watch', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.run(...SEED)
    const more = order('Cascade').replace('</Entity>', '<Column Name="Note"/></Entity>')
    await target.deploy({ 'order.xml': more })
    const deploying = target.deploy({ 'order.xml': order('Cascade') })
    const crossing = 'INSERT INTO orders (CompanyId, CustomerId) VALUES (2, 1)'
    const writes: Promise<PromiseSettledResult<void>[]>[] = []
    const isOver = deploying.then(() => true)
    while (!(await Promise.race([isOver, Bun.sleep(1).then(() => false)])))
      writes.push(Promise.allSettled([target.run(crossing)]))
    const outcomes = (await Promise.all(writes)).flat()
    expect(outcomes.length).toBeGreaterThan(0)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([])
  })

  test('the tables are watched: no reference crosses companies', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(FILES)
    await target.run(...SEED)
    const [crossing] = await Promise.allSettled([
      target.run('INSERT INTO orders (CompanyId, CustomerId) VALUES (2, 1)'),
    ])
    expect(crossing).toMatchObject({ status: 'rejected', reason: { code: 'REFERENCE' } })
  })
})
