/**
 * A label is data: whoever counts keys up must not read what records are called that they may
 * neither pick nor see, by any path that turns a key into a text.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { data, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Customer" Table="customers" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Terms" Type="Text"/>
</Entity>
<Entity Name="Case" Table="cases" Display="Title" Company="CompanyId" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="CustomerId" References="Customer"/>
  <Column Name="PayerId" Type="Integer"><Lookup View="Customers"/></Column>
  <Column Name="ParentId" References="Case"/>
  <Column Name="OwnerId" References="User" Default="@CurrentUserId"/>
  <Column Name="Terms" Type="Text"><Default DependsOn="CustomerId">SELECT Terms FROM customers WHERE Id = @CustomerId</Default></Column>
  <Column Name="Contact" Type="Text"><DataSet DependsOn="CustomerId PayerId">SELECT Id AS Value, Name AS Label FROM customers WHERE Id IN (@CustomerId, @PayerId)</DataSet></Column>
</Entity>
<Entity Name="Note" Table="notes" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="CaseId" References="Case"/>
  <Column Name="CustomerId" References="Customer"/>
</Entity>
<ObjectView Name="Customers" Entity="Customer"/>
<ObjectView Name="Cases" Entity="Case">
  <Field Name="PayerId"><Lookup View="Customers"/></Field>
  <RowAction Name="Refer">
    <Parameter Name="ToId" Lookup="Customers" Type="Integer"/>
    <Parameter Name="ToTerms"><Default DependsOn="ToId">SELECT Terms FROM customers WHERE Id = @ToId</Default></Parameter>
    <Sql>UPDATE cases SET Title = Title WHERE Id = @Id</Sql>
    <Notify User="clerk" Title="Referred to {ToId__Label}"/>
    <Dispatch Type="showAlert" Message="Referred to {ToId__Label} {ToTerms}"/>
  </RowAction>
  <Detail Name="Notes" View="Notes" Parent="CaseId=Id"/>
</ObjectView>
<ObjectView Name="Notes" Entity="Note"/>
<ObjectView Name="Supplied" Entity="Case" Resource="Cases">
  <TableQuery>SELECT c.* FROM cases c</TableQuery>
  <FormQuery>SELECT Id, coalesce(@ParentId, 0) + 0 AS Probe, (SELECT max(Id) FROM customers) AS CustomerId FROM cases WHERE Id = @Id</FormQuery>
</ObjectView>
<ObjectView Name="Offers" Entity="Case" Resource="Cases">
  <Field Name="CustomerId"><DataSet DependsOn="Region">SELECT Id AS Value, Name AS Label FROM customers WHERE Region = @Region</DataSet></Field>
</ObjectView>
<Rbac>
  <Role Name="Chief">
    <Grant Resource="Customers" Verbs="View List Create Update"/>
    <Grant Resource="Cases" Verbs="View List Create Update"/>
  </Role>
  <Role Name="Clerk">
    <Grant Resource="Customers" Verbs="View List"/>
    <Grant Resource="Cases" Verbs="View List Create Update Export Import"/>
    <Grant Resource="Notes" Verbs="View List Create Update Export Import"/>
    <RowFilter Resource="Customers">Region = 'north'</RowFilter>
    <RowFilter Resource="Cases">Region = 'north'</RowFilter>
  </Role>
  <Role Name="Blind">
    <Grant Resource="Cases" Verbs="View List Create Update Export Import"/>
    <Grant Resource="Notes" Verbs="View List Create Update Export Import"/>
    <RowFilter Resource="Cases">Region = 'north'</RowFilter>
  </Role>
</Rbac>
</Model>`

const DESK: TestApplication = {
  files: [{ name: 'desk.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    chief: 'Chief',
    clerk: 'Clerk',
    blind: 'Blind',
    'secret-stranger': 'Chief in TWO',
  }),
}

const KEYS = Array.from({ length: 12 }, (_, at) => at + 1)
const REFERENCES = ['CustomerId', 'PayerId', 'ParentId', 'OwnerId'] as const

let desk: Imports
beforeAll(async () => {
  desk = new Imports(await startApp({ application: DESK }))
  for (const [as, Name, Region] of [
    ['chief', 'Open', 'north'],
    ['chief', 'secret south', 'south'],
    ['secret-stranger', 'secret foreign', 'north'],
  ] as const) {
    await desk.save(as, 'Customers', { Name, Region, Terms: `${Name} terms` })
  }
  await desk.save('chief', 'Cases', { Title: 'Shown', Region: 'north', CustomerId: 1 })
  await desk.save('chief', 'Cases', { Title: 'secret case', Region: 'south', CustomerId: 2 })
})
afterAll(() => desk[Symbol.asyncDispose]())

/** Each way from a key that the caller counts up to a text; whether it answers matters not. */
const WAYS: [name: string, ask: (as: string, key: number) => Promise<{ text: string }>[]][] = [
  [
    'a new form',
    (as, key) =>
      REFERENCES.map((name) => desk.call(as, '/Cases/form', { Parameters: { [name]: key } })),
  ],
  [
    'a new form of a detail',
    (as, key) => [
      desk.call(as, '/Notes/form', { Parameters: { CaseId: key } }),
      desk.call(as, '/Notes/form', { Parameters: { CaseId: 1, CustomerId: key } }),
    ],
  ],
  [
    'a stored form narrowed by it',
    (as, key) => [
      ...REFERENCES.map((name) =>
        desk.call(as, '/Cases/form', { Parameters: { Id: 1, [name]: key } }),
      ),
      desk.call(as, '/Supplied/form', { Parameters: { Id: 1, ParentId: key } }),
      desk.call(as, '/Supplied/view', { Parameters: { Id: key } }),
    ],
  ],
  [
    'the options of a field',
    (as, key) =>
      REFERENCES.flatMap((name) =>
        [{}, { Id: 1 }].flatMap((more) => [
          dataset(as, name, { ...more, [name]: key }),
          dataset(as, name, { ...more, [name]: key }, { SearchText: String(key) }),
          dataset(as, 'Contact', { ...more, [name]: key }),
          dataset(as, 'Terms', { ...more, [name]: key }, { Default: true }),
        ]),
      ),
  ],
  [
    'the parameters of an action',
    (as, key) =>
      ['ToId', 'ToTerms'].flatMap((name) =>
        [{}, { Default: true }].map((more) =>
          dataset(as, name, { Id: 1, ToId: key }, { ActionName: 'Refer', ...more }),
        ),
      ),
  ],
  ['the texts of an action', (as, key) => [desk.act(as, 'Cases', 'Refer', { Id: 1, ToId: key })]],
  [
    'a submit that is refused',
    (as, key) =>
      REFERENCES.map((name) =>
        desk.submit(as, 'Cases', { Title: 't', Region: 'south', [name]: key }),
      ),
  ],
  [
    'a stale stamp',
    (as, key) =>
      REFERENCES.map((name) => desk.submit(as, 'Cases', { Id: 1, [name]: key, RowVersion: '1' })),
  ],
  [
    'filters, parents and groups',
    (as, key) =>
      REFERENCES.flatMap((name) => [
        desk.call(as, '/Cases/table', { Parameters: { [name]: key } }),
        desk.call(as, '/Cases/table', {
          Filters: [{ Field: name, Operator: 'in', Value: [key] }],
        }),
        query(as, {
          GroupBy: [name],
          Aggregates: [{ Function: 'max', Field: 'Id', As: 'Other' }],
          Filters: [{ Field: name, Operator: 'eq', Value: key }],
        }),
      ]),
  ],
  [
    'an export',
    (as, key) =>
      REFERENCES.flatMap((name) => [
        exported(as, 'Cases', { Parameters: { [name]: key } }),
        exported(as, 'Cases', { Filters: [{ Field: name, Operator: 'eq', Value: key }] }),
        exported(as, 'Notes', { Parameters: { CaseId: key } }),
      ]),
  ],
  [
    'an import',
    (as, key) =>
      REFERENCES.flatMap((name) =>
        ['insert', 'upsert'].flatMap((mode) =>
          ['abort', 'skip'].map((onError) => imported(as, name, key, { mode, onError })),
        ),
      ),
  ],
]

/** The file of an export, or why there is none. */
async function exported(as: string, ObjectName: string, more: Row): Promise<{ text: string }> {
  const body = { ObjectName, Format: 'jsonl', ...more }
  const answer = await desk.app.fetch<{ data: { File: { Url: string } } }>(
    '/api/v1/svc/object/export-data',
    { as, body },
  )
  return answer.status === 200 ? fetchFile(as, answer.body.data.File.Url) : answer
}

/** The answer to an import of a key, with its file of errors. */
async function imported(as: string, name: string, key: number, fields: Record<string, string>) {
  const file = `Id,Title,Region,${name}\n1,t,south,${key}\n`
  const keys: Record<string, string> = fields.mode === 'insert' ? {} : { keyFields: 'Id' }
  const sent = fields.mode === 'insert' ? file.replace('Id,', '').replace('\n1,', '\n') : file
  const answer = await desk.send(as, {
    objectName: 'Cases',
    file: sent,
    fields: { ...fields, ...keys },
  })
  const url = answer.body.data?.Import.ErrorFile?.Url
  const errors = url === undefined ? { text: '' } : await fetchFile(as, url)
  return { text: answer.text + errors.text }
}

async function fetchFile(as: string, url: string): Promise<{ text: string }> {
  const headers = { Authorization: `Bearer ${desk.app.tokens[as]}` }
  const response = await desk.app.handle(new Request(`http://localhost${url}`, { headers }))
  expect(response.status).toBe(200)
  return { text: await response.text() }
}

const dataset = (as: string, FieldName: string, Parameters: Row, more: Row = {}) =>
  desk.call(as, '/field-dataset', { FormName: 'Cases', FieldName, Parameters, ...more })

const query = (as: string, body: Row) =>
  desk.app.fetch('/api/v1/svc/object-explorer/query', {
    as,
    body: { ObjectName: 'Cases', ...body },
  })

test.each(WAYS)(
  '%s calls no record by its name that is neither to pick nor to see',
  async (_, ask) => {
    for (const as of ['clerk', 'blind']) {
      for (const key of KEYS) {
        for (const { text } of await Promise.all(ask(as, key))) {
          expect([as, key, text]).toEqual([as, key, expect.not.stringContaining('secret')])
        }
      }
    }
    const told = `SELECT Payload FROM svc_outbox WHERE Payload LIKE '%secret%' UNION ALL
      SELECT Title FROM svc_notifications WHERE Title || coalesce(Body, '') LIKE '%secret%'`
    expect(await desk.stored(told)).toEqual([])
  },
)

test('who may list no view of an entity stores no reference to its records', async () => {
  const refused = async (as: string, form: string, parameters: Row, name: string) => {
    const answer = await desk.submit(as, form, { Region: 'north', ...parameters })
    const { fieldErrors } = refusal(answer, 400)
    return fieldErrors?.[name]
  }
  const missing = 'Customer: there is no such customer'
  for (const key of [1, 2, 3, 99]) {
    expect(await refused('blind', 'Cases', { CustomerId: key }, 'CustomerId')).toBe(missing)
    expect(await refused('blind', 'Notes', { CustomerId: key }, 'CustomerId')).toBe(missing)
    expect(
      await refused(
        'blind',
        'Cases',
        { Id: 1, CustomerId: key + 1, ...(await stampOf()) },
        'CustomerId',
      ),
    ).toBe(missing)
    expect(await refused('blind', 'Cases', { PayerId: key }, 'PayerId')).toBeString()
    refusal(await desk.act('blind', 'Cases', 'Refer', { Id: 1, ToId: key }), 400)
  }
  const kept = await desk.save('blind', 'Cases', {
    Id: 1,
    CustomerId: 1,
    Title: 'Shown',
    ...(await stampOf()),
  })
  expect(kept.Values).toMatchObject({ CustomerId: 1, CustomerId__Label: 'Open' })
  const below = { Details: { Notes: { Upsert: [{}] } } }
  await desk.save('blind', 'Cases', { Id: 1, ...(await stampOf()) }, below)
})

test('who may list no view of an entity picks what a DataSet offers, and no other', async () => {
  const offer = (CustomerId: number) =>
    desk.submit('blind', 'Offers', { Title: 'Offered', Region: 'north', CustomerId })
  expect(data(await offer(1)).Values).toMatchObject({ CustomerId: 1 })
  const missing = { CustomerId: 'Customer: there is no such customer' }
  for (const key of [2, 3, 99]) expect(refusal(await offer(key), 400).fieldErrors).toEqual(missing)
})

test('a DataSet offers each row of a file what it offers that row', async () => {
  const file = 'Title,Region,CustomerId\nx,north,1\ny,south,1\nz,south,2\n'
  const fields = { dryRun: 'true' }
  const { fieldErrors } = refusal(
    await desk.send('blind', { objectName: 'Offers', file, fields }),
    400,
  )
  expect(fieldErrors).toEqual({ 'Rows[3].CustomerId': 'Customer: there is no such customer' })
})

const stampOf = async (): Promise<Row> => {
  const { RowVersion } = (await desk.form('blind', 'Cases', { Id: 1 })).Values
  return { RowVersion }
}

test('what may be picked and what the record holds is called by its name', async () => {
  const fresh = await desk.form('clerk', 'Cases', { CustomerId: 1, PayerId: 1, ParentId: 1 })
  expect(fresh.Values).toMatchObject({
    CustomerId: 1,
    CustomerId__Label: 'Open',
    PayerId__Label: 'Open',
    ParentId__Label: 'Shown',
    OwnerId__Label: 'clerk',
    Terms: 'Open terms',
  })
  const hidden = await desk.form('clerk', 'Cases', { CustomerId: 2, OwnerId: 99 })
  expect(hidden.Values).toMatchObject({ CustomerId: 2, CustomerId__Label: null, Terms: null })
  expect(hidden.Values).toMatchObject({ OwnerId: 99, OwnerId__Label: null })
  const stored = await desk.form('blind', 'Cases', { Id: 1 })
  expect(stored.Values).toMatchObject({ CustomerId: 1, CustomerId__Label: 'Open' })
  const taken = await exported('blind', 'Cases', { Parameters: { CustomerId: 1 } })
  expect(taken.text).toContain('"CustomerId":1,"CustomerId__Label":"Open"')
  const note = await desk.form('blind', 'Notes', { CaseId: 1 })
  expect(note.Values).toMatchObject({ CaseId: 1, CaseId__Label: 'Shown' })
  const options = await dataset('clerk', 'Contact', { CustomerId: 1, PayerId: 1 })
  expect(options.body.data).toEqual([{ Value: '1', Label: 'Open' }])
  const acted = data(await desk.act('clerk', 'Cases', 'Refer', { Id: 1, ToId: 1 }))
  expect(acted.Dispatch).toContainEqual(
    expect.objectContaining({ Message: 'Referred to Open Open terms' }),
  )
})

test('what a caller may no longer pick stays what it is for the record that has it', async () => {
  const { Keys } = await desk.save('chief', 'Cases', { Region: 'north', CustomerId: 2 })
  const key = { ...(Keys as Row) }
  const options = await dataset('clerk', 'Contact', { ...key, CustomerId: 2 })
  expect(options.body.data).toEqual([{ Value: '2', Label: 'secret south' }])
})
