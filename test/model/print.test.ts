/** The language of printable documents: what each part compiles to, and what refuses the deploy. */
import { describe, expect, test } from 'bun:test'
import { renderMessage } from '../../src/kernel/messages.ts'
import { fitsBarcode } from '../../src/model/barcode.ts'
import type { Print } from '../../src/model/compiled/print.ts'
import { planCatalog } from '../../src/model/deploy/catalog-plan.ts'
import type { ModelText } from '../../src/model/model-text.ts'
import {
  compileShop,
  compileTexts,
  expectFault,
  type FaultCase,
  parseScripts,
} from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'

const ORDERS = `<ObjectView Name="Orders" Entity="Order">
  <Field Name="Phone" In="None"/>
  <Detail Name="Lines" View="OrderLines" Parent="OrderId=Id"/>
</ObjectView>`

const print = (inner: string, attributes = ''): string =>
  `<Model>${ORDERS}<Print Name="Invoice" View="Orders"${attributes}>${inner}</Print></Model>`

async function compilePrint(inner: string, attributes = ''): Promise<Print> {
  const { prints } = await compileShop(print(inner, attributes))
  const found = prints.get('Invoice')
  if (!found) throw new Error('There is no print')
  return found
}

describe('a print', () => {
  test('has the defaults of what it does not say', async () => {
    const found = await compilePrint('<Letterhead/><Address/><Barcode Type="QR" Text="x"/><Space/>')
    expect(found).toMatchObject({
      name: 'Invoice',
      slug: 'invoice',
      view: 'Orders',
      title: 'Invoice',
      page: { size: 'A4', isLandscape: false, margin: undefined },
      language: undefined,
      letterhead: { hasLogo: true, lines: [] },
      foot: undefined,
      fields: [],
    })
    expect(found.parts).toMatchObject([
      { kind: 'address', window: 'DIN5008', sender: undefined, lines: [] },
      { kind: 'barcode', type: 'qr', width: 25, align: 'start' },
      { kind: 'space', height: 5 },
    ])
  })

  test('takes sizes, margins and languages', async () => {
    const label = await compilePrint('', ' Page="62x29" Margin="2" Language="de"')
    expect(label.page).toEqual({ size: { width: 62, height: 29 }, isLandscape: false, margin: 2 })
    expect(label.language).toEqual({ tag: 'de' })
    const wide = await compilePrint('', ' Page="Letter" Landscape="true" Language="{status}"')
    expect(wide.page).toEqual({ size: 'Letter', isLandscape: true, margin: undefined })
    expect(wide.language).toEqual({ field: 'Status' })
  })

  test('knows every field that any of it names, as the view spells it', async () => {
    const found = await compilePrint(
      `<Heading Text="{number} of {Today}"/><Text Text="x" When="Status eq new"/>
      <Fields Names="dueon CustomerId"/><Totals><Total Field="total"/></Totals>
      <Address><Line Text="{CustomerId__Label}"/></Address>`,
    )
    expect([...found.fields].sort()).toEqual(
      ['CustomerId', 'CustomerId__Label', 'DueOn', 'Number', 'Status', 'Total'].sort(),
    )
  })

  test('labels columns and totals as their fields unless it says more', async () => {
    const found = await compilePrint(
      `<Lines Detail="Lines"><Column Name="Line"/><Column Name="Price" Label="Amount"/></Lines>
      <Totals><Total Field="DueOn"/><Total Text="{Total}" Label="To pay"/></Totals>`,
    )
    expect(found.parts).toMatchObject([
      { columns: [{ label: 'Line' }, { field: 'Price', label: 'Amount', isSummed: false }] },
      { rows: [{ label: 'Due on' }, { label: 'To pay', text: '{Total}' }] },
    ])
  })

  test('is translated, and an address needs no words', async () => {
    const inner = `<Heading Text="Invoice {Number}"/><Address><Line Text="Mill Lane"/></Address>
      <Lines Detail="Lines" Empty="Nothing"><Column Name="Price" Label="Amount"/></Lines>
      <Text Text="{Number}"/>`
    const texts = `<Texts Language="de">
      <Text Of="Invoice">Rechnung</Text>
      <Text Of="Invoice.Invoice {Number}">Rechnung {Number}</Text>
      <Text Of="Invoice.Lines.Price">Betrag</Text>
      <Text Of="Invoice.Lines.Empty">Nichts</Text>
    </Texts>`
    const model = await compileShop(print(inner).replace('</Model>', `${texts}</Model>`))
    const found = model.prints.get('Invoice')
    const german = (text: ModelText | undefined): string => renderMessage(text ?? '', 'de')
    expect(german(found?.title)).toBe('Rechnung')
    expect(found?.parts.map((part) => ('text' in part ? german(part.text) : part.kind))).toEqual([
      'Rechnung {Number}',
      'address',
      'lines',
      '{Number}',
    ])
    const lines = found?.parts[2]
    if (lines?.kind !== 'lines') throw new Error('There are no lines')
    expect([german(lines.columns[0]?.label), german(lines.empty)]).toEqual(['Betrag', 'Nichts'])
  })

  test('goes with a prune, as all but reference rows do', async () => {
    const stored = await parseScripts({ 'print.xml': print('') })
    const given = stored.filter(({ type }) => type !== 'Print')
    const plan = planCatalog(stored, given, { prune: true, changedHere: [] })
    expect(plan.removed.map(({ type, name }) => `${type} ${name}`)).toEqual(['Print Invoice'])
    const kept = planCatalog(stored, given, { prune: false, changedHere: [] })
    expect(kept.removed).toEqual([])
  })
})

describe('what refuses a print', () => {
  const cases: FaultCase[] = [
    [
      'a view that is not there',
      '<Print Name="Invoice" ¦View="Ordres"/>',
      'There is no ObjectView Ordres',
    ],
    [
      'a view without a key',
      '<Model><ObjectView Name="Sums"><TableQuery>SELECT 1 AS A</TableQuery></ObjectView>' +
        '<Print Name="Invoice" ¦View="Sums"/></Model>',
      'Sums has no key: no record of it can be named',
    ],
    [
      'a text of no field',
      print('<Heading Text="Order ¦{Numbre}"/>'),
      'Text: {Numbre} is not known here; did you mean Number?',
    ],
    [
      'the number of a page outside of the foot',
      print('<Text Text="¦{Pages}"/>'),
      'Text: {Pages} is not known here',
    ],
    [
      'a text of a field that is served to nobody',
      print('<Text Text="Call ¦{Phone}"/>'),
      'Text: {Phone} is not served (In="None")',
    ],
    [
      'a field that is not there',
      print('<Fields ¦Names="Number DueOm"/>'),
      'Names: Orders has no field DueOm; did you mean DueOn?',
    ],
    [
      'a field that is served to nobody',
      print('<Fields ¦Names="Phone"/>'),
      'Names: Phone is not served (In="None")',
    ],
    [
      'a condition on a field that is served to nobody',
      print('<Text Text="x" ¦When="Phone isNull"/>'),
      'When: Phone is not served (In="None")',
    ],
    [
      'a condition on no option',
      print('<Text Text="x" ¦When="Status eq dine"/>'),
      'When: "dine" is not an option of Status; did you mean done?',
    ],
    [
      'lines of no Detail',
      print('<Lines ¦Detail="Linse"><Column Name="Price"/></Lines>'),
      'Orders has no Detail Linse; did you mean Lines?',
    ],
    [
      'a column that is not there',
      print('<Lines Detail="Lines"><Column ¦Name="Prcie"/></Lines>'),
      'Name: OrderLines has no field Prcie; did you mean Price?',
    ],
    [
      'a group that is not there',
      print('<Lines Detail="Lines" ¦Group="Kind"><Column Name="Price"/></Lines>'),
      'Group: OrderLines has no field Kind',
    ],
    ['lines without a column', print('¦<Lines Detail="Lines"/>'), 'Lines need a Column'],
    [
      'the sum of what is no number',
      print('<Lines Detail="Lines"><Column Name="OrderId" ¦Carried="true"/></Lines>'),
      'Carried: OrderId is of type Integer, and has no sum',
    ],
    [
      'a total of nothing',
      print('<Totals>¦<Total Label="Sum"/></Totals>'),
      'A Total has either a Field or a Text',
    ],
    [
      'a barcode that no reader takes',
      print('<Barcode Type="EAN13" ¦Text="4006381333932"/>'),
      'Text: no EAN13 holds "4006381333932"',
    ],
    [
      'a language of no field',
      print('', ' ¦Language="{Tongue}"'),
      'Language: Orders has no field Tongue',
    ],
    [
      'the name of a built-in report',
      '<Print ¦Name="Record" View="Customers"/>',
      'record is a reserved address: give the print another Name or Slug',
    ],
    [
      'the name of a report page',
      '<Model><Report Name="Sales"/><Print ¦Name="Sales" View="Customers"/></Model>',
      'The name or slug sales of this Print is also that of the Report Sales (case.xml:1:8)',
    ],
    [
      'an action that hands over what is no argument',
      `<Model><Print Name="Card" View="Customers"/>
      <ObjectView Name="Orders" Entity="Order">
        <RowAction Name="Show" Report="card" ¦With="CustmerId=CustomerId"/>
      </ObjectView></Model>`,
      'With: Card takes no CustmerId; did you mean CustomerId?',
    ],
    [
      'a mail that does not say of which record',
      `<Model><Print Name="Card" View="Customers"/>
      <ObjectView Name="Orders" Entity="Order">
        <RowAction Name="Send"><Mail Role="Clerk" Subject="x" ¦Report="Card"/></RowAction>
      </ObjectView></Model>`,
      'With: Card needs Id, the key of its record',
    ],
  ]
  test.each(cases)('%s', (_rule, text, message) => expectFault(text, message))
})

test('what opens a print is known: by name, by slug, by both names of its key', async () => {
  const open = (key: string, given: string): string =>
    `<Model>${ORDERS}<Print Name="OrderCard" View="Orders"/>
    <ObjectView Name="Others" Entity="Order">
      <RowAction Name="Print" Report="${key}" With="${given}"/>
    </ObjectView></Model>`
  for (const [key, given] of [
    ['OrderCard', 'Id'],
    ['order-card', 'OrderId=Id'],
  ] as const) {
    const { faults, warnings } = await compileTexts({
      'shop.xml': SHOP,
      'case.xml': open(key, given),
    })
    expect({ faults, warnings }).toEqual({ faults: [], warnings: [] })
  }
})

test('barcodes hold what their readers read', () => {
  expect(fitsBarcode('ean13', '4006381333931')).toBe(true)
  expect(fitsBarcode('ean13', '400638133393')).toBe(true)
  expect(fitsBarcode('ean13', '4006381333930')).toBe(false)
  expect(fitsBarcode('ean8', '96385074')).toBe(true)
  expect(fitsBarcode('ean8', '963850')).toBe(false)
  expect(fitsBarcode('code128', 'SO-2026-00001')).toBe(true)
  expect(fitsBarcode('code128', 'Größe')).toBe(false)
  expect(fitsBarcode('code128', 'x'.repeat(81))).toBe(false)
  expect(fitsBarcode('qr', 'ä'.repeat(800))).toBe(true)
  expect(fitsBarcode('qr', 'ä'.repeat(801))).toBe(false)
  expect(fitsBarcode('qr', '')).toBe(false)
})
