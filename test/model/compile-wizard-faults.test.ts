/** Faults of wizards: each at its place, with the nearest name and what to do. */
import { describe, expect, test } from 'bun:test'
import { compileSound, expectFault, type FaultCase } from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'

const wizard = (inner: string, attributes = ''): string =>
  `<ObjectView Name="NewOrder" ViewType="Wizard" Entity="Order"${attributes}>\n${inner}\n</ObjectView>`

const FIRST = '<Step Name="Who"><Field Name="CustomerId"/></Step>'

describe('wizards', () => {
  const cases: FaultCase[] = [
    ['no step at all', '¦<ObjectView Name="NewOrder" ViewType="Wizard"/>', 'A wizard needs a Step'],
    [
      'a step that asks for nothing',
      wizard('¦<Step Name="Who"/>'),
      'A Step needs a Field, an Entity, a FieldQuery or Summary="true"',
    ],
    [
      'two steps of one name, whatever the case',
      wizard(`${FIRST}<Step ¦Name="who"><Field Name="Phone"/></Step>`),
      'An earlier step is called who already',
    ],
    [
      'a field of an earlier step',
      wizard(`${FIRST}<Step Name="More"><Field ¦Name="customerid"/></Step>`),
      'An earlier step has the field customerid already',
    ],
    [
      'a field of the engine’s',
      wizard('<Step Name="Who"><Field ¦Name="Today" Type="Date"/></Step>'),
      '@Today is a context parameter: choose another name',
    ],
    [
      'a list that binds the name of a field',
      wizard(`${FIRST}<Step ¦Name="CustomerID" Repeat="true"><Field Name="Phone"/></Step>`),
      'CustomerID is a field of an earlier step: a step with Repeat binds its own name',
    ],
    [
      'a field of its list’s name',
      wizard('<Step Name="Lines" Repeat="true"><Field ¦Name="lines" Type="Text"/></Step>'),
      'lines is the name of the step, which binds its rows',
    ],
    [
      'a field of a list in what follows',
      wizard(
        '<Step Name="Lines" Repeat="true"><Field Name="Phone"/></Step>' +
          `<Step Name="More" When="¦@Phone = '1'"><Field Name="CustomerId"/></Step>`,
      ),
      'There is no parameter @Phone',
    ],
    [
      'an entity that is not there',
      wizard('<Step Name="Who" ¦Entity="Custommer"/>'),
      'There is no Entity Custommer; did you mean Customer?',
    ],
    [
      'a summary that asks',
      wizard(`${FIRST}<Step Name="Sum" Summary="true">¦<Field Name="Phone"/></Step>`),
      'Field does not belong here: the step has no fields: it is a Summary',
    ],
    [
      'a query beside an entity',
      wizard(
        '<Step Name="Asked" ¦Entity="Customer"><FieldQuery>SELECT Name FROM customers</FieldQuery></Step>',
      ),
      'Entity does not belong here: the step has the rows of its FieldQuery',
    ],
    [
      'a query without names',
      wizard(
        '<Step Name="Asked">¦<FieldQuery>SELECT Id AS Label FROM customers</FieldQuery></Step>',
      ),
      'The FieldQuery has no output column Name: write AS Name',
    ],
    [
      'a query of another column',
      wizard(
        '<Step Name="Asked">¦<FieldQuery>SELECT Name, 1 AS Requird FROM customers</FieldQuery></Step>',
      ),
      'The FieldQuery returns Requird: its columns are Name, Label, Type, Required, Help, ' +
        'Options; did you mean Required?',
    ],
    [
      'a count of rows that are none',
      wizard('<Step Name="Who" ¦Min="1"><Field Name="CustomerId"/></Step>'),
      'Min counts the rows of a step with Repeat="true"',
    ],
    [
      'fewer at most than at least',
      wizard('<Step Name="L" Repeat="true" ¦Min="3" Max="2"><Field Name="Phone"/></Step>'),
      'Min is above Max',
    ],
    [
      'Only without an entity',
      wizard('<Step Name="Who" ¦Only="true"><Field Name="CustomerId"/></Step>'),
      'Only goes with an Entity',
    ],
    [
      'what is of grids',
      wizard('<Step Name="Who"><Field Name="CustomerId" ¦Searchable="true"/></Step>'),
      'Searchable does not belong to a wizard’s step',
    ],
    [
      'a condition on a field that no step has',
      wizard('<Step Name="Who"><Field Name="CustomerId" ¦RequiredWhen="Fone eq 1"/></Step>'),
      'RequiredWhen: The wizard has no field Fone',
    ],
    [
      'a finish by a name that is not there',
      wizard(`${FIRST}<Finish><Sql>UPDATE orders SET Phone = ¦@Fone</Sql></Finish>`),
      'There is no parameter @Fone',
    ],
    [
      'what is said of rows',
      wizard(`${FIRST}¦<Section Label="Rows"/>`),
      'Section does not belong to a wizard: it has no rows',
    ],
    [
      'a rule for a field that no step has',
      wizard(FIRST) +
        '<Rbac Name="More"><Role Name="Lead"><Grant Resource="NewOrder" Verbs="Create"/>' +
        '<FieldRule Resource="NewOrder" ¦Field="CustomrId" Access="Hidden"/></Role></Rbac>',
      'Field: NewOrder has no field CustomrId; did you mean CustomerId?',
    ],
    [
      'an argument that is no field of the wizard',
      wizard(FIRST) +
        '<Navbar Name="main"><Item Name="New" Wizard="new-order"/></Navbar>' +
        '<ObjectView Name="Others" Entity="Order">' +
        '<RowAction Name="Again" Wizard="new-order" ¦With="CustomrId=CustomerId"/></ObjectView>',
      'With: NewOrder has no field CustomrId; did you mean CustomerId?',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) =>
    expectFault(text.startsWith('<ObjectView') ? `<Model>${text}</Model>` : text, message),
  )
})

test('an entity gives the fields that a form of a new record would write', async () => {
  const text = wizard(
    '<Step Name="Who" Entity="Customer"><Field Name="Active" Label="Works"/></Step>' +
      '<Step Name="Lines" Entity="OrderLine" Only="true" Repeat="true" Max="5"><Field Name="Quantity"/></Step>',
  )
  const model = await compileSound({ 'shop.xml': SHOP, 'case.xml': text })
  const steps = model.views.get('NewOrder')?.wizard?.steps ?? []
  const [who, lines] = steps
  expect(who?.fields[0]).toMatchObject({ name: 'Active', label: 'Works', type: 'Boolean' })
  const names = who?.fields.map(({ name }) => name) ?? []
  expect(names).toContain('Name')
  expect(names).not.toContain('Id')
  expect(names).not.toContain('CompanyId')
  expect([lines?.kind, lines?.max, lines?.fields.map(({ name }) => name)]).toEqual([
    'List',
    5,
    ['Quantity'],
  ])
})
