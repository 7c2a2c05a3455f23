import { describe, test } from 'bun:test'
import { expectFault, type FaultCase, thing } from '../support/compile-text.ts'

describe('columns', () => {
  const cases: FaultCase[] = [
    [
      'a name that requests use',
      thing('<Column ¦Name="RowVersion" Type="Integer"/>'),
      'RowVersion is a name that the engine uses: choose another',
    ],
    [
      'a context parameter as a name',
      thing('<Column ¦Name="TimeZone" Type="Text"/>'),
      '@TimeZone is a context parameter, so no column can be called TimeZone',
    ],
    [
      'the parameter of a user attribute as a name',
      thing('<Column ¦Name="user_region" Type="Text"/>'),
      '@user_region is the user attribute Region, so no column can be called user_region',
    ],
    [
      'the parameter of a sequence as a name',
      thing('<Column ¦Name="Next_OrderNumber" Type="Text"/>'),
      '@Next_OrderNumber is the Sequence OrderNumber, so no column can be called Next_OrderNumber',
    ],
    [
      'a user attribute in another spelling',
      thing('<Column Name="Code"/><Validate Message="m">SELECT ¦@user_region</Validate>'),
      'Write @User_Region for @user_region',
    ],
    [
      'two columns but for case',
      thing('<Column Name="Code"/>\n  <Column ¦Name="code"/>'),
      'There are two columns code',
    ],
    [
      'no key',
      '\n¦<Entity Name="Thing" Table="things"><Column Name="Code"/></Entity>',
      'The Entity has no key: give a Column Key="true"',
    ],
    [
      'a reference to nothing',
      thing('<Column Name="OwnerId" ¦References="Costumer"/>'),
      'There is no Entity Costumer; did you mean Customer?',
    ],
    [
      'a reference to a key of two columns',
      thing('<Column Name="LineId" ¦References="OrderLine"/>'),
      'OrderLine has a key of several columns, so it cannot be referred to',
    ],
    [
      'a former value of no column',
      thing(
        '<Column Name="Price" Type="Decimal"/><Validate Message="m">SELECT ¦@Old_Prise</Validate>',
      ),
      '@Old_Prise names no column of the record; did you mean Old_Price?',
    ],
    [
      'a former value in another spelling',
      thing('<Column Name="A"/><Validate Message="m">SELECT ¦@isNew</Validate>'),
      'Write @IsNew for @isNew',
    ],
    [
      'a type that is not the referenced key’s',
      thing('<Column Name="CustomerId" References="Customer" ¦Type="Text"/>'),
      'Type Text is not the type of the key of Customer, Integer: leave Type out',
    ],
    [
      'SetNull on what is required',
      thing(
        '<Column Name="CustomerId" References="Customer" Required="true" ¦OnDelete="SetNull"/>',
      ),
      'OnDelete="SetNull" cannot empty a Required column',
    ],
    [
      'a scale where there are no places',
      thing('<Column Name="Count" Type="Integer" ¦Scale="2"/>'),
      'Scale does not belong to the type Integer',
    ],
    [
      'a default that is no value of the type',
      thing('<Column Name="Day" Type="Date" ¦Default="31.12.2026"/>'),
      'Default "31.12.2026" is not a valid Date: must be a date (YYYY-MM-DD)',
    ],
    [
      'a default that is no option',
      thing('<Column Name="State" ¦Default="nwe"><Option Value="new"/></Column>'),
      'Default "nwe" is not one of the options; did you mean new?',
    ],
    [
      'a default of another type',
      thing('<Column Name="At" Type="DateTime" ¦Default="@Today"/>'),
      'Default: @Today is of type Date, and this of type DateTime',
    ],
    [
      'a default that no text can take',
      thing('<Column Name="By" Type="Text" ¦Default="@CurrentUserId"/>'),
      'Default: @CurrentUserId is of type Integer, and this of type Text',
    ],
    [
      'a default that is no context parameter',
      thing('<Column Name="Owner" Type="Integer" ¦Default="@CurentUserId"/>'),
      'Default: There is no parameter @CurentUserId; did you mean CurrentUserId?',
    ],
    [
      'Min above Max',
      thing('<Column Name="Count" Type="Integer" ¦Min="10" Max="9"/>'),
      'Min is above Max',
    ],
    [
      'a pattern that could stall',
      thing('<Column Name="Code" ¦Pattern="(?=a)b"/>'),
      'Pattern is not a regular expression that runs in linear time: error parsing regexp: ' +
        'invalid or unsupported Perl syntax: `(?=`',
    ],
    [
      'a sequence that is not there',
      thing('<Column Name="Number" ¦Sequence="OrderNumbr"/>'),
      'There is no Sequence OrderNumbr; did you mean OrderNumber?',
    ],
    [
      'a compute with two output columns',
      thing('<Column Name="Sum" Type="Integer"><Compute>¦SELECT 1, 2</Compute></Column>'),
      'This query must have one output column',
    ],
    [
      'a compute that names what the record has not',
      thing(
        '<Column Name="Sum" Type="Integer">' +
          '<Compute>SELECT count(*) FROM things WHERE Id = ¦@Idd</Compute></Column>',
      ),
      'There is no parameter @Idd; did you mean Id?',
    ],
    [
      'a compute of a shared record from what is a company’s own',
      thing(
        '<Column Name="Sum" Type="Integer">' +
          '¦<Compute>SELECT count(*) FROM orders WHERE CustomerId = @Id</Compute></Column>',
      ),
      "Thing is shared by all companies and Order is a company's own, so Sum would depend on " +
        'who wrote last: select it in a TableQuery, or give Thing a Company',
    ],
    [
      'a key that counts itself and is no number',
      '<Entity Name="Thing" Table="things">' +
        '<Column Name="Code" Type="Text" Key="true" ¦Identity="true"/></Entity>',
      'Identity is for a single Key of type Integer',
    ],
    [
      'a column that counts itself beside the key',
      thing('<Column Name="Number" Type="Integer" ¦Identity="true"/>'),
      'Identity is for a single Key of type Integer',
    ],
    [
      'a least value of a text',
      thing('<Column Name="Code" ¦Min="3"/>'),
      'Min does not belong to the type Text',
    ],
    [
      'a message of no pattern',
      thing('<Column Name="Code" ¦PatternMessage="Letters only"/>'),
      'PatternMessage goes with a Pattern',
    ],
    [
      'a default of what is computed',
      thing('<Column Name="Sum" Type="Integer" ¦Default="0"><Compute>SELECT 1</Compute></Column>'),
      'Sum is computed, so its Default would never be seen: leave it out',
    ],
    [
      'a default of what is numbered',
      thing(
        '<Column Name="Code" Sequence="Codes" ¦Default="x"/><Sequence Name="Codes" Format="{#}"/>',
      ),
      'Code is numbered by its Sequence, so its Default would never be seen',
    ],
    [
      'a former name that is a column now',
      thing('<Column Name="Code"/><Column Name="Label" ¦Was="code"/>'),
      'Was="code" names a column that still exists',
    ],
    [
      'a column in the place of one that the engine adds',
      thing('<Column ¦Name="CreatedAt" Type="Date"/>', ' Tracking="true"'),
      'CreatedAt is added by the engine: leave it out',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))
})

describe('entities', () => {
  const cases: FaultCase[] = [
    [
      'the built-in name',
      '<Entity ¦Name="User" Table="people"><Column Name="Id" Key="true"/></Entity>',
      'User is the built-in entity: choose another Name',
    ],
    [
      'a table of the engine',
      '<Entity Name="Thing" ¦Table="svc_things"><Column Name="Id" Key="true"/></Entity>',
      'Table svc_things: names that begin with svc_ or sqlite_ are reserved',
    ],
    [
      'a table that another entity has',
      '<Entity Name="Thing" ¦Table="Orders"><Column Name="Id" Key="true"/></Entity>',
      'Table Orders is also that of the Entity Order (shop.xml:11:3)',
    ],
    [
      'a company column that is not there',
      thing('<Column Name="CompanyId" Type="Integer"/>', ' ¦Company="CompnyId"'),
      'Company: Thing has no column CompnyId; did you mean CompanyId?',
    ],
    [
      'a company column that holds no id',
      thing('<Column Name="CompanyId" ¦Type="Text"/>', ' Company="CompanyId"'),
      'The Company column holds a company id: it is an Integer',
    ],
    [
      'a tree over another entity',
      thing('<Column Name="Above" ¦References="Customer"/>', ' Parent="Above"'),
      'The Parent column must have References="Thing"',
    ],
    [
      'a period that is no date',
      thing('<Column Name="Made" ¦Type="Integer"/>', ' Period="Made"'),
      'The Period column says when a record counts: it is a Date or a DateTime',
    ],
    [
      'an index over nothing',
      thing('<Column Name="Code"/>\n  <Index ¦Columns="Cod"/>'),
      'Columns: Thing has no column Cod; did you mean Code?',
    ],
    [
      'an index that depends on the caller',
      thing('<Column Name="Code"/><Index Columns="Code" Where="Code = ¦@CurrentUserName"/>'),
      'The Where of an Index cannot name the parameter @CurrentUserName',
    ],
    [
      'a sequence without its number',
      thing('<Sequence Name="Things" ¦Format="T-{yyyy}"/>'),
      'Format: it needs its number exactly once, as in {#####}',
    ],
    [
      'a sequence of an unknown token',
      thing('<Sequence Name="Things" ¦Format="T-{YYYY}-{##}"/>'),
      'Format: {YYYY} must be one of: {yyyy} {yy} {MM} {dd} {#} {Company} {Field:Name}',
    ],
    [
      'a second sequence of a name',
      thing('<Sequence ¦Name="OrderNumber" Format="{##}"/>'),
      'Sequence OrderNumber is also declared in Order (shop.xml:11:3)',
    ],
    [
      'a rule on no field',
      thing('<Validate ¦Field="Cod" Message="x">SELECT 1</Validate>'),
      'Field: Thing has no field Cod',
    ],
    [
      'a rule that compares what does not compare',
      thing(
        '<Column Name="Day" Type="Date"/><Column Name="Count" Type="Integer"/>\n' +
          '<Validate Field="Day" Operator="ge" ¦Compare="Count" Message="x"/>',
      ),
      'Day is of type Date and Count of type Integer: they do not compare',
    ],
    [
      'a rule with two output columns',
      thing('<Validate Message="x">¦SELECT 1, 2</Validate>'),
      'This query must have one output column',
    ],
    [
      'an event that nothing raises',
      thing('<On ¦Event="create"><Dispatch Type="refreshTable"/></On>'),
      'create is not an event of Thing: use created, updated, deleted or a row action; ' +
        'did you mean created?',
    ],
    [
      'a change of what is no column',
      thing('<On Event="updated" ¦Changed="Id Stat"><Dispatch Type="refreshTable"/></On>'),
      'Stat is not a column of Thing',
    ],
    [
      'a change that no event of a deleted record sees',
      thing('<On Event="deleted" ¦Changed="Id"><Dispatch Type="refreshTable"/></On>'),
      'A deleted record has no changes: leave Changed out',
    ],
    [
      'a condition on what no column held',
      thing(
        '<On Event="updated" When="Id &lt;&gt; ¦@Old_Ids"><Dispatch Type="refreshTable"/></On>',
      ),
      '@Old_Ids names no column of the record; did you mean Old_Id?',
    ],
    [
      'an event that does nothing',
      thing('¦<On Event="created"/>'),
      'An On without effects does nothing',
    ],
    [
      'a former name that is an entity now',
      thing('', ' ¦Was="Customer"'),
      'Was="Customer" names an entity that still exists',
    ],
    [
      'a fill that is no expression over the row',
      thing('<Column Name="Code" Required="true" Fill="¦SELECT 1"/>'),
      'A condition is an expression: put a SELECT in brackets',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))
})
