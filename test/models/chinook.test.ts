/** A media store in the shape of Chinook: its data is taken over key by key, then it is used. */
import { describe, expect, test } from 'bun:test'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import { CHINOOK, makeChinook } from './chinook/chinook.ts'
import { expectTaken, type SourceTable, takeOver, toCsv } from '../support/account-takeover.ts'
import { startApp } from '../support/app.ts'
import { Imports } from '../support/imports.ts'
import { data, refusal } from '../support/objects.ts'

const SOURCE = makeChinook(11)

const find = (table: string): SourceTable => {
  const found = SOURCE.find((source) => source.table === table)
  if (!found) throw new Error(`There is no table ${table}`)
  return found
}

/** One column of a table of the source. */
const column = (table: string, name: string) => {
  const { columns, rows } = find(table)
  return rows.map((row) => row[columns.indexOf(name)] ?? null)
}

async function openStore(): Promise<Imports> {
  const store = new Imports(await startApp({ application: CHINOOK }))
  await takeOver(store, 'keeper', SOURCE)
  return store
}

describe('the take-over', () => {
  test('keeps every key, reference and figure; numbers go on behind', async () => {
    await using store = await openStore()
    await expectTaken(store, SOURCE)
    const taken = column('Artist', 'ArtistId').map(Number)
    const next = await store.save('keeper', 'Artists', { Name: 'Newcomer' })
    expect(next.Values.ArtistId).toBe(Math.max(...taken) + 1)
  })

  test('without keepKeys is refused before a row is stored', async () => {
    await using store = new Imports(await startApp({ application: CHINOOK }))
    const file = toCsv(find('Artist'))
    const refused = refusal(await store.send('keeper', { objectName: 'Artists', file }), 400)
    expect(refused.error).toContain('keepKeys')
    expect(await store.stored('SELECT count(*) AS Number FROM Artist')).toEqual([{ Number: 0 }])
  })

  test('of the same file twice is refused as a whole', async () => {
    await using store = await openStore()
    const again = { objectName: 'Tracks', file: toCsv(find('Track')), fields: { keepKeys: 'true' } }
    const refused = refusal(await store.send('keeper', again), 400)
    expect(Object.keys(refused.fieldErrors ?? {})[0]).toMatch(/^Rows\[2\]\.TrackId$/)
    await expectTaken(store, SOURCE)
  })
})

describe('the store', () => {
  test('adds its invoices up as the source does, to the cent', async () => {
    await using store = await openStore()
    const cents = new Map<number, number>()
    const invoices = column('InvoiceLine', 'InvoiceId')
    const prices = column('InvoiceLine', 'UnitPrice')
    const quantities = column('InvoiceLine', 'Quantity')
    for (const [at, invoice] of invoices.entries()) {
      const amount = Math.round(Number(prices[at]) * 100) * Number(quantities[at])
      cents.set(Number(invoice), (cents.get(Number(invoice)) ?? 0) + amount)
    }
    const { Rows } = await store.table('keeper', 'invoices', { PageSize: 1000 })
    expect(Rows).toHaveLength(column('Invoice', 'InvoiceId').length)
    expect(Rows.map((row) => [row.InvoiceId, row.Total])).toEqual(
      Rows.map((row) => [row.InvoiceId, (cents.get(Number(row.InvoiceId)) ?? 0) / 100]),
    )
  })

  test('lists the tracks of a playlist, and exports what it imported', async () => {
    await using store = await openStore()
    const playlist = Number(column('Playlist', 'PlaylistId')[0])
    const expected = find('PlaylistTrack')
      .rows.filter(([key]) => key === playlist)
      .map(([, track]) => track)
    const { Values } = await store.form('keeper', 'Playlists', { PlaylistId: playlist })
    expect([...(Values.Tracks as number[])].sort((a, b) => a - b)).toEqual(
      expected.map(Number).sort((a, b) => a - b),
    )
  })

  test('shows its support staff their own customers, and the invoices of these', async () => {
    await using store = await openStore()
    const own = column('Customer', 'CustomerId').filter(
      (_, at) => column('Customer', 'SupportRepId')[at] === 3,
    )
    const customers = (await store.table('support', 'customers', { PageSize: 1000 })).Rows
    expect(customers.map((row) => row.CustomerId).sort()).toEqual([...own].sort())
    const invoices = (await store.table('support', 'invoices', { PageSize: 1000 })).Rows
    expect(invoices.every((row) => own.includes(row.CustomerId as number))).toBe(true)
    const owners = column('Invoice', 'CustomerId')
    expect(invoices).toHaveLength(owners.filter((key) => own.includes(key)).length)
  })

  test('tells sales by country as the source has them', async () => {
    await using store = await openStore()
    const answer = await store.app.fetch<{
      data: { ResultSets: Record<string, { Rows: unknown[] }> }
    }>('/api/v1/svc/rpc/SalesByCountry', { as: 'keeper', body: {} })
    const countries = new Set(column('Invoice', 'BillingCountry'))
    expect(answer.body.data.ResultSets.Countries?.Rows).toHaveLength(countries.size)
  })

  test('refuses a circle among its employees', async () => {
    await using store = await openStore()
    const keys = column('Employee', 'EmployeeId')
    const reports = column('Employee', 'ReportsTo')
    const boss = keys[reports.indexOf(null)]
    const worker = keys[reports.findIndex((to) => to === boss)]
    const circle = await store.submit('keeper', 'Employees', {
      EmployeeId: boss,
      ReportsTo: worker,
    })
    expect(Object.keys(refusal(circle, 400).fieldErrors ?? {})).toEqual(['ReportsTo'])
    data(await store.submit('keeper', 'Employees', { EmployeeId: worker, Title: 'Sales Manager' }))
  })
})

describe('the store grows', () => {
  /** Countries become records; the migration reads the column that goes. */
  const COUNTRIES = {
    name: 'countries.xml',
    body: `<Model>
  <Entity Name="Country" Table="Country" Display="Name">
    <Column Name="CountryId" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Name" Type="Text" Required="true" Unique="true" MaxLength="40"/>
  </Entity>
  <ObjectView Name="Countries" Entity="Country"/>
  <Migration Name="CountriesOfCustomers">
    <Sql>INSERT INTO Country (Name) SELECT DISTINCT Country FROM Customer WHERE Country IS NOT NULL ORDER BY Country</Sql>
    <Sql>UPDATE Customer SET CountryId = (SELECT c.CountryId FROM Country c WHERE c.Name = Customer.Country)</Sql>
  </Migration>
</Model>`,
  }
  const FILES = [
    ...CHINOOK.files.map(({ name, body }) => ({
      name,
      body: body.replace(
        /(<Entity Name="Customer"[^]*?)<Column Name="Country" Type="Text" MaxLength="40"\/>/,
        '$1<Column Name="CountryId" References="Country"/>',
      ),
    })),
    COUNTRIES,
  ]

  test('countries of customers become records, in one deploy, once', async () => {
    await using store = await openStore()
    const { store: database, models, clock } = store.app.context
    const refused = await deployModel(database, models, FILES, {}, clock)
    expect([refused.isDone, refused.plan.faults]).toEqual([false, []])
    expect(refused.plan.losses.join()).toContain('Country')
    const done = await deployModel(database, models, FILES, { allowDataLoss: true }, clock)
    expect(done.isDone).toBe(true)
    const { Rows } = await store.table('keeper', 'customers', { PageSize: 1000 })
    const expected = new Map(
      column('Customer', 'CustomerId').map((key, at) => [key, column('Customer', 'Country')[at]]),
    )
    expect(Rows).toHaveLength(expected.size)
    for (const row of Rows)
      expect([row.CustomerId, row.CountryId__Label]).toEqual([
        row.CustomerId,
        expected.get(row.CustomerId as number),
      ])
    const again = await deployModel(database, models, FILES, {}, clock)
    expect(again.isDone).toBe(true)
    const countries = await store.stored('SELECT count(*) AS Number FROM Country')
    expect(countries).toEqual([{ Number: new Set(expected.values()).size }])
  })
})
