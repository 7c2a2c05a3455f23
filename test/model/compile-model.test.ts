import { describe, expect, test } from 'bun:test'
import { emptyModel } from '../../src/model/compile/compile.ts'
import {
  compileShop,
  compileSound,
  compileTexts,
  orders,
  requireView,
} from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'

const nameOf = (field: { name: string }) => field.name

describe('an entity', () => {
  test('has its columns, then those that the engine adds', async () => {
    const { entities } = await compileShop('<Rbac Name="Empty"/>')
    const order = entities.get('Order')
    expect(order?.columns.map(nameOf).slice(-6)).toEqual([
      'Phone',
      'RowVersion',
      'CreatedAt',
      'CreatedBy',
      'ChangedAt',
      'ChangedBy',
    ])
    expect(order?.columnByName.get('rowversion')).toMatchObject({ kind: 'stamp', type: 'Integer' })
    expect(order?.columnByName.get('createdby')).toMatchObject({
      kind: 'tracking',
      references: 'User',
    })
    expect(order).toMatchObject({ company: 'CompanyId', concurrency: true, display: ['Number'] })
  })

  test('takes the type of a reference from the key, through as many keys as it takes', async () => {
    const { entities } = await compileShop(`<Model>
      <Entity Name="Profile"><Column Name="OrderId" References="Order" Key="true"/></Entity>
      <Entity Name="Badge"><Column Name="ProfileId" References="Profile" Key="true"/></Entity>
      <Entity Name="Country"><Column Name="Code" Type="Guid" Key="true"/></Entity>
      <Entity Name="City"><Column Name="Id" Key="true"/>
        <Column Name="Country" References="Country"/>
        <Column Name="Mayor" References="User"/></Entity>
    </Model>`)
    expect(entities.get('Badge')?.keys[0]?.type).toBe('Integer')
    expect(entities.get('City')?.columnByName.get('country')?.type).toBe('Guid')
    expect(entities.get('City')?.columnByName.get('mayor')?.type).toBe('Integer')
  })

  test('keeps defaults in the spelling that is stored', async () => {
    const { entities } = await compileShop(`<Entity Name="Thing">
      <Column Name="Id" Key="true"/>
      <Column Name="Price" Type="Decimal" Default="2.675"/>
      <Column Name="On" Type="Boolean" Default="1"/>
      <Column Name="At" Type="DateTime" Default="2026-01-01T00:00:00+01:00"/>
      <Column Name="By" Type="Integer" Default="@CurrentUserId"/>
      <Column Name="Area" Default="@User_Region"/>
      <Column Name="Same"><Default DependsOn="Area">SELECT @Area</Default></Column>
    </Entity>`)
    const columns = entities.get('Thing')?.columns.slice(1) ?? []
    expect(columns.map((column) => column.default)).toMatchObject([
      { kind: 'literal', value: '2.68' },
      { kind: 'literal', value: 'true' },
      { kind: 'literal', value: '2025-12-31T23:00:00.000Z' },
      { kind: 'context', parameter: 'CurrentUserId' },
      { kind: 'context', parameter: 'User_Region' },
      { kind: 'query', dependsOn: ['Area'], sql: { parameters: ['Area'] } },
    ])
  })

  test('has its SQL with what it reads', async () => {
    const { entities, sequences } = await compileShop('<Rbac Name="Empty"/>')
    const total = entities.get('Order')?.columnByName.get('total')
    expect(total?.compute).toMatchObject({
      from: ['OrderLine'],
      sql: { reads: ['order_lines'], parameters: ['Id'] },
    })
    expect(sequences.get('OrderNumber')?.entity.name).toBe('Order')
  })
})

describe('roles', () => {
  test('have grants, row filters and field rules', async () => {
    const { roles, capabilities, attributes } = await compileShop(`<Rbac Name="More">
      <Role Name="Lead" Label="Leader">
        <Grant Resource="Customers" Verbs="View List" Capabilities="Approve"/>
        <RowFilter Resource="Customers" Verbs="List">Region = @User_Region</RowFilter>
        <FieldRule Resource="Customers" Field="phone" Access="ReadOnly"/>
      </Role></Rbac>`)
    const lead = roles.get('Lead')
    expect(lead).toMatchObject({ label: 'Leader', rowFilters: [{ resource: 'Customers' }] })
    expect(lead?.rowFilters[0]?.condition.parameters).toEqual(['User_Region'])
    expect([...(lead?.rowFilters[0]?.verbs ?? [])]).toEqual(['List'])
    expect([...(lead?.grants[0]?.capabilities ?? [])]).toEqual(['Approve'])
    expect(lead?.fieldRules).toEqual([
      { resource: 'Customers', field: 'Phone', access: 'ReadOnly' },
    ])
    expect([...capabilities]).toEqual([['Approve', 'Approve']])
    expect([...attributes]).toEqual([['Region', 'Text']])
  })

  test('of what nothing bears are a warning, and their filters let nothing through', async () => {
    const { model, warnings } = await compileTexts({
      'shop.xml': SHOP,
      'case.xml': `<Rbac Name="More"><Role Name="Lead"><Grant Resource="Custmers" Verbs="List"/>
<RowFilter Resource="Handler">anything at all</RowFilter></Role></Rbac>`,
    })
    expect(warnings).toEqual([
      'case.xml:1:44 Nothing uses the resource Custmers yet; did you mean Customers?',
      'case.xml:2:12 Nothing uses the resource Handler yet',
    ])
    expect(model?.roles.get('Lead')?.rowFilters[0]?.condition.text).toBe('0')
  })
})

describe('row filters of reports', () => {
  test('hold for the datasets that have their columns; the others stay empty', async () => {
    const { model, warnings } = await compileTexts({
      'shop.xml': SHOP,
      'case.xml': `<Model><Report Name="Sales"><DataSets>
  <DataSet Name="Days"><Sql>SELECT DueOn FROM orders</Sql></DataSet>
  <DataSet Name="Buyers"><Sql>SELECT Region FROM customers</Sql></DataSet></DataSets></Report>
<Rbac Name="More"><Role Name="Lead"><Grant Resource="Sales" Verbs="List"/>
<RowFilter Resource="Sales">Region = @User_Region</RowFilter></Role></Rbac></Model>`,
    })
    expect(warnings).toEqual([
      'case.xml:5:1 The DataSet Days stays empty for this role: No column is named Region here',
    ])
    const [filter] = model?.roles.get('Lead')?.rowFilters ?? []
    expect(filter?.condition.text).toBe('Region = @User_Region')
  })
})

describe('the model', () => {
  test('has a hash that only the scripts change', async () => {
    const files = { 'shop.xml': SHOP, 'a.xml': orders('') }
    const one = await compileSound(files)
    const same = await compileSound({ 'a.xml': files['a.xml'], 'shop.xml': SHOP })
    const other = await compileSound({ ...files, 'a.xml': orders(' ') })
    expect(same.hash).toBe(one.hash)
    expect(other.hash).not.toBe(one.hash)
    expect(Object.isFrozen(one)).toBe(true)
  })

  test('finds views by name and slug without regard to case', async () => {
    const model = await compileShop('<ObjectView Name="OrderList" Entity="Order"/>')
    expect(model.viewByKey.get('orderlist')).toBe(requireView(model, 'OrderList'))
    expect(model.viewByKey.get('order-list')).toBe(requireView(model, 'OrderList'))
  })

  test('has reference rows', async () => {
    const { rows } = await compileShop(
      '<Rows Entity="Customer" Key="code" Once="true"><Row Code="a" NAME="Ana"/></Rows>',
    )
    expect(rows).toMatchObject([
      {
        entity: 'Customer',
        key: ['Code'],
        once: true,
        rows: [{ values: { Code: 'a', Name: 'Ana' } }],
      },
    ])
  })

  test('is empty before the first deploy, but for users', () => {
    const model = emptyModel()
    expect([...model.entities.keys()]).toEqual(['User'])
    expect(model.entityByTable.get('svc_users')).toMatchObject({ name: 'User', builtIn: true })
    expect(model.views.size).toBe(0)
  })

  test('warns of a query that does not put out the stamp', async () => {
    const { warnings } = await compileTexts({
      'shop.xml': SHOP,
      'case.xml': orders('<TableQuery>SELECT Id, Number FROM orders</TableQuery>'),
    })
    expect(warnings).toEqual([
      'case.xml:2:3 The TableQuery does not return RowVersion, so nothing can be saved: ' +
        'add orders.RowVersion',
    ])
  })
})
