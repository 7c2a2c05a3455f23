import { describe, test } from 'bun:test'
import { expectFault, type FaultCase, orders } from '../support/compile-text.ts'

describe('views', () => {
  const query = 'SELECT o.Id, o.Number, o.RowVersion, c.Name AS Customer FROM orders o'
  const join = 'JOIN customers c ON c.Id = o.CustomerId'
  const cases: FaultCase[] = [
    [
      'neither entity nor query',
      '¦<ObjectView Name="Orders"/>',
      'An ObjectView needs an Entity or a TableQuery',
    ],
    [
      'an entity that is not there',
      '<ObjectView Name="Orders" ¦Entity="Ordr"/>',
      'There is no Entity Ordr; did you mean Order?',
    ],
    [
      'a query without the key',
      orders('¦<TableQuery>SELECT Number, RowVersion FROM orders</TableQuery>'),
      'The TableQuery does not return Id, the key of Order: add orders.Id',
    ],
    [
      'a query with another table’s key',
      orders(`¦<TableQuery>SELECT c.Id, o.RowVersion FROM orders o ${join}</TableQuery>`),
      'The TableQuery does not return Id, the key of Order: add orders.Id',
    ],
    [
      'a query with one name twice',
      orders(
        '<TableQuery>SELECT Id, Number, RowVersion, Status AS ¦number FROM orders</TableQuery>',
      ),
      'Two output columns are named number: give one of them another name by AS',
    ],
    [
      'a misspelt column, lines below and behind an entity',
      orders(`<TableQuery>
    SELECT Id, RowVersion FROM orders
    WHERE Total &lt; 1000 AND ¦Statsu = 'new'
  </TableQuery>`),
      'No column is named Statsu here; the nearest is Status',
    ],
    [
      'a misspelt column in CDATA',
      orders(
        '<TableQuery><![CDATA[SELECT Id, RowVersion FROM orders WHERE 1<¦Nmber]]></TableQuery>',
      ),
      'No column is named Nmber here; the nearest is Number',
    ],
    [
      'a context parameter in another case',
      orders(
        '<TableQuery>SELECT Id, RowVersion FROM orders WHERE Id = ¦@currentUserId</TableQuery>',
      ),
      'Write @CurrentUserId for @currentUserId',
    ],
    [
      'a mistyped context parameter, which a request could set',
      orders(
        '<TableQuery>SELECT Id, RowVersion FROM orders WHERE Id = ¦@CurentUserId</TableQuery>',
      ),
      'There is no parameter @CurentUserId; did you mean CurrentUserId?',
    ],
    [
      'a mistyped context parameter of a FormQuery',
      orders('<FormQuery>SELECT * FROM orders WHERE Id = ¦@CurentUserId</FormQuery>'),
      'There is no parameter @CurentUserId; did you mean CurrentUserId?',
    ],
    [
      'an attribute without its prefix',
      orders(
        '<TableQuery>SELECT Id, RowVersion FROM orders WHERE Status = ¦@UserRegion</TableQuery>',
      ),
      'There is no parameter @UserRegion; did you mean User_Region?',
    ],
    [
      'a column that the query does not put out',
      orders('<TableQuery>SELECT Id, RowVersion FROM orders WHERE Total > ¦@Total</TableQuery>'),
      'There is no parameter @Total',
    ],
    [
      'a mistyped Parameter',
      orders(
        '<Parameter Name="AsOf" Type="Date"/><TableQuery>SELECT Id, RowVersion FROM orders ' +
          'WHERE DueOn > ¦@AsOff</TableQuery>',
      ),
      'There is no parameter @AsOff; did you mean AsOf?',
    ],
    [
      'a Parameter of a context name',
      orders('<Parameter ¦Name="currentUserId"/>'),
      '@currentUserId is a context parameter: choose another name',
    ],
    [
      'a Parameter of an output column’s name',
      orders('<Parameter ¦Name="status"/>'),
      'status is an output column: it filters and binds by itself',
    ],
    [
      'a Parameter whose Default does not fit',
      orders('<Parameter Name="AsOf" Type="Date" ¦Default="soon"/>'),
      'Default "soon" is not a valid Date: must be a date (YYYY-MM-DD)',
    ],
    [
      'a user attribute that is not declared',
      orders(
        '<TableQuery>SELECT Id, RowVersion FROM orders WHERE Status = ¦@User_Regin</TableQuery>',
      ),
      '@User_Regin names no declared user attribute: ' +
        'declare <UserAttribute Name="Regin"/> in Rbac; did you mean Region?',
    ],
    [
      'a number drawn by a query',
      orders(
        '<TableQuery>SELECT Id, RowVersion, ¦@Next_OrderNumber AS Next FROM orders</TableQuery>',
      ),
      '@Next_OrderNumber draws a number: only statements that write may name it',
    ],
    [
      'a field that is no column',
      orders('<Field ¦Name="Numbr"/>'),
      'There is no column Numbr; did you mean Number?',
    ],
    [
      'a field that is no output column',
      orders(`<TableQuery>${query} ${join}</TableQuery>\n  <Field ¦Name="Custom"/>`),
      'There is no output column Custom; did you mean Customer?',
    ],
    [
      'a field that keeps blanks, of a column that does not',
      orders('<Field Name="Status" ¦Blanks="Keep"/>'),
      'Blanks of Status is set at its Column: a Field cannot change that',
    ],
    [
      'a field of another type than its column',
      orders('<Field Name="Total" ¦Type="Text"/>'),
      'Total is of type Decimal in its Entity: a Field cannot change that',
    ],
    [
      'a writable field that no statement writes',
      orders(`<TableQuery>${query} ${join}</TableQuery><Field Name="Number"/>
  <Field Name="Customer" ¦ReadOnly="false"/>`),
      'Customer is not a column of Order: only an authored Insert or Update can write it',
    ],
    [
      'a writable field that the engine gives',
      orders('<Field Name="Total" ¦ReadOnly="false"/>'),
      'Total is set by the engine: it cannot be written',
    ],
    [
      'a sort by nothing',
      '<ObjectView Name="Orders" Entity="Order" ¦Sort="OrderdAt desc"/>',
      'Sort: Orders has no field OrderdAt; did you mean OrderedAt?',
    ],
    [
      'a board by nothing',
      orders('<Board ¦GroupBy="Statsu" Title="Number"/>'),
      'GroupBy: Orders has no field Statsu; did you mean Status?',
    ],
    [
      'a board by what has no columns',
      orders('<Board ¦GroupBy="Number" Title="Number"/>'),
      'GroupBy of Board takes a field with options, a reference or a Boolean, which Number is not',
    ],
    [
      'a calendar of what has no days',
      orders('<Calendar ¦From="Total" Title="Number"/>'),
      'From of Calendar takes a Date or a DateTime, which Total is not',
    ],
    [
      'a calendar in the tones of no options',
      orders('<Calendar From="DueOn" Title="Number" ¦Tone="CustomerId"/>'),
      'Tone of Calendar takes a field with options, which CustomerId is not',
    ],
    [
      'a gallery of texts',
      orders('<Gallery ¦Image="Phone" Title="Number"/>'),
      'Image of Gallery takes a File, which Phone is not',
    ],
    [
      'a header of what is not served',
      orders('<Field Name="Phone" In="None"/><Header ¦Fields="Status Phone"/>'),
      'Phone is not served (In="None"): no Header may show it',
    ],
    [
      'a search in nothing',
      orders('<Search Title="Number" ¦Text="Phon"/>'),
      'Text: Orders has no field Phon; did you mean Phone?',
    ],
    [
      'a condition of a field that is not there',
      orders('<Field Name="DueOn" ¦RequiredWhen="Statsu eq done"/>'),
      'RequiredWhen: Orders has no field Statsu; did you mean Status?',
    ],
    [
      'a condition with a value that is no option',
      orders('<Field Name="DueOn" ¦VisibleWhen="Status in new don"/>'),
      'VisibleWhen: "don" is not an option of Status; did you mean done?',
    ],
    [
      'a text operator on a number',
      orders('<Field Name="DueOn" ¦RequiredWhen="Total contains 1"/>'),
      'RequiredWhen: contains is for texts, and Total is of type Decimal',
    ],
    [
      'a list of keys that names no entity',
      orders('<Field Name="Tags" ¦Multiple="true"/>'),
      'Multiple is a list of keys: name the entity between in Through',
    ],
    [
      'a dataset without labels',
      orders(
        '<Field Name="Phone">¦<DataSet>SELECT Phone AS Value FROM customers</DataSet></Field>',
      ),
      'The DataSet has no output column Label: write AS Label',
    ],
    [
      'a dataset that depends on nothing',
      orders(`<Field Name="Phone">
    <DataSet ¦DependsOn="Custom">SELECT Phone AS Value, Name AS Label FROM customers</DataSet>
  </Field>`),
      'DependsOn: there is no Custom',
    ],
    [
      'a lookup in no view',
      orders('<Field Name="CustomerId"><Lookup ¦View="Custumers"/></Field>'),
      'There is no ObjectView Custumers; did you mean Customers?',
    ],
    [
      'a lookup that fills from nothing',
      orders('<Field Name="CustomerId"><Lookup View="Customers" ¦Fill="Phone=Phon"/></Field>'),
      'Fill: Customers has no field Phon; did you mean Phone?',
    ],
    [
      'a lookup in a view with a key of two columns',
      orders('<Field Name="Phone" ¦Lookup="OrderLines"/>'),
      'OrderLines cannot be looked up: its key is not one column',
    ],
    [
      'a lookup in the records of another entity',
      orders('<Field Name="CustomerId" ¦Lookup="Orders"/>'),
      'Lookup: Orders shows Order, but CustomerId refers to Customer',
    ],
    [
      'a middle entity that needs what nobody gives',
      `<Model>
  <Entity Name="Tag"><Column Name="Code" Key="true"/></Entity>
  <Entity Name="OrderTag"><Column Name="OrderId" References="Order" Key="true"/>
    <Column Name="TagCode" References="Tag" Key="true"/><Column Name="Rank" Required="true"/></Entity>
  ${orders('<Field Name="Tags" ¦Through="OrderTag"/>')}
</Model>`,
      'Through: OrderTag.Rank is required and has no Default, so no row can be written',
    ],
    [
      'a lookup condition on what its view has not',
      orders('<Field Name="CustomerId"><Lookup View="Customers" Where="¦Actve = 1"/></Field>'),
      'No column is named Actve here; the nearest is Active',
    ],
    [
      'a preset on what the view has not',
      orders('<Preset Name="Open" Where="1 &lt; 2 AND ¦Stat = 1"/>'),
      'No column is named Stat here',
    ],
    [
      'two default presets',
      orders(
        '<Preset Name="A" Where="1" Default="true"/>\n' +
          '<Preset Name="B" Where="1" ¦Default="true"/>',
      ),
      'Another Preset is already the Default: only one can be',
    ],
    [
      'a permit of an undeclared capability',
      orders('<Permit ¦Capability="Aprove" When="1"/>'),
      'There is no Capability Aprove: declare <Capability Name="Aprove"/> in Rbac; ' +
        'did you mean Approve?',
    ],
    [
      'a capability permitted twice',
      orders(
        '<Permit Capability="Update" When="1"/>\n  <Permit ¦Capability="Update Delete" When="1"/>',
      ),
      'Update has a Permit already: join the conditions by AND',
    ],
    [
      'a detail on a field that the other view has not',
      orders('<Detail View="OrderLines" ¦Parent="OrdrId=Id"/>'),
      'Parent: OrderLines has no field OrdrId; did you mean OrderId?',
    ],
    [
      'a detail on a field that this view has not',
      orders('<Detail View="OrderLines" ¦Parent="OrderId=Ident"/>'),
      'Parent: Orders has no field Ident',
    ],
    [
      'an authored statement that reads',
      orders('<Delete>¦SELECT 1</Delete>'),
      'It opens with INSERT, UPDATE or DELETE',
    ],
    [
      'a step outside of a wizard',
      orders('¦<Step Name="First"/>'),
      'Step belongs to a view with ViewType="Wizard"',
    ],
    [
      'a reserved slug',
      '<ObjectView Name="Orders" ¦Slug="list" Entity="Order"/>',
      'list is a reserved address: give the view another Name or Slug',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))
})
