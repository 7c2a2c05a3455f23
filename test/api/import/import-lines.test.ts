/** Records with their lines in one file: each line a row, the record's cells before it. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'
import { textRow, workbook } from '../../support/workbook.ts'

const VERBS = 'View List Create Update Delete Import Export'

const APPLICATION: TestApplication = {
  files: [
    {
      name: 'orders.xml',
      body: `<Model>
<Entity Name="Product" Table="products" Company="CompanyId" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true" Unique="true"/>
</Entity>
<Entity Name="Order" Table="orders" Company="CompanyId" Concurrency="Enabled" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Sequence="OrderNo"/>
  <Column Name="Reference" Type="Text"/>
  <Column Name="Customer" Type="Text" Required="true"/>
  <Column Name="Total" Type="Decimal"><Compute From="Line">SELECT sum(Quantity) FROM lines WHERE OrderId = @Id</Compute></Column>
  <Sequence Name="OrderNo" Format="O-{###}"/>
</Entity>
<Entity Name="Line" Table="lines" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="OrderId" References="Order" Required="true" OnDelete="Cascade"/>
  <Column Name="ProductId" References="Product" Required="true" Label="Product"/>
  <Column Name="Quantity" Type="Integer" Required="true" Min="1"/>
  <Column Name="Note" Type="Text"/>
  <Column Name="Pin" Type="Text"/>
  <Validate Field="Quantity" Message="No dozen">SELECT @Quantity &lt;&gt; 12</Validate>
</Entity>
<Entity Name="Remark" Table="remarks" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="OrderId" References="Order" Required="true" OnDelete="Cascade"/>
  <Column Name="Text" Type="Text" Required="true"/>
</Entity>
<ObjectView Name="Products" Entity="Product"/>
<ObjectView Name="Orders" Entity="Order">
  <Detail Name="Lines" View="Lines" Parent="OrderId=Id"/>
  <Detail Name="Remarks" View="Remarks" Parent="OrderId=Id"/>
</ObjectView>
<ObjectView Name="Lines" Entity="Line">
  <TableQuery>SELECT l.*, (SELECT p.Name FROM products p WHERE p.Id = l.ProductId) AS Product FROM lines l</TableQuery>
  <Field Name="Product" ReadOnly="true"/>
  <Validate Field="Note" Message="Not this one">SELECT @Note IS NOT 'never'</Validate>
</ObjectView>
<ObjectView Name="Remarks" Entity="Remark"/>
<Rbac>
  <Role Name="Keeper">${['Products', 'Orders', 'Lines', 'Remarks']
    .map((name) => `<Grant Resource="${name}" Verbs="${VERBS}"/>`)
    .join('')}</Role>
  <Role Name="Narrow">
    <Grant Resource="Orders" Verbs="${VERBS}"/><Grant Resource="Lines" Verbs="${VERBS}"/>
    <RowFilter Resource="Lines">Quantity &lt; 5</RowFilter>
    <FieldRule Resource="Lines" Field="Pin" Access="Hidden"/>
  </Role>
  <Role Name="Header">
    <Grant Resource="Orders" Verbs="${VERBS}"/><Grant Resource="Lines" Verbs="View List"/>
  </Role>
</Rbac>
<Texts Language="de"><Text Of="Orders.Lines">Positionen</Text><Text Of="Line.Quantity">Menge</Text><Text Of="Line.ProductId">Artikel</Text></Texts>
</Model>`,
    },
  ],
  ...makePeople('ONE TWO', {
    keeper: 'Keeper',
    header: 'Header',
    narrow: 'Narrow',
    other: 'Keeper in TWO',
    sys: 'System',
  }),
}

let app: Imports

beforeEach(async () => {
  app = new Imports(await startApp({ application: APPLICATION }))
  for (const Name of ['Nail', 'Screw, long', 'Glue']) await app.save('keeper', 'Products', { Name })
})
afterEach(() => app.app[Symbol.asyncDispose]())

const send = (file: string | Uint8Array<ArrayBuffer>, more: object = {}) =>
  app.send('keeper', { objectName: 'Orders', file, ...more })

const take = (file: string | Uint8Array<ArrayBuffer>, more: object = {}) =>
  app.take('keeper', { objectName: 'Orders', file, ...more })

/** `[reference, total, lines as "2 Nail"]` of each order. */
const listOrders = async () =>
  (
    await app.stored(
      `SELECT o.Reference, o.Total, (SELECT json_group_array(l.Quantity || ' ' || p.Name ORDER BY l.Id)
       FROM lines l JOIN products p ON p.Id = l.ProductId WHERE l.OrderId = o.Id) AS Lines
       FROM orders o ORDER BY o.Id`,
    )
  ).map(({ Reference, Total, Lines }) => [Reference, Total, JSON.parse(String(Lines))])

const ORDERS = [
  ['A1', 3, ['2 Nail', '1 Glue']],
  ['A2', null, []],
  ['A3', 9, ['4 Screw, long', '5 Nail']],
]

test.each<[what: string, file: string]>([
  [
    'cells of the record that repeat',
    'Reference,Customer,Lines.Product,Lines.Quantity\n' +
      'A1,Ann,Nail,2\nA1,Ann,Glue,1\nA2,Bo,,\nA3,Cy,"Screw, long",4\nA3,Cy,Nail,5\n',
  ],
  [
    'cells of the record that are blank behind its first row, and blank rows',
    'Reference,Customer,Lines.Product,Lines.Quantity\n' +
      'A1,Ann,Nail,2\n,,Glue,1\nA2,Bo\n\nA3,Cy,"Screw, long",4\nA3,,Nail,5\n',
  ],
  [
    'a row of the record alone, labels of another language, keys, another order of columns',
    'Positionen.Menge;Reference;lines.productid;Customer\n' +
      ';A1;;Ann\n2;;1;\n1;;3;\n;A2;;Bo\n4;A3;2;Cy\n5;A3;1;Cy\n',
  ],
])('%s', async (_, file) => {
  expect(await take(file)).toMatchObject({ Inserted: 3, Failed: 0, Rows: 3 })
  expect(await listOrders()).toEqual(ORDERS)
  expect(await app.stored('SELECT Number FROM orders ORDER BY Id')).toEqual([
    { Number: 'O-001' },
    { Number: 'O-002' },
    { Number: 'O-003' },
  ])
})

test('a workbook, several details, and what the caller may not write', async () => {
  const head = textRow('Reference', 'Customer', 'Lines.Product', 'Lines.Quantity', 'Remarks.Text')
  const rows =
    textRow('A1', 'Ann', 'Nail', '2', 'first') +
    textRow('A1', 'Ann', 'Glue', '1', '') +
    textRow('', '', '', '', 'second')
  await take(workbook({ rows: head + rows }), { fileName: 'o.xlsx' })
  expect(await listOrders()).toEqual([['A1', 3, ['2 Nail', '1 Glue']]])
  expect(await app.stored('SELECT OrderId, Text FROM remarks ORDER BY Id')).toEqual([
    { OrderId: 1, Text: 'first' },
    { OrderId: 1, Text: 'second' },
  ])
  const lines = 'Customer,Lines.Product,Lines.Quantity\nAnn,Nail,1\n'
  expect((await app.send('header', { objectName: 'Orders', file: lines })).status).toBe(401)
  expect(await app.stored('SELECT count(*) AS Count FROM orders')).toEqual([{ Count: 1 }])
})

const BAD =
  'Reference,Customer,Lines.Product,Lines.Quantity,Lines.Note\n' +
  'A1,Ann,Nail,2,\nA1,Ann,Glue,12,\n' +
  'A2,Bo,Brick,x,\nA2,Bo,Nail,1,\n' +
  'A3,,Nail,0,\n' +
  'A4,Dee,Nail,1,never\n' +
  'A5,Eve,,3,\n' +
  'A6,Fay,Nail,7,fine\nA6,Fay,Glue,8,\n'

test('faults of lines are told by their rows; nothing of a bad file stays', async () => {
  const first = refusal(await send(BAD), 400)
  // What needs no record is told first.
  expect(first.fieldErrors).toMatchObject({
    'Rows[4].Lines.ProductId': 'Product: there is no such product',
    'Rows[4].Lines.Quantity': 'Must be a whole number',
    'Rows[6].Customer': 'Customer is required',
  })
  const rest = BAD.replace('Brick,x', 'Glue,1').replace('A3,,Nail,0', 'A3,Cy,Nail,0')
  const second = refusal(await send(rest, { fields: { dryRun: 'true' } }), 400)
  expect(second.fieldErrors).toEqual({
    'Rows[3].Lines.Quantity': 'No dozen',
    'Rows[6].Lines.Quantity': 'Quantity must be at least 1',
    'Rows[7].Lines.Note': 'Not this one',
    'Rows[8].Lines.ProductId': 'Product is required',
  })
  expect(
    await app.stored('SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM lines) AS n'),
  ).toEqual([{ n: 0 }])
})

test('bad records come back whole, with all their lines, and go in when mended', async () => {
  const done = await take(BAD, { fields: { onError: 'skip' } })
  expect(done).toMatchObject({ Inserted: 1, Failed: 5, ErrorFile: { Rows: 5 } })
  expect(await listOrders()).toEqual([['A6', 15, ['7 Nail', '8 Glue']]])
  const text = new TextDecoder().decode(await app.download(done.ErrorFile, 'keeper'))
  expect(text.split('\r\n').slice(1, 5)).toEqual([
    'A1,Ann,Nail,2,,Lines[3].Quantity: No dozen',
    'A1,Ann,Glue,12,,',
    'A2,Bo,Brick,x,,"Lines[4].ProductId: Product: there is no such product; ' +
      'Lines[4].Quantity: Must be a whole number"',
    'A2,Bo,Nail,1,,',
  ])
  const mended = text
    .replace('Glue,12', 'Glue,1')
    .replace('Brick,x', 'Nail,1')
    .replace('A3,,Nail,0', 'A3,Cy,Nail,9')
    .replace('never', 'ever')
    .replace('Eve,,3', 'Eve,Nail,3')
  expect(await take(mended)).toMatchObject({ Inserted: 5, Failed: 0 })
  expect((await listOrders()).map(([reference, total]) => [reference, total])).toEqual([
    ['A6', 15],
    ['A1', 3],
    ['A2', 2],
    ['A3', 9],
    ['A4', 1],
    ['A5', 3],
  ])
})

test('lines come with new records alone, under keys that the server gives', async () => {
  const file = 'Reference,Customer,Lines.Product,Lines.Quantity\nA1,Ann,Nail,2\n'
  const cases: [Record<string, string>, string, string][] = [
    [{ mode: 'upsert', keyFields: 'Reference' }, 'keeper', 'DETAILS_OF_STORED'],
    [{ mode: 'update', keyFields: 'Reference' }, 'keeper', 'DETAILS_OF_STORED'],
    [{ takeover: 'true' }, 'sys', 'DETAILS_OF_STORED'],
  ]
  for (const [fields, as, code] of cases) {
    const told = refusal(await app.send(as, { objectName: 'Orders', file, fields }), 400)
    expect(told).toMatchObject({
      code,
      error: "'Lines' can only come with new records. Import it as a file of its own.",
    })
  }
  const keys = 'Reference,Customer,Lines.Id,Lines.Product,Lines.Quantity\nA1,Ann,7,Nail,2\n'
  expect(refusal(await send(keys), 400).fieldErrors).toEqual({
    'Rows[2].Lines.Id': 'The server assigns the key of a new record. Leave it out.',
  })
  const unknown = 'Reference,Customer,Lines.Colour\nA1,Ann,red\n'
  expect(refusal(await send(unknown), 400).code).toBe('UNKNOWN_HEAD')
})

test('an import with lines is taken back with them', async () => {
  const file = 'Customer,Lines.Product,Lines.Quantity\nAnn,Nail,2\nAnn,Glue,1\nBo,Glue,1\n'
  const { ImportId } = await take(file)
  expect(await app.stored('SELECT count(*) AS n FROM lines')).toEqual([{ n: 3 }])
  expect((await app.call('keeper', `/import-data/${ImportId}/undo`, {})).status).toBe(200)
  const left = 'SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM lines) AS n'
  expect(await app.stored(left)).toEqual([{ n: 0 }])
})

test('a record of many lines, and many records, over the batches of a file', async () => {
  const rows = Array.from({ length: 1200 }, (_, at) => `R${Math.floor(at / 300)},Ann,Nail,1`)
  const file = `Reference,Customer,Lines.Product,Lines.Quantity\n${rows.join('\n')}\n`
  expect(await take(file)).toMatchObject({ Inserted: 4 })
  expect((await listOrders()).map(([, total]) => total)).toEqual([300, 300, 300, 300])
})

const LINES = ['Reference', 'Lines.ProductId__Label', 'Customer', 'Lines.Quantity', 'Lines.Note']

const exportAs = (as: string, request: object, headers: Record<string, string> = {}) =>
  app.app.fetch<{ data: { File: { Url: string; FileName: string; Rows: number } } }>(
    '/api/v1/svc/object/export-data',
    { as, headers, body: { ObjectName: 'Orders', ...request } },
  )

const carry = async (request: object, headers: Record<string, string> = {}, as = 'keeper') => {
  const { status, body } = await exportAs(as, request, headers)
  expect(status).toBe(200)
  const { File } = body.data
  return { file: await app.download(File, as), fileName: File.FileName, rows: File.Rows }
}

const FILLED =
  'Reference,Customer,Lines.Product,Lines.Quantity,Lines.Note\n' +
  'A1,Ann,Nail,2,=1+1\nA1,Ann,Glue,1,\nA2,Bo,,,\nA3,Cy,"Screw, long",4,"two\nlines"\nA3,Cy,Nail,5,\n'

test.each(['csv', 'xlsx', 'jsonl'])(
  'records go out with their lines as they come in: %s',
  async (Format) => {
    await take(FILLED)
    const before = await listOrders()
    const notes = await app.stored('SELECT Note FROM lines ORDER BY Id')
    for (const language of ['en', 'de']) {
      const headers = { 'Accept-Language': language }
      const { rows, ...made } = await carry({ Fields: LINES, Format }, headers)
      expect(rows).toBe(5)
      await app.app.store.write((tx) => tx.run('DELETE FROM orders'), {
        company: 'all',
        because: 'a test',
      })
      await take(made.file, { fileName: made.fileName, headers })
      expect(await listOrders()).toEqual(before)
      expect(await app.stored('SELECT Note FROM lines ORDER BY Id')).toEqual(notes)
    }
  },
)

test('lines go out in their order, under heads of the language, and as rights allow', async () => {
  await take(FILLED)
  const text = async (request: object, headers = {}, as = 'keeper') =>
    new TextDecoder().decode((await carry(request, headers, as)).file).split('\r\n')
  const Fields = ['Customer', 'Lines.Quantity', 'Lines.ProductId', 'Lines.ProductId__Label']
  const sorted = { Fields, Sort: [{ Field: 'Customer', Direction: 'desc' }] }
  expect(await text(sorted, { 'Accept-Language': 'de' })).toEqual([
    'Customer,Positionen.Menge,Positionen.ProductId,Positionen.Artikel',
    'Cy,4,2,"Screw, long"',
    'Cy,5,1,Nail',
    'Bo,,,',
    'Ann,2,1,Nail',
    'Ann,1,3,Glue',
    '',
  ])
  expect(await text({ Fields: ['Reference', 'Lines.Quantity'] }, {}, 'narrow')).toEqual([
    'Reference,Lines.Quantity',
    'A1,2',
    'A1,1',
    'A2,',
    'A3,4',
    '',
  ])
  expect(await text({ Fields: ['Reference', 'Lines.Quantity'] }, {}, 'other')).toEqual([
    'Reference,Lines.Quantity',
    '',
  ])
  const refused: [string, string[], number][] = [
    ['header', ['Reference', 'Lines.Quantity'], 401],
    ['narrow', ['Reference', 'Lines.Pin'], 400],
    ['keeper', ['Reference', 'Lines.Colour'], 400],
    ['keeper', ['Reference', 'Rows.Quantity'], 400],
    ['keeper', ['Lines.Quantity', 'Remarks.Text'], 400],
  ]
  for (const [as, names, status] of refused) {
    expect([names, (await exportAs(as, { Fields: names })).status]).toEqual([names, status])
  }
})
