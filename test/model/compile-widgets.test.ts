/** Widgets of report pages: what the compiler knows of their columns, and what it refuses. */
import { describe, expect, test } from 'bun:test'
import { compileModel } from '../../src/model/compile/compile.ts'
import type { Report } from '../../src/model/compiled/report.ts'
import { planStructure } from '../../src/engine/report-pages/structure.ts'
import {
  compileSound,
  compileTexts,
  expectFault,
  type FaultCase,
  parseScripts,
} from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'

const report = (widgets: string, name = 'Sales'): string => `<Report Name="${name}">
<Filters><Filter Name="From" Type="Date"/><Filter Name="Region"/></Filters>
<DataSets>
<DataSet Name="Orders"><Sql>SELECT o.Id, o.Number, o.Status, o.DueOn, o.Total, o.Total - 5 AS Margin, c.Region, c.Name AS Customer, json_extract(o.Phone, '$') AS Odd FROM orders o JOIN customers c ON c.Id = o.CustomerId</Sql></DataSet>
<DataSet Name="Before" Mode="Single"><Sql>SELECT sum(Total) AS Total FROM orders</Sql></DataSet>
</DataSets>
<Widgets>
${widgets}
</Widgets>
</Report>`

async function compileReport(widgets: string, more = ''): Promise<Report> {
  const body = `<Model>${report(widgets)}${more}</Model>`
  const { reports } = await compileSound({ 'shop.xml': SHOP, 'a.xml': body })
  const found = reports.get('Sales')
  if (!found) throw new Error('The report is not there')
  return found
}

const describeFirst = async (widgets: string, language = 'en', more = '') =>
  planStructure(await compileReport(widgets, more), language).Widgets[0]

describe('the structure of a widget', () => {
  test('has the types, labels, options and units of the table’s columns', async () => {
    const widget = await describeFirst(
      `<Widget Name="W" Kind="Table" DataSet="Orders"><Series Column="total" Function="sum"/>
      <Series Column="Margin" Label="Gain"/><Series Column="Customer"/><Series Column="Odd"/>
      <Series Column="Status"/><Series Column="DueOn"/><Series Column="Id" Type="Text"/></Widget>`,
    )
    const plain = { Scale: null, Options: [], Format: null, Unit: null }
    const series = { Kind: null, Axis: 'Primary', Function: null }
    expect(widget?.Series).toEqual([
      {
        ...plain,
        Column: 'Total',
        Label: 'Total',
        Type: 'Decimal',
        Scale: 2,
        Unit: 'EUR',
        ...series,
        Function: 'sum',
      },
      { ...plain, Column: 'Margin', Label: 'Gain', Type: 'Decimal', ...series },
      { ...plain, Column: 'Customer', Label: 'Customer', Type: 'Text', ...series },
      { ...plain, Column: 'Odd', Label: 'Odd', Type: 'Text', ...series },
      {
        ...plain,
        Column: 'Status',
        Label: 'Status',
        Type: 'Text',
        ...series,
        Options: [
          { Value: 'new', Label: 'new' },
          { Value: 'done', Label: 'done' },
        ],
      },
      { ...plain, Column: 'DueOn', Label: 'Due on', Type: 'Date', ...series },
      { ...plain, Column: 'Id', Label: 'Id', Type: 'Text', ...series },
    ])
  })

  test('has all columns of a chart without a Series, and the first of a Kpi', async () => {
    const { Widgets } = planStructure(
      await compileReport(`<Widget Name="B" Kind="Bar" DataSet="Orders" Category="Region"/>
        <Widget Name="L" Kind="Line" DataSet="Orders"/>
        <Widget Name="K" Kind="Kpi" DataSet="Before"/>
        <Widget Name="T" Kind="Table" DataSet="Before"/>
        <Widget Name="X" Kind="Text" Text="Hello"/>`),
      'en',
    )
    const namesOf = (at: number) => Widgets[at]?.Series.map(({ Column }) => Column)
    expect(Widgets.map(({ Category }) => Category)).toEqual(['Region', 'Id', null, null, null])
    expect(Widgets[0]?.CategoryColumn).toMatchObject({
      Column: 'Region',
      Type: 'Text',
      Options: [{ Value: 'north', Label: 'North' }, { Value: 'south' }],
    })
    expect(namesOf(0)).not.toContain('Region')
    expect(namesOf(0)).toHaveLength(8)
    expect(namesOf(1)).not.toContain('Id')
    expect([2, 3, 4].map(namesOf)).toEqual([['Total'], ['Total'], []])
  })

  test('says comparison, course, groups, formats and what it opens', async () => {
    const structure = planStructure(
      await compileReport(
        `<Widget Name="K" Kind="Kpi" DataSet="Before">
          <Compare DataSet="Orders" Column="Margin" Label="last year" Better="down"/>
          <Sparkline DataSet="Orders" Column="total" Category="DueOn"/>
          <Format When="Total lt 0" Tone="bad" Label="Loss"/></Widget>
        <Widget Name="T" Kind="Table" DataSet="Orders"><Group Column="Region" Break="true"/>
          <Series Column="Total" Function="avg"/>
          <Format Column="margin" When="Odd ge 5" Tone="good"/>
          <Format When="Status in new done" Tone="muted"/>
          <Drill Report="Other" With="From=DueOn Region"/></Widget>
        <Widget Name="P" Kind="Pivot" DataSet="Orders" Totals="false"><Group Column="Region"/>
          <Group Column="DueOn" On="Columns"/><Series Column="Total"/>
          <Drill Object="Customers" With="Region=Region"/></Widget>
        <Widget Name="S" Kind="Area" DataSet="Orders" Stacked="true">
          <Series Column="Total" Kind="Line" Axis="Secondary"/></Widget>`,
        report('', 'Other'),
      ),
      'en',
    )
    const [kpi, table, pivot, area] = structure.Widgets
    expect(kpi?.Compare).toMatchObject({
      DataSet: 'Orders',
      Column: 'Margin',
      Label: 'last year',
      Type: 'Decimal',
      Better: 'down',
    })
    expect(kpi?.Sparkline).toEqual({ DataSet: 'Orders', Column: 'Total', Category: 'DueOn' })
    expect(kpi?.Formats).toEqual([
      {
        When: { Field: 'Total', Operator: 'lt', Value: '0', Type: 'Decimal' },
        Column: null,
        Tone: 'bad',
        Label: 'Loss',
      },
    ])
    expect(table?.Groups).toMatchObject([{ Column: 'Region', On: 'Rows', Break: true }])
    expect(table?.Formats).toMatchObject([
      { Column: 'Margin', When: { Field: 'Odd', Type: 'Decimal' } },
      { When: { Operator: 'in', Value: 'new done', Type: 'Text' }, Tone: 'muted' },
    ])
    expect(table?.Drill).toEqual({
      Kind: 'Report',
      ReportKind: 'Page',
      Target: 'Other',
      With: 'From=DueOn Region',
    })
    expect(pivot).toMatchObject({
      Totals: false,
      Drill: { Kind: 'Object', Target: 'Customers' },
      Groups: [{ On: 'Rows' }, { On: 'Columns', Type: 'Date' }],
      Series: [{ Column: 'Total', Function: 'sum' }],
    })
    expect(area).toMatchObject({ Stacked: true, Series: [{ Kind: 'Line', Axis: 'Secondary' }] })
  })

  test('has each text in the language of the request', async () => {
    const widgets = `<Widget Name="K" Kind="Kpi" Label="Sold" DataSet="Before">
        <Series Column="Total" Unit="pounds"/><Compare Column="Total" Label="last year"/>
        <Format When="Total lt 0" Tone="bad" Label="Loss"/></Widget>
      <Widget Name="T" Kind="Table" DataSet="Orders"><Group Column="Region" Label="Area"/>
        <Series Column="Margin"/></Widget>
      <Widget Name="B" Kind="Bar" DataSet="Orders" CategoryLabel="When"/>`
    const german = `<Texts Language="de"><Text Of="Sales.From">Von</Text>
      <Text Of="Sales.K">Verkauft</Text><Text Of="Sales.K.Total.Unit">Pfund</Text>
      <Text Of="Sales.K.last year">Vorjahr</Text><Text Of="Sales.K.Loss">Verlust</Text>
      <Text Of="Sales.T.Region">Gebiet</Text><Text Of="Sales.T.Margin">Marge</Text>
      <Text Of="Sales.B.CategoryLabel">Wann</Text><Text Of="Order.Total">Summe</Text>
      <Text Of="Customer.Region.north">Nord</Text></Texts>`
    const made = planStructure(await compileReport(widgets, german), 'de')
    const [kpi, table, bar] = made.Widgets
    expect(made.Filters[0]?.Label).toBe('Von')
    expect(kpi).toMatchObject({
      Label: 'Verkauft',
      Series: [{ Label: 'Total', Unit: 'Pfund' }],
      Compare: { Label: 'Vorjahr' },
      Formats: [{ Label: 'Verlust' }],
    })
    expect(table?.Groups[0]).toMatchObject({
      Label: 'Gebiet',
      Options: [{ Label: 'Nord' }, { Label: 'south' }],
    })
    expect(table?.Series[0]?.Label).toBe('Marge')
    expect(bar?.CategoryColumn?.Label).toBe('Wann')
    expect(bar?.Series.find(({ Column }) => Column === 'Total')?.Label).toBe('Summe')
  })

  test('has no text where neither it nor the table’s column has one', async () => {
    const widget = `<Widget Name="T" Kind="Table" DataSet="Orders"><Series Column="Margin"/>
      <Series Column="Total"/></Widget>`
    const texts = '<Texts Language="de"><Text Of="Sales">Verkauf</Text></Texts>'
    const body = `<Model>${report(widget)}${texts}</Model>`
    const { untranslated } = await compileModel(
      await parseScripts({ 'shop.xml': SHOP, 'a.xml': body }),
    )
    const ofWidget = untranslated().filter(({ message }) => message.startsWith('Sales.T.'))
    expect(ofWidget.map(({ message }) => message)).toEqual(['Sales.T.Margin has no text in de'])
  })
})

describe('what a widget names', () => {
  const widget = (kind: string, attributes: string, inner = ''): string =>
    report(`<Widget Name="W" Kind="${kind}" ${attributes}>${inner}</Widget>`)
  const table = (inner: string): string => widget('Table', 'DataSet="Orders"', inner)
  const cases: FaultCase[] = [
    [
      'a series of no column',
      table('<Series ¦Column="Totl"/>'),
      'Column: the DataSet has no column Totl; did you mean Total?',
    ],
    [
      'a group of no column',
      table('<Group ¦Column="Regio"/>'),
      'Column: the DataSet has no column Regio; did you mean Region?',
    ],
    [
      'a category of no column',
      widget('Bar', 'DataSet="Orders" ¦Category="Dueon2"'),
      'Category: the DataSet has no column Dueon2; did you mean DueOn?',
    ],
    [
      'a condition on no column',
      table('<Format ¦When="Margn lt 0" Tone="bad"/>'),
      'When: The DataSet Orders has no column Margn; did you mean Margin?',
    ],
    [
      'a condition by a value that is none',
      table('<Format ¦When="DueOn lt 5x" Tone="bad"/>'),
      'When: "5x" is not a valid Date',
    ],
    [
      'a condition by a word that means no day',
      table('<Format ¦When="DueOn lt todey" Tone="bad"/>'),
      'When: "todey" is not a date word; did you mean today?',
    ],
    [
      'a condition by no option',
      table('<Format ¦When="Status eq nwe" Tone="bad"/>'),
      'When: "nwe" is not an option of Status; did you mean new?',
    ],
    [
      'a text condition on a number',
      table('<Format ¦When="Total contains 5" Tone="bad"/>'),
      'When: contains is for texts, and Total is of type Decimal',
    ],
    [
      'a format of no column',
      table('<Format When="Total lt 0" Tone="bad" ¦Column="Sum"/>'),
      'Column: the DataSet has no column Sum',
    ],
    [
      'a comparison with no dataset',
      widget('Kpi', 'DataSet="Before"', '<Compare Column="Total" ¦DataSet="Bfore"/>'),
      'There is no DataSet Bfore; did you mean Before?',
    ],
    [
      'a comparison with no column',
      widget('Kpi', 'DataSet="Before"', '<Compare ¦Column="Margin"/>'),
      'Column: the DataSet has no column Margin',
    ],
    [
      'a course of no column',
      widget(
        'Kpi',
        'DataSet="Before"',
        '<Sparkline DataSet="Orders" Column="Total" ¦Category="Month"/>',
      ),
      'Category: the DataSet has no column Month',
    ],
    [
      'a pivot without groups',
      report('<Widget Name="W" ¦Kind="Pivot" DataSet="Orders"><Series Column="Total"/></Widget>'),
      'A Pivot needs a Group',
    ],
    [
      'a pivot without values',
      report('<Widget Name="W" ¦Kind="Pivot" DataSet="Orders"><Group Column="Region"/></Widget>'),
      'A Pivot needs a Series: the values in its cells',
    ],
    [
      'a sparkline of nothing',
      report('<Widget Name="W" ¦Kind="Sparkline"/>'),
      'A Sparkline needs a DataSet',
    ],
    [
      'a stacked line',
      widget('Line', 'DataSet="Orders" ¦Stacked="true"'),
      'Stacked does not belong to a Line',
    ],
    [
      'a view without that preset',
      report('<Widget Name="W" Kind="View" View="Customers" ¦Preset="Opn"/>'),
      'Customers has no Preset Opn',
    ],
    [
      'a table with a preset',
      widget('Table', 'DataSet="Orders" ¦Preset="Open"'),
      'Preset does not belong to a Table',
    ],
    [
      'a figure with groups',
      widget('Kpi', 'DataSet="Before"', '¦<Group Column="Total"/>'),
      'Group does not belong to a Kpi',
    ],
    [
      'a chart with totals',
      widget('Bar', 'DataSet="Orders"', '<Series Column="Total" ¦Function="sum"/>'),
      'Function does not belong to a Bar',
    ],
    [
      'a text of nothing',
      widget('Text', 'DataSet="Before" Text="Sum ¦{Totl} since {From}"'),
      'Text: {Totl} is not known here; did you mean Total?',
    ],
    [
      'a click that opens no view',
      table('<Drill ¦Object="Custmers"/>'),
      'There is no ObjectView Custmers; did you mean Customers?',
    ],
    [
      'a click that hands on no column',
      table('<Drill Object="Customers" ¦With="Name=Custom"/>'),
      'With: Custom is not known here; did you mean Customer?',
    ],
    [
      'a click that hands on to no field',
      table('<Drill Object="Customers" ¦With="Nmae=Customer"/>'),
      'With: Customers has no field Nmae; did you mean Name?',
    ],
    [
      'a click that hands on to no filter',
      table('<Drill Report="Sales" ¦With="Form=DueOn"/>'),
      'With: Sales has no filter Form; did you mean From?',
    ],
    [
      'a click to an address of nothing',
      table('<Drill Url="https://a.example/¦{Idd}"/>'),
      'Url: {Idd} is not known here; did you mean Id?',
    ],
    [
      'a click that opens nothing',
      table('¦<Drill With="Id"/>'),
      'A Drill needs a target (Object, Report or Url)',
    ],
    [
      'an embedded view without such a field',
      widget('View', 'View="Customers" ¦With="Regoin=Region"'),
      'With: Customers has no field Regoin; did you mean Region?',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))

  test('is no fault of its own where the dataset has one', async () => {
    const body = `<Report Name="R"><DataSets><DataSet Name="D"><Sql>SELECT Nothing FROM orders</Sql></DataSet></DataSets>
      <Widgets><Widget Name="W" Kind="Table" DataSet="D"><Series Column="Nothing"/>
      <Format When="Nothing gt 1" Tone="bad"/><Drill Object="Customers" With="Name=Nothing"/></Widget></Widgets></Report>`
    const { faults } = await compileTexts({ 'shop.xml': SHOP, 'a.xml': body })
    expect(faults).toHaveLength(1)
  })
})
