/** Records that rows of a file point to, and that move between the check and the writing. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const SALES: TestApplication = {
  files: [
    {
      name: 'sales.xml',
      body: `<Model>
<Entity Name="Customer" Table="customers" Company="CompanyId" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
</Entity>
<Entity Name="Sale" Table="sales" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="CustomerId" References="Customer" Label="Customer"/>
  <Column Name="OwnerId" References="User" Label="Owner"/>
</Entity>
<Entity Name="Bill" Table="bills" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Number" Type="Text" Sequence="BillNo"/>
  <Column Name="Zone" Type="Text"/>
  <Column Name="CustomerId" References="Customer" Label="Customer"/>
  <Sequence Name="BillNo" Format="B-{####}"/>
</Entity>
<ObjectView Name="Customers" Entity="Customer"/>
<ObjectView Name="Sales" Entity="Sale"/>
<ObjectView Name="Bills" Entity="Bill">
  <Field Name="CustomerId"><Lookup View="Customers" Where="Region = @Zone"/></Field>
</ObjectView>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Customers" Verbs="View List Create Update"/>
    <Grant Resource="Sales" Verbs="View List Create Update Import"/>
    <Grant Resource="Bills" Verbs="View List Create Update Import"/>
    <RowFilter Resource="Customers">Region = 'north'</RowFilter>
  </Role>
</Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE TWO', { clerk: 'Clerk', mate: 'Clerk' }),
}

const run = (app: Imports, sql: string) =>
  app.app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })

async function startSales(): Promise<Imports> {
  const app = new Imports(await startApp({ application: SALES }))
  for (const Name of ['Ann', 'Ben', 'Cid'])
    await app.save('clerk', 'Customers', { Name, Region: 'north' })
  await app.take('clerk', { objectName: 'Sales', file: 'Code,CustomerId\nold,3\nkept,1\n' })
  return app
}

/** Sends a file, and runs `sql` when it is checked and staged, before its transaction begins. */
async function race(
  app: Imports,
  sql: string,
  sent: { objectName: string; file: string; fields?: Record<string, string> },
) {
  const { store } = app.app
  const writeAlone = store.writeAlone.bind(store)
  store.writeAlone = async (work, ...given) => {
    store.writeAlone = writeAlone
    await run(app, sql)
    return writeAlone(work, ...given)
  }
  return app.send('clerk', sent)
}

const listSales = async (app: Imports) =>
  (await app.stored('SELECT Code, CustomerId FROM sales ORDER BY Code')).map(
    ({ Code, CustomerId }) => `${Code} ${CustomerId}`,
  )

const MOVES: [name: string, sql: string][] = [
  ['deleted', 'DELETE FROM customers WHERE Id = 2'],
  [
    'made anew in another company',
    "REPLACE INTO customers (Id, CompanyId, Name, Region) VALUES (2, 2, 'Ben', 'north')",
  ],
  ['out of the caller’s rows', "UPDATE customers SET Region = 'south' WHERE Id = 2"],
]

test.each(MOVES)('a record that rows point to is %s meanwhile', async (_, sql) => {
  const file = 'Code,CustomerId\nnew a,1\nnew b,2\nold,2\nkept,1\n'
  const fields = { mode: 'upsert', keyFields: 'Code' }
  const upsert = { objectName: 'Sales', file, fields }
  const insert = { objectName: 'Sales', file: 'Code,CustomerId\nnew a,1\nnew b,2\n' }
  for (const sent of [insert, upsert]) {
    await using app = await startSales()
    const refused = refusal(await race(app, sql, sent), 400)
    expect(refused.code).toBe('VALIDATION_FAILED')
    const lines =
      sent === insert ? ['Rows[3].CustomerId'] : [3, 4].map((n) => `Rows[${n}].CustomerId`)
    expect(Object.keys(refused.fieldErrors ?? {})).toEqual(lines)
    expect(Object.values(refused.fieldErrors ?? {})).toEqual(
      lines.map(() => 'Customer: there is no such customer'),
    )
    expect(await listSales(app)).toEqual(['kept 1', 'old 3'])
  }
})

test('the rows that point elsewhere are taken where bad ones may be left out', async () => {
  for (const [, sql] of MOVES) {
    await using app = await startSales()
    const fields = { mode: 'upsert', keyFields: 'Code', onError: 'skip' }
    const file = 'Code,CustomerId\nnew a,1\nnew b,2\nold,2\nkept,1\n'
    const answer = await race(app, sql, { objectName: 'Sales', file, fields })
    expect([answer.status, answer.body.data?.Import]).toMatchObject([
      200,
      { Inserted: 1, Updated: 0, Failed: 2, Skipped: 1 },
    ])
    expect(await listSales(app)).toEqual(['kept 1', 'new a 1', 'old 3'])
  }
})

test('a record that a stored one points to already need not be theirs to pick', async () => {
  await using app = await startSales()
  const sql = "UPDATE customers SET Region = 'south' WHERE Id = 3"
  const fields = { mode: 'upsert', keyFields: 'Code' }
  const file = 'Code,CustomerId,OwnerId\nold,3,clerk\n'
  expect((await race(app, sql, { objectName: 'Sales', file, fields })).status).toBe(200)
})

test.each([
  ['was shut out', "UPDATE svc_users SET Active = 0 WHERE UserName = 'mate'"],
  [
    'left the company',
    `DELETE FROM svc_user_companies
     WHERE UserId = (SELECT Id FROM svc_users WHERE UserName = 'mate')`,
  ],
])('a user who %s meanwhile is nobody to point to', async (_, sql) => {
  await using app = await startSales()
  const sent = { objectName: 'Sales', file: 'Code,OwnerId\nnew,mate\n' }
  const refused = refusal(await race(app, sql, sent), 400)
  expect(Object.keys(refused.fieldErrors ?? {})).toEqual(['Rows[2].OwnerId'])
})

test('rows with statements of their own, and a Where of the row’s values', async () => {
  await using app = await startSales()
  const file = 'Code,Zone,CustomerId\nx,north,1\ny,north,2\n'
  const refused = refusal(await race(app, MOVES[2]?.[1] ?? '', { objectName: 'Bills', file }), 400)
  expect(Object.keys(refused.fieldErrors ?? {})).toEqual(['Rows[3].CustomerId'])
  expect(await app.stored('SELECT 1 FROM bills')).toEqual([])
  const good = { objectName: 'Bills', file: 'Code,Zone,CustomerId\nx,north,1\n' }
  expect((await race(app, 'UPDATE customers SET Name = Name', good)).status).toBe(200)
})
