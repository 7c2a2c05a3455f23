import { describe, expect, test } from 'bun:test'
import type { Field } from '../../src/model/compiled/field.ts'
import type { View } from '../../src/model/compiled/view.ts'
import { compileShop, compileSound, orders, requireView } from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'

async function compileOrders(inner: string, attributes = ''): Promise<View> {
  return requireView(await compileShop(orders(inner, attributes)), 'Orders')
}

const nameOf = (field: { name: string }) => field.name
const namesWhere = (view: View, claim: (field: Field) => boolean) =>
  view.fields.filter(claim).map(nameOf)

function fieldOf(view: View, name: string): Field {
  const field = view.fieldByName.get(name.toLowerCase())
  if (!field) throw new Error(`There is no field ${name}`)
  return field
}

describe('a view', () => {
  test('needs nothing but an entity', async () => {
    const view = await compileOrders('')
    expect(view).toMatchObject({
      slug: 'orders',
      label: 'Orders',
      resource: 'Orders',
      viewType: 'Grid',
      isGenerated: true,
      sort: [{ field: 'Id', direction: 'asc' }],
    })
    expect(view.query).toMatchObject({ reads: ['orders'], parameters: [], mayRunInline: true })
    expect(namesWhere(view, (field) => field.hidden)).toEqual(['Id', 'CompanyId', 'RowVersion'])
    expect(namesWhere(view, (field) => !field.readOnly)).toEqual([
      'Number',
      'CustomerId',
      'Status',
      'OrderedAt',
      'DueOn',
      'Phone',
    ])
    expect(namesWhere(view, (field) => field.searchable)).toEqual(['Number', 'Status', 'Phone'])
    expect(view.keys).toEqual([fieldOf(view, 'Id')])
  })

  test('shows a key that people give', async () => {
    const model = await compileShop('<Rbac Name="Empty"/>')
    const view = requireView(model, 'OrderLines')
    expect(view.slug).toBe('order-lines')
    expect(view.keys.map(nameOf)).toEqual(['OrderId', 'Line'])
    expect(namesWhere(view, (field) => field.hidden)).toEqual(['CompanyId'])
    expect(fieldOf(view, 'Line')).toMatchObject({ readOnly: false, required: true })
  })

  test('takes from each output column what its origin says', async () => {
    const view = await compileOrders(`<TableQuery>
      SELECT o.Id, o.RowVersion, o.Number, o.Number AS Reference, c.Region AS Area, c.Name,
        o.Total, o.Total * 2 AS Twice, u.DisplayName AS Maker
      FROM orders o JOIN customers c ON c.Id = o.CustomerId
        LEFT JOIN svc_users u ON u.Id = o.CreatedBy
    </TableQuery><Field Name="Twice" Type="Decimal" Scale="1"/>`)
    expect(view.fields.map(nameOf)).toEqual([
      ...['Twice', 'Id', 'RowVersion', 'Number', 'Reference', 'Area', 'Name', 'Total', 'Maker'],
    ])
    expect(namesWhere(view, (field) => !field.readOnly)).toEqual(['Number'])
    expect(namesWhere(view, (field) => field.column !== undefined)).toEqual([
      ...['Id', 'RowVersion', 'Number', 'Total'],
    ])
    expect(fieldOf(view, 'Twice')).toMatchObject({ type: 'Decimal', scale: 1, label: 'Twice' })
    expect(fieldOf(view, 'Area')).toMatchObject({ label: 'Area', type: 'Text' })
    expect(fieldOf(view, 'Area').options).toHaveLength(2)
    expect(fieldOf(view, 'Name')).toMatchObject({ required: false, readOnly: true })
    expect(fieldOf(view, 'Reference').column).toBeUndefined()
    expect(view.query.reads).toEqual(expect.arrayContaining(['orders', 'customers', 'svc_users']))
  })

  test('may say otherwise why the Pattern of its column refuses', async () => {
    const model = await compileSound({
      'shop.xml': SHOP.replace('Name="Phone" Type="Text"/>', 'Name="Phone" Pattern="^[0-9]+$"/>'),
      'case.xml':
        '<ObjectView Name="Phones" Entity="Customer">' +
        '<Field Name="Phone" PatternMessage="Digits only"/></ObjectView>',
    })
    const phone = fieldOf(requireView(model, 'Phones'), 'Phone')
    expect(phone.pattern).toMatchObject({ source: '^[0-9]+$', message: 'Digits only' })
  })

  test('does not take the other side of a self-join for the record', async () => {
    const view = await compileOrders(`<TableQuery>
      SELECT o.Id, o.RowVersion, p.Number AS Previous FROM orders o
        LEFT JOIN orders p ON p.Id = o.Id - 1
    </TableQuery>`)
    expect(fieldOf(view, 'Previous')).toMatchObject({ column: undefined, readOnly: true })
  })

  test('has declared fields first, in their sections; the rest after them', async () => {
    const view = await compileOrders(`<Field Name="DueOn" In="Form View"/>
      <Section Label="Who" Columns="2" Tab="People">
        <Field Name="customerid" Label="Buyer" Required="false"/><Field Name="Phone" In="None"/>
      </Section>`)
    expect(view.fields.map(nameOf).slice(0, 4)).toEqual(['DueOn', 'CustomerId', 'Phone', 'Id'])
    expect(fieldOf(view, 'CustomerId')).toMatchObject({
      label: 'Buyer',
      required: false,
      section: 'Who',
      tab: 'People',
    })
    expect([...fieldOf(view, 'DueOn').in]).toEqual(['Form', 'View'])
    expect(fieldOf(view, 'Phone').in.size).toBe(0)
    expect(view.sections).toEqual([
      { label: 'Who', columns: 2, tab: 'People', fields: ['customerid', 'Phone'] },
    ])
  })

  test('with Only keeps key and stamp, hidden', async () => {
    const view = await compileOrders('<Field Name="Number"/>', ' Only="true"')
    expect(view.fields.map((field) => [field.name, field.hidden])).toEqual([
      ['Number', false],
      ['Id', true],
      ['RowVersion', true],
    ])
    expect(view.keys.map(nameOf)).toEqual(['Id'])
  })

  test('without an entity is read-only', async () => {
    const model = await compileShop(`<ObjectView Name="Totals">
      <TableQuery>SELECT Status, count(*) AS Orders FROM orders GROUP BY Status</TableQuery>
    </ObjectView>`)
    const view = requireView(model, 'Totals')
    expect(namesWhere(view, (field) => field.readOnly)).toEqual(['Status', 'Orders'])
    expect(view.keys).toEqual([])
  })

  test('sorts, searches and narrows by its fields', async () => {
    const view = await compileOrders(
      `<Search Title="number" Text="Phone"/>
      <Preset Name="OpenOnes" Where="Status = 'new'" Default="true"/>
      <Field Name="DueOn" RequiredWhen="status in new done" VisibleWhen="OrderedAt ge today"/>`,
      ' Sort="OrderedAt desc Number"',
    )
    expect(view.sort).toEqual([
      { field: 'OrderedAt', direction: 'desc' },
      { field: 'Number', direction: 'asc' },
    ])
    expect(view.search).toEqual({ title: 'Number', text: ['Phone'] })
    expect(namesWhere(view, (field) => field.searchable)).toEqual(['Number', 'Phone'])
    expect(view.presets).toMatchObject([{ name: 'OpenOnes', label: 'Open ones', isDefault: true }])
    expect(fieldOf(view, 'DueOn').requiredWhen).toEqual({
      field: 'Status',
      operator: 'in',
      value: 'new done',
    })
  })

  test('has a Permit for each capability, and actions that go by them', async () => {
    const view = await compileOrders(`
      <Permit Capability="Update Delete" When="Status = 'new'"/>
      <Permit Capability="Approve" When="Total &gt; 0"/>
      <RowAction Name="ApproveAll" Capability="Approve" For="Rows">
        <Parameter Name="Phone" Required="true"/>
        <Sql Rows="1" Into="Number">UPDATE orders SET Status = 'done', Phone = @Phone WHERE Id = @Id
          RETURNING Number</Sql>
        <Dispatch Type="showAlert" Message="{Number} approved"/>
      </RowAction>
      <RowAction Name="Touch"><Sql>UPDATE orders SET Phone = Phone WHERE Id = @Id</Sql></RowAction>
      <RowAction Name="Archive" For="View" Object="customers"/>`)
    expect(view.permits.map((permit) => [permit.capability, permit.when.text])).toEqual([
      ['Update', "Status = 'new'"],
      ['Delete', "Status = 'new'"],
      ['Approve', 'Total > 0'],
    ])
    const [approve, touch, archive] = view.rowActions
    expect(approve).toMatchObject({
      label: 'Approve all',
      for: 'Rows',
      when: { text: 'Total > 0' },
    })
    expect(approve?.effects).toMatchObject([
      { kind: 'sql', rows: 1, into: 'Number', sql: { writes: ['orders'] } },
      { kind: 'dispatch', type: 'showAlert', message: '{Number} approved' },
    ])
    expect(approve?.parameters).toMatchObject([{ name: 'Phone', required: true }])
    expect(touch?.when?.text).toBe("Status = 'new'")
    expect(archive).toMatchObject({
      when: undefined,
      opens: { kind: 'Object', target: 'customers' },
    })
  })

  test('looks up, has details, rules and events', async () => {
    const view = await compileOrders(`
      <Field Name="CustomerId">
        <Lookup View="Customers" Search="Code Name" Where="Active = 1 AND Phone = @Phone"
          Fill="Phone=Phone"/>
      </Field>
      <Field Name="Phone" Lookup="Customers" LookupLabel="Code Name"/>
      <Detail View="OrderLines" Parent="OrderId=Id"/>
      <Validate Field="DueOn" Operator="ge" Compare="OrderedAt" Message="Too early"/>
      <Validate Message="Too much">SELECT @Total &lt; 10 AND @User_Region IS NOT NULL</Validate>
      <On Event="created" When="Total &gt; 1"><Sql>DELETE FROM orders WHERE Id = @Id</Sql></On>`)
    expect(fieldOf(view, 'CustomerId').lookup).toMatchObject({
      view: 'Customers',
      search: ['Code', 'Name'],
      where: { parameters: ['Phone'] },
      fill: [{ field: 'Phone', from: 'Phone' }],
      label: [],
    })
    expect(fieldOf(view, 'Phone').lookup?.label).toEqual(['Code', 'Name'])
    expect(view.details).toEqual([
      {
        name: 'OrderLines',
        view: 'OrderLines',
        label: 'Order lines',
        parent: [{ child: 'OrderId', parent: 'Id' }],
      },
    ])
    expect(view.validates.map((rule) => rule.kind)).toEqual(['compare', 'sql'])
    expect(view.events).toMatchObject([{ event: 'created', when: { text: 'Total > 1' } }])
  })

  test('lists keys through another entity', async () => {
    const model = await compileShop(`<Model>
      <Entity Name="Tag"><Column Name="Code" Key="true"/></Entity>
      <Entity Name="OrderTag"><Column Name="OrderId" References="Order" Key="true"/>
        <Column Name="TagCode" References="Tag" Key="true"/></Entity>
      ${orders('<Field Name="Tags" Through="OrderTag"/>')}
    </Model>`)
    const view = requireView(model, 'Orders')
    expect(view.fieldByName.has('tags')).toBe(false)
    expect(view.linked[0]).toMatchObject({
      name: 'Tags',
      through: 'OrderTag',
      multiple: true,
      type: 'Text',
      readOnly: false,
      column: undefined,
    })
  })

  test('takes what it authors itself', async () => {
    const view = await compileOrders(`
      <FormQuery>SELECT Id, Number FROM orders WHERE Id = @Id</FormQuery>
      <Insert>INSERT INTO orders (Number, CompanyId, CustomerId)
        VALUES (@Next_OrderNumber, @CurrentCompanyId, @CustomerId)</Insert>
      <Update>UPDATE orders SET Phone = @Phone WHERE Id = @Id</Update>
      <Delete>DELETE FROM orders WHERE Id = @Id</Delete>`)
    expect(view.formQuery?.parameters).toEqual(['Id'])
    expect(view.insert?.parameters).toEqual(['Next_OrderNumber', 'CurrentCompanyId', 'CustomerId'])
    expect(view.delete?.writes).toEqual(['orders'])
  })
})
