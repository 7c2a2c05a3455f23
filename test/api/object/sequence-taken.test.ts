/** Sequences over numbers that are there already: of imports, of statements, of days before. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { data, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const ENTITIES = ['Invoice', 'Note', 'Ticket', 'Bundle'].map(
  (name) => `<ObjectView Name="${name}s" Entity="${name}"/>`,
)

const MODEL = `<Model>
<Entity Name="Invoice" Table="invoices" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" MaxLength="14" Unique="true" Sequence="InvoiceNumber" Required="true"/>
  <Column Name="Owner" Type="Text"/>
  <Sequence Name="InvoiceNumber" Format="RE-{yyyy}-{#####}" Reset="Yearly" PerCompany="true"/>
</Entity>
<Entity Name="Note" Table="notes" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Number" Type="Text" Sequence="NoteNumber"/>
  <Sequence Name="NoteNumber" Format="{Field:Region}20{##}/{yy}" Reset="Yearly"/>
</Entity>
<Entity Name="Ticket" Table="tickets">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Number" Type="Text" Unique="true" Sequence="TicketNumber"/>
  <Column Name="Other" Type="Text" Sequence="TicketNumber"/>
  <Column Name="Title" Type="Text"/>
  <Sequence Name="TicketNumber" Format="T{###}" Start="700"/>
</Entity>
<Entity Name="Bundle" Table="bundles" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Label" Type="Text" Unique="true"/>
  <Sequence Name="BundleNumber" Format="{Company}-{#}" PerCompany="true"/>
</Entity>
${ENTITIES.join('\n')}
<ObjectView Name="Batches" Entity="Bundle">
  <Insert>INSERT INTO bundles (CompanyId, Label) VALUES (@CurrentCompanyId, @Next_BundleNumber)</Insert>
</ObjectView>
<Rbac>
  <Role Name="Clerk">
    ${['Invoices', 'Notes', 'Tickets', 'Bundles', 'Batches']
      .map((name) => `<Grant Resource="${name}" Verbs="View List Create Update Delete Import"/>`)
      .join('')}
    <RowFilter Resource="Invoices">coalesce(Owner, '') &lt;&gt; 'boss'</RowFilter>
  </Role>
</Rbac>
</Model>`

const NUMBERS: TestApplication = {
  files: [{ name: 'numbers.xml', body: MODEL }],
  ...makePeople('ONE TWO', { root: 'System', ana: 'Clerk@ONE', cy: 'Clerk@TWO in TWO' }),
}

type Numbers = Awaited<ReturnType<typeof start>>

/** The application, with what its tests ask. */
async function start() {
  const now = new Date()
  const app = await startApp({ application: NUMBERS, clock: { now: () => now } })
  const imports = new Imports(app)
  const year = now.getUTCFullYear()
  const number = async (as: string, view: string, values: Row = {}, column = 'Number') =>
    data(await imports.submit(as, view, values)).Values[column]
  const ask = async (as: string, FormName: string, more: Row = {}) =>
    data(
      await imports.call<string>(as, '/sequence-number', {
        FormName,
        FieldName: 'Number',
        ...more,
      }),
    )
  const run = (sql: string) =>
    app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
  const send = (as: string, objectName: string, file: string, fields: Record<string, string>) =>
    imports.send(as, { objectName, file, fields })
  return {
    imports,
    number,
    ask,
    run,
    send,
    invoice: (at: number, of = year) => `RE-${of}-${String(at).padStart(5, '0')}`,
    yy: String(year).slice(2),
    year,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

const KEEP = { keepKeys: 'true' }

const addInvoices = ({ run }: Numbers, company: number, numbers: readonly string[]) =>
  run(
    `INSERT INTO invoices (CompanyId, Number) VALUES ` +
      numbers.map((each) => `(${company}, '${each}')`).join(', '),
  )

test('a new sequence goes on behind its highest number of each company and period', async () => {
  await using app = await start()
  const { invoice, year } = app
  const others = [`${invoice(900)}x`, `x${invoice(900)}`, `RE-${year}-0950`, `RE-${year}-000960`]
  const next = invoice(500, year + 1)
  await addInvoices(app, 1, [invoice(41), ...others, `re-${year}-00970`, next])
  await addInvoices(app, 2, [invoice(7)])
  expect(await app.ask('ana', 'Invoices')).toBe(invoice(42))
  expect(await app.number('ana', 'Invoices')).toBe(invoice(42))
  expect(await app.number('cy', 'Invoices')).toBe(invoice(8))
})

test('rows that the caller does not see hold numbers as well', async () => {
  await using app = await start()
  await app.run(
    `INSERT INTO invoices (CompanyId, Number, Owner) VALUES (1, '${app.invoice(50)}', 'boss')`,
  )
  expect(await app.number('ana', 'Invoices')).toBe(app.invoice(51))
})

test('all columns of a sequence count, and Start is for one that none of them holds', async () => {
  await using app = await start()
  expect(await app.ask('ana', 'Tickets')).toBe('T700')
  await app.run(`INSERT INTO tickets (Number, Other) VALUES ('T002', 'T009'), ('T1', NULL)`)
  expect(await app.ask('ana', 'Tickets')).toBe('T010')
  await app.run('DELETE FROM tickets')
  expect(await app.number('ana', 'Tickets')).toBe('T700')
  expect(await app.number('ana', 'Tickets')).toBe('T702')
})

test('a format with fields and digits of its own is read by what each record has', async () => {
  await using app = await start()
  const { yy } = app
  await app.run(
    `INSERT INTO notes (CompanyId, Region, Number) VALUES (1, 'N', 'N2005/${yy}'),
      (2, 'S20', 'S202017/${yy}'), (1, NULL, '20100/${yy}'), (1, 'N', 'S20990/${yy}'),
      (1, 'N', 'N2040/${Number(yy) - 1}')`,
  )
  expect(await app.number('ana', 'Notes', { Region: 'W' })).toBe(`W20101/${yy}`)
})

test('many numbers that are taken after all are passed over at once', async () => {
  await using app = await start()
  const { invoice } = app
  expect(await app.number('ana', 'Invoices')).toBe(invoice(1))
  await app.run(
    `INSERT INTO invoices (CompanyId, Number) WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL
      SELECT i + 1 FROM n WHERE i < 10001) SELECT 1, printf('RE-${app.year}-%05d', i) FROM n`,
  )
  expect(await app.ask('ana', 'Invoices')).toBe(invoice(10002))
  const drawn = await Promise.all([1, 2, 3].map(() => app.number('ana', 'Invoices')))
  expect(drawn.sort()).toEqual([10002, 10003, 10004].map((at) => invoice(at)))
  await addInvoices(app, 1, [invoice(10005), invoice(99999)])
  expect(await app.number('ana', 'Invoices')).toBe(invoice(100000))
  expect(await app.number('ana', 'Invoices')).toBe(invoice(100001))
  expect(await app.number('cy', 'Invoices')).toBe(invoice(1))
})

test('a reserved number that is taken meanwhile is passed over', async () => {
  await using app = await start()
  const { invoice } = app
  const reserved = await app.ask('ana', 'Invoices', { Reserve: true })
  expect(reserved).toBe(invoice(1))
  await addInvoices(app, 1, [invoice(1), invoice(2)])
  expect(await app.number('ana', 'Invoices', { Number: reserved })).toBe(invoice(3))
  await addInvoices(app, 1, [invoice(4)])
  expect(await app.ask('ana', 'Invoices', { Reserve: true })).toBe(invoice(5))
})

test('a statement that draws a number which is taken draws another one', async () => {
  await using app = await start()
  await app.run(
    `INSERT INTO bundles (CompanyId, Label) VALUES (1, 'ONE-1'), (1, 'ONE-8'), (2, 'ONE-99')`,
  )
  expect(await app.number('ana', 'Batches', {}, 'Label')).toBe('ONE-9')
  expect(await app.number('ana', 'Batches', {}, 'Label')).toBe('ONE-10')
})

test('a file with numbers is refused, dry or not, unless they are kept', async () => {
  await using app = await start()
  const file = `Number,Owner\n${app.invoice(3)},a\n`
  const ways: Record<string, string>[] = [
    {},
    { dryRun: 'true' },
    { onError: 'skip' },
    { mode: 'upsert', keyFields: 'Number' },
  ]
  for (const fields of ways) {
    const told = refusal(await app.send('ana', 'Invoices', file, fields), 400)
    expect(told).toMatchObject({
      code: 'KEYS_NOT_KEPT',
      error: "The server assigns 'Number'. Send keepKeys=true or no values.",
    })
  }
  data(await app.send('ana', 'Invoices', 'Number,Owner\n,a\n,b\n', {}))
  const stored = 'SELECT Number FROM invoices ORDER BY Id'
  expect((await app.imports.stored(stored)).map(({ Number }) => Number)).toEqual([
    app.invoice(1),
    app.invoice(2),
  ])
  const update = `Number,Owner\n${app.invoice(2)},c\n`
  const fields = { mode: 'upsert', keyFields: 'Number' }
  expect(data(await app.send('ana', 'Invoices', update, fields))).toMatchObject({
    Import: { Updated: 1 },
  })
})

test('kept numbers are kept, and the sequence goes on behind them in each period', async () => {
  await using app = await start()
  const { invoice, year } = app
  const told = [invoice(3), '', invoice(1), invoice(800, year - 1), invoice(4, year + 1), 'old-77']
  const file = ['Number', ...told]
    .map((each) => `${each},x`)
    .join('\n')
    .replace(',x', ',Owner')
  const dry = await app.send('ana', 'Invoices', file, { ...KEEP, dryRun: 'true' })
  expect(data(dry)).toMatchObject({ Import: { Inserted: 6 } })
  expect(await app.ask('ana', 'Invoices')).toBe(invoice(1))
  expect(data(await app.send('ana', 'Invoices', file, KEEP))).toMatchObject({
    Import: { Inserted: 6 },
  })
  const stored = await app.imports.stored('SELECT Number FROM invoices ORDER BY Id')
  const wanted = told.map((each) => (each === '' ? invoice(4) : each))
  expect(stored.map(({ Number }) => Number)).toEqual(wanted)
  expect(await app.number('ana', 'Invoices')).toBe(invoice(5))
  expect(await app.number('cy', 'Invoices')).toBe(invoice(1))
  const last = await app.imports.stored(
    'SELECT Period, Last FROM svc_sequences WHERE CompanyId = 1 ORDER BY Period',
  )
  expect(last).toEqual([
    { Period: String(year - 1), Last: 800 },
    { Period: String(year), Last: 5 },
    { Period: String(year + 1), Last: 4 },
  ])
})

test('kept numbers are held to their column, and to what is there', async () => {
  await using app = await start()
  await addInvoices(app, 1, [app.invoice(2)])
  const file = ['Number,Owner', `${app.invoice(2)},a`, 'much-too-long-a-number,b', 'x1,c', 'x1,d']
  const { fieldErrors } = refusal(await app.send('ana', 'Invoices', file.join('\n'), KEEP), 400)
  expect(fieldErrors).toMatchObject({
    'Rows[2].Number': 'Number is already in use',
    'Rows[5].Number': 'Number is already in use',
  })
  expect(Object.keys(fieldErrors ?? {})).toContain('Rows[3].Number')
  expect(await app.imports.stored('SELECT Id FROM invoices')).toHaveLength(1)
})

test('numbers of a column that is not unique are gone behind as well', async () => {
  await using app = await start()
  const { yy } = app
  expect(await app.number('ana', 'Notes', { Region: 'N' })).toBe(`N2001/${yy}`)
  const file = `Region,Number\nN,N2009/${yy}\nS,S2012/${yy}\nS,S2004/30\n`
  data(await app.send('cy', 'Notes', file, KEEP))
  expect(await app.number('ana', 'Notes', { Region: 'N' })).toBe(`N2013/${yy}`)
})
