import { describe, expect, test } from 'bun:test'
import { compileTexts, expectFault, type FaultCase, orders } from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'

describe('procedures, navbars, reports, workflows, wizards and rows', () => {
  const cases: FaultCase[] = [
    [
      'a reading procedure that writes',
      '<StoredProcedure Name="Clean"><Sql>¦DELETE FROM orders</Sql></StoredProcedure>',
      'Only reading is available here: no DELETE',
    ],
    [
      'a procedure’s parameter that is not there',
      `<StoredProcedure Name="Find"><Parameter Name="From" Type="Date"/>
  <Sql Result="Orders">SELECT * FROM orders WHERE DueOn &gt;= ¦@Form</Sql>
</StoredProcedure>`,
      'There is no parameter @Form; did you mean From?',
    ],
    [
      'a schedule of no time',
      '<StoredProcedure Name="Find"><Sql>SELECT 1</Sql>' +
        '<Schedule ¦Cron="0 25 * * *"/></StoredProcedure>',
      'Cron: "25" is not a valid hour: use * or 0 to 23, lists, ranges and steps',
    ],
    [
      'a schedule of a day that is in none of its months',
      '<StoredProcedure Name="Find"><Sql>SELECT 1</Sql>' +
        '<Schedule ¦Cron="0 0 30,31 2 *"/></StoredProcedure>',
      'Cron: 0 0 30,31 2 * never comes: none of its months has such a day',
    ],
    [
      'a schedule of steps that no hour has',
      '<StoredProcedure Name="Find"><Sql>SELECT 1</Sql>' +
        '<Schedule ¦Cron="0 */25 * * *"/></StoredProcedure>',
      'Cron: CronPattern: Syntax error, steps cannot be greater than maximum value of part (24)',
    ],
    [
      'an item that opens no view',
      '<Navbar Name="main"><Item Name="Orders" ¦Object="ordrs"/></Navbar>',
      'There is no ObjectView ordrs',
    ],
    [
      'an item that opens nothing',
      '<Navbar Name="main">¦<Item Name="Orders"/></Navbar>',
      'An Item needs a target (Object, Report, Wizard or Url) or Items in it',
    ],
    [
      'a badge of two columns',
      '<Navbar Name="main"><Item Name="A" Object="Customers">' +
        '<Badge>¦SELECT 1, 2</Badge></Item></Navbar>',
      'This query must have one output column',
    ],
    [
      'a report’s dataset by a filter that is not there',
      `<Report Name="Sales"><Filters><Filter Name="To" Type="Date"/></Filters>
  <DataSets><DataSet Name="Orders"><Sql>
    SELECT Id FROM orders WHERE OrderedAt &lt; @To_End AND Status = ¦@State
  </Sql></DataSet></DataSets>
</Report>`,
      'There is no parameter @State',
    ],
    [
      'a filter by a name of the engine’s',
      '<Report Name="Sales"><Filters><Filter ¦Name="Today" Type="Date"/></Filters></Report>',
      '@Today is a context parameter: choose another name',
    ],
    [
      'a filter by a parameter of every report',
      '<Report Name="Sales"><Filters><Filter ¦Name="Background"/></Filters></Report>',
      'Background is a reserved name of filters: choose another',
    ],
    [
      'two filters of one name, whatever the case',
      '<Report Name="Sales"><Filters><Filter Name="To"/><Filter ¦Name="to"/></Filters></Report>',
      'Another filter already binds @to (case makes no difference): choose another',
    ],
    [
      'a filter by the name of another one’s end',
      '<Report Name="Sales"><Filters><Filter Name="To" Type="Date"/>' +
        '<Filter ¦Name="To_End"/></Filters></Report>',
      'Another filter already binds @to_end (case makes no difference): choose another',
    ],
    [
      'a field rule of a report',
      `<Model><Report Name="Sales"/><Rbac Name="More"><Role Name="Rep">
  <FieldRule ¦Resource="Sales" Field="Cost" Access="Hidden"/></Role></Rbac></Model>`,
      'Sales is a report without fields: leave the column out of its DataSet',
    ],
    [
      'a widget of no dataset',
      '<Report Name="Sales"><Widgets>' +
        '<Widget Name="W" Kind="Table" ¦DataSet="Orders"/></Widgets></Report>',
      'There is no DataSet Orders',
    ],
    [
      'a transition to no state',
      `<Model>${orders('')}<Workflow Name="Flow" Object="orders" StateField="Status">
  <States><State Name="new" Kind="Initial"/><State Name="done" Kind="Final"/></States>
  <Transitions><Transition From="new" ¦To="dne" Action="Close"/></Transitions>
</Workflow></Model>`,
      'There is no State dne; did you mean done?',
    ],
    [
      'a wizard’s step by a later field',
      `<ObjectView Name="NewOrder" ViewType="Wizard" Entity="Order">
  <Step Name="Who" When="¦@Phone = '1'"><Field Name="CustomerId"/></Step>
  <Step Name="What"><Field Name="Phone"/></Step>
</ObjectView>`,
      'There is no parameter @Phone',
    ],
    [
      'a row without its key',
      '<Rows Entity="Customer" Key="Code">¦<Row Name="Ana"/></Rows>',
      'The row needs Code, which identifies it',
    ],
    [
      'a row that an earlier one contradicts',
      `<Rows Entity="Customer" Key="Code"><Row Code="a" Name="Ana"/>
  ¦<Row Code="a" Name="Bo"/></Rows>`,
      'An earlier Row has Code="a" already',
    ],
    [
      'a row with a value that is none',
      '<Rows Entity="Customer" Key="Code"><Row Code="a" Name="Ana" ¦Active="maybe"/></Rows>',
      'Active: Must be true or false',
    ],
    [
      'a row with a column that is not there',
      '<Rows Entity="Customer" Key="Code"><Row Code="a" Name="Ana" ¦Phoen="1"/></Rows>',
      'Customer has no column Phoen; did you mean Phone?',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))
})

test('all faults of all files are told, in the order of their places', async () => {
  const { faults } = await compileTexts({
    'b.xml': '<ObjectView Name="B" Entity="Nothing"/>',
    'a.xml': `<Entity Name="A"><Column Name="Id" Key="true"/>
<Column Name="X" Type="Date" Default="x"/><Column Name="Y" References="Nobody"/></Entity>`,
    'shop.xml': SHOP,
  })
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
    'a.xml:2:30',
    'a.xml:2:60',
    'b.xml:1:22',
  ])
})

test('a faulty entity is told once, and not by what names it', async () => {
  const { faults } = await compileTexts({
    'a.xml': '<Entity Name="A"><Column Name="X"/></Entity>',
    'b.xml': `<Model><Entity Name="B"><Column Name="Id" Key="true"/>
      <Column Name="AId" References="A"/></Entity><ObjectView Name="As" Entity="A"/>
      <ObjectView Name="Bs" Entity="B"><Detail View="As" Parent="Id=AId"/></ObjectView></Model>`,
  })
  expect(faults).toHaveLength(1)
})
