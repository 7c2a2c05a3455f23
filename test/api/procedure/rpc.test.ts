/**
 * Stored procedures (src/server/README.md, Objects): who may call which, with what, and what comes.
 */
import { describe, expect, test } from 'bun:test'
import { type CallOptions, startApp, type TestApp } from '../../support/app.ts'
import type { Refusal, Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Item" Table="items" Display="Name" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Sequence="ItemCode"/>
  <Column Name="Name" Type="Text" Required="true" MaxLength="20"/>
  <Column Name="Price" Type="Decimal" Scale="2"/>
  <Column Name="IsOpen" Type="Boolean"/>
  <Column Name="Day" Type="Date"/>
  <Column Name="At" Type="DateTime"/>
  <Column Name="Uid" Type="Guid"/>
  <Column Name="Data" Type="Json"/>
  <Sequence Name="ItemCode" Format="I{###}" PerCompany="true"/>
  <Validate Field="Price" Message="Too dear">SELECT coalesce(@Price, 0) &lt; 1000</Validate>
</Entity>
<ObjectView Name="Items" Entity="Item"/>
<StoredProcedure Name="Prices" Label="Prices of items" Mode="Read">
  <Parameter Name="MinPrice" Type="Decimal" Scale="2" Default="0" Min="0"/>
  <Parameter Name="Kind" Type="Text" Default="all"><Option Value="all" Label="All"/><Option Value="open" Label="Open"/></Parameter>
  <Parameter Name="Code" Type="Text" Pattern="I[0-9]+" PatternMessage="An I and digits"/>
  <Parameter Name="Since" Type="Date" Default="@YearStart"/>
  <Sql Into="Dearest">SELECT max(Price) FROM items</Sql>
  <Sql Result="Items">SELECT *, Price * 1.5 AS More, @Dearest AS Dearest, length(Name) AS Letters FROM items WHERE Price &gt;= @MinPrice AND (@Kind = 'all' OR IsOpen) ORDER BY Id</Sql>
  <Sql Result="Facts">SELECT count(*) AS N, NULL AS Blank, @CurrentUserName AS Who, @Kind AS Kind, @CurrentCompanyId AS Company FROM items</Sql>
</StoredProcedure>
<StoredProcedure Name="Raise" Mode="Write" Resource="Pricing">
  <Parameter Name="Id" Type="Integer" Required="true"/>
  <Parameter Name="By" Type="Decimal" Required="true"/>
  <Sql Into="Before">SELECT Price FROM items WHERE Id = @Id</Sql>
  <Sql Result="Raised" Rows="1" Message="There is no such item">UPDATE items SET Price = Price + @By WHERE Id = @Id RETURNING Id, Price, IsOpen, Data, Price - @Before AS Difference</Sql>
  <Sql Into="Made">INSERT INTO items (CompanyId, Code, Name, Price) VALUES (@CurrentCompanyId, @Next_ItemCode, 'made', @Before) RETURNING Id</Sql>
  <Sql Result="All">SELECT count(*) AS N, @Made AS Made FROM items</Sql>
</StoredProcedure>
<StoredProcedure Name="Many" Mode="Read">
  <Parameter Name="N" Type="Integer" Required="true"/>
  <Sql Result="Rows">WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i &lt; @N) SELECT i, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' AS Filler FROM n</Sql>
</StoredProcedure>
<StoredProcedure Name="Endless">
  <Sql Result="N">WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS N FROM n</Sql>
</StoredProcedure>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Endless" Capabilities="Execute"/>
    <Grant Resource="Items" Verbs="View List Create Update"/>
    <Grant Resource="Prices" Capabilities="Execute"/>
    <Grant Resource="Pricing" Capabilities="Execute"/>
    <Grant Resource="Many" Capabilities="Execute"/>
  </Role>
  <Role Name="Reader"><Grant Resource="Prices" Capabilities="Execute"/></Role>
</Rbac>
<Texts Language="de"><Text Of="Prices">Preise</Text></Texts>
</Model>`

const ITEMS: TestApplication = {
  files: [{ name: 'items.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System in ONE TWO',
    ana: 'Clerk@ONE',
    rea: 'Reader@ONE',
    cy: 'Clerk@TWO in TWO',
    dee: '',
  }),
}

interface Sets {
  ResultSets: Record<string, { Columns: { Name: string; ClrType: string }[]; Rows: Row[] }>
  RowsAffected: number
}

const BASE = '/api/v1/svc/rpc'

async function startItems(settings: Record<string, string> = {}) {
  const app = await startApp({ application: ITEMS, settings })
  const item = (Name: string, more: Row, as = 'ana') =>
    app.fetch('/api/v1/svc/object/submit', {
      as,
      body: { FormName: 'Items', Parameters: { Name, ...more } },
    })
  const day = `${new Date().getUTCFullYear()}-05-04`
  await item('lamp', {
    Price: 10.1,
    IsOpen: true,
    Day: day,
    At: `${day}T10:00:00Z`,
    Uid: '7f1c9c0e-5b1d-4c39-9d0e-3f8f5a3a1b2c',
    Data: { a: [1] },
  })
  await item('desk', { Price: 99.99, IsOpen: false })
  await item('foreign', { Price: 500 }, 'cy')
  return { app, ...open(app), day, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

function open(app: TestApp) {
  const call = (name: string, Parameters?: Row, more: CallOptions = {}) =>
    app.fetch<Refusal & { data: Sets }>(`${BASE}/${name}`, {
      as: 'ana',
      body: { Parameters },
      ...more,
    })
  const sets = async (name: string, parameters?: Row, more?: CallOptions): Promise<Sets> => {
    const { status, text, body } = await call(name, parameters, more)
    expect({ status, text }).toMatchObject({ status: 200 })
    return body.data
  }
  return { call, sets }
}

describe('a procedure that reads', () => {
  test('returns its sets with typed columns and rows', async () => {
    await using items = await startItems()
    const { ResultSets, RowsAffected } = await items.sets('Prices')
    expect(RowsAffected).toBe(0)
    expect(Object.keys(ResultSets)).toEqual(['Items', 'Facts'])
    expect(ResultSets.Items?.Columns).toEqual([
      { Name: 'Id', ClrType: 'System.Int64' },
      { Name: 'CompanyId', ClrType: 'System.Int64' },
      { Name: 'Code', ClrType: 'System.String' },
      { Name: 'Name', ClrType: 'System.String' },
      { Name: 'Price', ClrType: 'System.Decimal' },
      { Name: 'IsOpen', ClrType: 'System.Boolean' },
      { Name: 'Day', ClrType: 'System.DateOnly' },
      { Name: 'At', ClrType: 'System.DateTime' },
      { Name: 'Uid', ClrType: 'System.Guid' },
      { Name: 'Data', ClrType: 'System.String' },
      { Name: 'More', ClrType: 'System.Decimal' },
      { Name: 'Dearest', ClrType: 'System.Decimal' },
      { Name: 'Letters', ClrType: 'System.Int64' },
    ])
    expect(ResultSets.Items?.Rows).toEqual([
      {
        Id: 1,
        CompanyId: 1,
        Code: 'I001',
        Name: 'lamp',
        Price: 10.1,
        IsOpen: true,
        Day: items.day,
        At: `${items.day}T10:00:00.000Z`,
        Data: { a: [1] },
        Uid: '7f1c9c0e-5b1d-4c39-9d0e-3f8f5a3a1b2c',
        More: 15.15,
        Dearest: 99.99,
        Letters: 4,
      },
      {
        Id: 2,
        CompanyId: 1,
        Code: 'I002',
        Name: 'desk',
        Price: 99.99,
        IsOpen: false,
        Day: null,
        At: null,
        Uid: null,
        Data: null,
        More: 149.985,
        Dearest: 99.99,
        Letters: 4,
      },
    ])
    expect(ResultSets.Facts?.Rows).toEqual([
      { N: 2, Blank: null, Who: 'ana', Kind: 'all', Company: 1 },
    ])
  })

  test('takes declared parameters only, whatever their case', async () => {
    await using items = await startItems()
    const given = { minPRICE: '50', kind: 'all', CurrentCompanyId: 2, currentusername: 'x', N: 1 }
    const { ResultSets } = await items.sets('prices', given)
    expect(ResultSets.Items?.Rows.map(({ Id }) => Id)).toEqual([2])
    expect(ResultSets.Facts?.Rows[0]).toMatchObject({ Company: 1, Who: 'ana' })
  })

  test.each([
    [{ MinPrice: 'much' }, 'MinPrice'],
    [{ MinPrice: -1 }, 'MinPrice'],
    [{ Kind: 'none' }, 'Kind'],
    [{ Code: 'X1' }, 'Code'],
    [{ Since: 'soon' }, 'Since'],
    [{ MinPrice: { a: 1 } }, 'MinPrice'],
  ])('refuses %p at its field', async (parameters, field) => {
    await using items = await startItems()
    const { status, body } = await items.call('Prices', parameters)
    expect({ status, code: body.code, fields: Object.keys(body.fieldErrors ?? {}) }).toEqual({
      status: 400,
      code: 'VALIDATION_FAILED',
      fields: [field],
    })
  })

  test('more rows or bytes than the limit are a refusal that names it', async () => {
    await using items = await startItems({
      'Svc:Results:MaxRows': '10',
      'Svc:Results:MaxBytes': '1KB',
    })
    const many = await items.call('Many', { N: 11 })
    expect(many).toMatchObject({ status: 400, body: { code: 'RESULT_TOO_LARGE' } })
    expect(many.body.error).toContain('Svc:Results:MaxRows')
    const large = await items.call('Many', { N: 10 })
    expect(large).toMatchObject({ status: 400, body: { code: 'RESULT_TOO_LARGE' } })
    expect(large.body.error).toContain('Svc:Results:MaxBytes')
    expect((await items.sets('Many', { N: 5 })).ResultSets.Rows?.Rows).toHaveLength(5)
  })

  test('what runs away is ended at the deadline, and others go on', async () => {
    await using items = await startItems({ 'Svc:Sql:Timeout': '2s', 'Svc:Sql:Lanes': '2' })
    let isOver = false
    const running = items.call('Endless').finally(() => (isOver = true))
    expect((await items.call('Prices')).status).toBe(200)
    expect(isOver).toBe(false)
    const endless = await running
    expect(endless.status).toBe(400)
    expect(endless.body.error).toContain('Svc:Sql:Timeout')
    expect((await items.call('Prices')).status).toBe(200)
  })
})

describe('a procedure that writes', () => {
  test('runs in one transaction, with rules, audit and numbers', async () => {
    await using items = await startItems()
    const { ResultSets, RowsAffected } = await items.sets('Raise', { Id: 1, By: 0.2 })
    expect(RowsAffected).toBe(2)
    expect(ResultSets.Raised?.Columns.map(({ ClrType }) => ClrType.slice(7))).toEqual([
      ...['Int64', 'Decimal', 'Boolean', 'String', 'Decimal'],
    ])
    expect(ResultSets.Raised?.Rows[0]).toMatchObject({ Id: 1, Price: 10.3, IsOpen: true })
    expect(ResultSets.All?.Rows).toEqual([{ N: 3, Made: 4 }])
    const audit = await items.app.store.all({
      sql: "SELECT Action, Source FROM svc_audit WHERE Source = 'rpc/Raise' ORDER BY Id",
      args: {},
      runs: 'lane',
    })
    expect(audit.map(({ Action }) => Action).sort()).toEqual(['insert', 'update'])
  })

  test('a rule, another number of rows, a foreign record: nothing stays', async () => {
    await using items = await startItems()
    const before = await items.sets('Prices')
    const rule = await items.call('Raise', { Id: 1, By: 2000 })
    expect(rule).toMatchObject({ status: 400, body: { fieldErrors: { Price: 'Too dear' } } })
    for (const Id of [99, 3]) {
      const missing = await items.call('Raise', { Id, By: 1 })
      expect(missing).toMatchObject({ status: 400, body: { error: 'There is no such item' } })
    }
    expect((await items.call('Raise', { Id: 1 })).body.fieldErrors).toHaveProperty('By')
    expect(await items.sets('Prices')).toEqual(before)
  })

  test('honours an Idempotency-Key', async () => {
    await using items = await startItems()
    const headers = { 'Idempotency-Key': 'raise-1' }
    const first = await items.call('Raise', { Id: 1, By: 1 }, { headers })
    const again = await items.call('Raise', { Id: 1, By: 1 }, { headers })
    expect(again.text).toBe(first.text)
    expect(again.headers.get('Idempotency-Replayed')).toBe('true')
    expect((await items.sets('Prices')).ResultSets.Items?.Rows[0]).toMatchObject({ Price: 11.1 })
    const read = await items.call('Prices', {}, { headers: { 'Idempotency-Key': 'raise-1' } })
    expect(read.body.data.ResultSets).toHaveProperty('Items')
  })
})

describe('who may', () => {
  test('those with Execute on the resource see and call it, others neither', async () => {
    await using items = await startItems()
    const names = async (as: string) =>
      (await items.app.fetch<{ data: Row[] }>(BASE, { as })).body.data.map(({ Name }) => Name)
    expect(await names('ana')).toEqual(['Endless', 'Many', 'Prices', 'Raise'])
    expect(await names('rea')).toEqual(['Prices'])
    expect(await names('dee')).toEqual([])
    expect(await names('root')).toEqual(['Endless', 'Many', 'Prices', 'Raise'])
    for (const [as, name] of [
      ['rea', 'Raise'],
      ['dee', 'Prices'],
    ] as const) {
      for (const method of ['GET', 'POST']) {
        const body = method === 'POST' ? { Parameters: { Id: 'x' } } : undefined
        const answer = await items.app.fetch(`${BASE}/${name}`, { as, method, body })
        expect(answer).toMatchObject({ status: 401, body: { code: 'PERMISSION_DENIED' } })
      }
    }
  })

  test('control routes: unknown names are 404; what is no name, and too much, is 400', async () => {
    await using items = await startItems()
    expect((await items.call('NoSuch')).status).toBe(404)
    for (const name of ['..%2fx', '%2e%2e%2fx', 'a%00b', 'x'.repeat(5000), '__proto__'])
      expect({ name, status: (await items.call(name)).status }).toEqual({ name, status: 400 })
    const large = await items.call('Prices', { Code: 'I'.repeat(1024 * 1024) })
    expect(large).toMatchObject({ status: 400 })
  })

  test('a description has parameters and results, and no SQL; labels are translated', async () => {
    await using items = await startItems()
    const { body, text } = await items.app.fetch<{ data: Row }>(`${BASE}/prices`, {
      as: 'ana',
      headers: { 'Accept-Language': 'de' },
    })
    expect(body.data).toMatchObject({
      Name: 'Prices',
      Label: 'Preise',
      Mode: 'Read',
      Parameters: [
        { Name: 'MinPrice', Type: 'Decimal', Default: { Value: '0' }, Min: '0' },
        { Name: 'Kind', Options: [{ Value: 'all' }, { Value: 'open' }] },
        { Name: 'Code', Pattern: 'I[0-9]+' },
        { Name: 'Since', Default: { Computed: true } },
      ],
    })
    expect(text).not.toMatch(/select|from items/i)
  })
})
