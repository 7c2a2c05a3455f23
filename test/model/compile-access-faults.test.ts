import { describe, test } from 'bun:test'
import { expectFault, type FaultCase, orders } from '../support/compile-text.ts'

describe('row actions', () => {
  const action = (inner: string, attributes = '') =>
    orders(`<RowAction Name="Close"${attributes}>${inner}</RowAction>`)
  const cases: FaultCase[] = [
    [
      'an action with the name of an event',
      orders('<RowAction ¦Name="updated" Object="Customers"/>'),
      'updated is an event of every record: give the action another name',
    ],
    [
      'nothing that it does',
      orders('¦<RowAction Name="Close"/>'),
      'A RowAction without effects must open something',
    ],
    [
      'effects and a target',
      orders(
        '¦<RowAction Name="Close" Object="Customers"><Dispatch Type="refreshTable"/></RowAction>',
      ),
      'A RowAction either opens something or has effects, not both',
    ],
    [
      'a parameter that nobody gives',
      action("<Sql>UPDATE orders SET Status = 'done' WHERE Id = ¦@OrderId</Sql>"),
      'There is no parameter @OrderId',
    ],
    [
      'a table of the engine written',
      action('<Sql>UPDATE ¦svc_users SET Active = 0</Sql>'),
      'svc_users belongs to the engine: it can only be read',
    ],
    [
      'Into without a result',
      action('<Sql ¦Into="X">DELETE FROM orders WHERE Id = @Id</Sql>'),
      'Into needs a result: a SELECT, or RETURNING at the end',
    ],
    [
      'a text that names nothing',
      action('<Dispatch Type="showAlert" Message="Order ¦{Nmber} is closed"/>'),
      'Message: {Nmber} is not known here; did you mean Number?',
    ],
    [
      'the label of what has none',
      action('<Dispatch Type="showAlert" Message="Of ¦{Number__Label}"/>'),
      'Message: {Number__Label} is not known here',
    ],
    [
      'a label that is misspelt',
      action('<Notify Role="Clerk" Title="Of ¦{CustmerId__Label}"/>'),
      'Title: {CustmerId__Label} is not known here; did you mean CustomerId__Label?',
    ],
    [
      'a notification to nobody',
      action('¦<Notify Title="Closed"/>'),
      'Notify has no recipient: give Role, User or a Sql child',
    ],
    [
      'a capability that is not declared',
      orders('<RowAction Name="Close" ¦Capability="Closing" Object="Customers"/>'),
      'There is no Capability Closing: declare <Capability Name="Closing"/> in Rbac',
    ],
    [
      'a condition on what the view has not',
      action('<Dispatch Type="refreshTable"/>', ` When="¦Stats = 'new'"`),
      'No column is named Stats here; the nearest is Status',
    ],
    [
      'a wizard that is none',
      orders('<RowAction Name="Close" ¦Wizard="Customers"/>'),
      'Customers is not a wizard',
    ],
    [
      'an argument that the row has not',
      orders('<RowAction Name="Close" Object="Customers" ¦With="Id=CustmerId"/>'),
      'With: CustmerId is not known here; did you mean CustomerId?',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))
})

describe('roles', () => {
  const role = (inner: string) => `<Rbac Name="More"><Role Name="Lead">\n${inner}</Role></Rbac>`
  const cases: FaultCase[] = [
    [
      'a role of a taken name',
      '<Rbac Name="More"><Role ¦Name="Clerk"/></Rbac>',
      'Role Clerk is also declared at shop.xml:36:5',
    ],
    [
      'the almighty role',
      '<Rbac Name="More"><Role ¦Name="System"/></Rbac>',
      'System passes every gate: it cannot be declared',
    ],
    [
      'a capability that is not declared',
      role('<Grant Resource="Customers" ¦Capabilities="Approv"/>'),
      'There is no Capability Approv: declare <Capability Name="Approv"/> in Rbac; ' +
        'did you mean Approve?',
    ],
    [
      'a filter on what the view has not',
      role('<RowFilter Resource="Customers">¦Regin = @User_Region</RowFilter>'),
      'No column is named Regin here; the nearest is Region',
    ],
    [
      'a filter by an undeclared attribute',
      role('<RowFilter Resource="Customers">Region = ¦@User_Area</RowFilter>'),
      '@User_Area names no declared user attribute: declare <UserAttribute Name="Area"/> in Rbac',
    ],
    [
      'a filter that a request could choose',
      role('<RowFilter Resource="Customers">Region = ¦@Region</RowFilter>'),
      'There is no parameter @Region',
    ],
    [
      'a rule on no field',
      role('<FieldRule Resource="Customers" ¦Field="Phoen" Access="Hidden"/>'),
      'Field: Customers has no field Phoen; did you mean Phone?',
    ],
    [
      'a hidden key',
      role('<FieldRule Resource="Customers" ¦Field="Id" Access="Hidden"/>'),
      'Id is the key: a record without it could not be opened',
    ],
    [
      'a dataset of what is no report',
      role('<RowFilter Resource="Customers" ¦DataSet="Rows">Region = @User_Region</RowFilter>'),
      'DataSet: Customers is not a Report',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))

  test('a filter is held against every view of its resource', async () => {
    const text = `<Model>
  <ObjectView Name="Phones" Resource="Customers">
    <TableQuery>SELECT Phone FROM customers</TableQuery>
  </ObjectView>
  <Rbac Name="More"><Role Name="Lead">
    <RowFilter Resource="Customers">¦Region = @User_Region</RowFilter>
  </Role></Rbac>
</Model>`
    await expectFault(text, 'No column is named Region here')
  })
})

describe('names', () => {
  const cases: FaultCase[] = [
    [
      'two scripts of one name, of two types',
      '<ObjectView ¦Name="Order" Slug="all-orders" Entity="Order"/>',
      'The name order of this ObjectView is also that of the Entity Order (shop.xml:11:3); ' +
        'name the entity for one record (Customer), its view for many (Customers)',
    ],
    [
      'two views of one name, told once',
      '<ObjectView ¦Name="Customers" Entity="Order"/>',
      'The name customers of this ObjectView is also that of the ' +
        'ObjectView Customers (shop.xml:31:3)',
    ],
    [
      'a slug that is another view’s',
      '<ObjectView Name="Clients" ¦Slug="customers" Entity="Customer"/>',
      'The name or slug customers of this ObjectView is also that of the ' +
        'ObjectView Customers (shop.xml:31:3)',
    ],
    [
      'a report with a view’s resource',
      `<Report ¦Name="Customers"/>`,
      'The resource customers of this Report is also that of the ' +
        'ObjectView Customers (shop.xml:31:3)',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))
})
