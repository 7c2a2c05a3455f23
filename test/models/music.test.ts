/** A music store, from the first album to the paid invoice, over HTTP. */
import { describe, expect, test } from 'bun:test'
import { MUSIC } from './music/music.ts'
import { startApp } from '../support/app.ts'
import { data, Objects, refusal, type Row } from '../support/objects.ts'

/** The store with two artists, their albums, and a customer of each region at QUAY. */
async function openStore(): Promise<Objects> {
  const store = new Objects(await startApp({ application: MUSIC }))
  for (const Name of ['The Harbour Quartet', 'Wren & Daughter']) {
    await store.save('manager', 'Artists', { Name })
  }
  const album = (ArtistId: number, Title: string, titles: string[]) =>
    store.save(
      'manager',
      'Albums',
      { ArtistId, Title, Year: 2020 + ArtistId },
      {
        Details: {
          Tracks: {
            Upsert: titles.map((track, at) => ({
              Position: at + 1,
              Title: track,
              Seconds: 90 * (at + 1),
              GenreCode: 'jazz',
            })),
          },
        },
      },
    )
  await album(1, 'Low Tide', ['Pier', 'Gulls', 'Fog'])
  await album(2, 'Hedgerow', ['Thorn', 'Straße'])
  for (const Region of ['north', 'south']) {
    const Email = `${Region}@example.com`
    await store.save('manager', 'Customers', { Name: `Choir of the ${Region}`, Region, Email })
  }
  return store
}

const order = (store: Objects, as: string, CustomerId: number, lines: Row[]) =>
  store.submit(as, 'Invoices', { CustomerId }, { Details: { Lines: { Upsert: lines } } })

const column = (rows: readonly Row[], name: string) => rows.map((row) => row[name])

describe('the catalogue', () => {
  test('an album is entered with its tracks, and adds up', async () => {
    await using store = await openStore()
    const { Rows } = await store.table('manager', 'albums')
    expect(
      Rows.map(({ Title, ArtistId__Label, Tracks, Minutes }) => [
        Title,
        ArtistId__Label,
        Tracks,
        Minutes,
      ]),
    ).toEqual([
      ['Hedgerow', 'Wren & Daughter', 2, 4.5],
      ['Low Tide', 'The Harbour Quartet', 3, 9],
    ])
    const artists = (await store.table('manager', 'artists')).Rows
    expect(column(artists, 'Albums')).toEqual([1, 1])
    data(await store.remove('manager', 'Albums', { Id: 2 }))
    expect(column((await store.table('manager', 'artists')).Rows, 'Albums')).toEqual([1, 0])
    expect((await store.table('manager', 'tracks')).Pagination.TotalRows).toBe(3)
  })

  test('labels of labels, search in them, and texts of all of Unicode', async () => {
    await using store = await openStore()
    const upper = (await store.table('north', 'tracks', { SearchText: 'THORN' })).Rows
    const found = (await store.table('north', 'tracks', { SearchText: 'straße' })).Rows
    expect(column(found, 'AlbumId__Label')).toEqual(['Hedgerow Wren & Daughter'])
    expect(column(upper, 'Title')).toEqual(['Thorn'])
    const albums = (await store.table('north', 'albums', { SearchText: 'wren' })).Rows
    expect(column(albums, 'Title')).toEqual(['Hedgerow'])
  })

  test('broken unique rules stand at their fields', async () => {
    await using store = await openStore()
    const artist = refusal(
      await store.submit('manager', 'Artists', { Name: 'Wren & Daughter' }),
      400,
    )
    expect(Object.keys(artist.fieldErrors ?? {})).toEqual(['Name'])
    const album = { ArtistId: 1, Title: 'Low Tide' }
    const twice = refusal(await store.submit('manager', 'Albums', album), 400)
    expect(Object.keys(twice.fieldErrors ?? {})).toEqual(['ArtistId', 'Title'])
    const genre = refusal(
      await store.submit('manager', 'Genres', { Code: 'Pop!', Name: 'Pop' }, { IsNew: true }),
      400,
    )
    expect(genre.fieldErrors).toEqual({ Code: 'Small letters only' })
  })

  test('prices are lowered by whoever may, to the cent', async () => {
    await using store = await openStore()
    refusal(await store.act('north', 'Albums', 'Discount', { Id: 1, Percent: 10 }), 401)
    const out = refusal(
      await store.act('manager', 'Albums', 'Discount', { Id: 1, Percent: 60 }),
      400,
    )
    expect(Object.keys(out.fieldErrors ?? {})).toEqual(['Percent'])
    const done = data(await store.act('manager', 'Albums', 'Discount', { Id: 1, Percent: 10 }))
    expect(done.Dispatch).toMatchObject([{ Message: 'Low Tide: 10 % off' }])
    const tracks = (await store.table('manager', 'tracks')).Rows
    expect(column(tracks, 'Price')).toEqual([0.89, 0.89, 0.89, 0.99, 0.99])
  })
})

describe('a day at the counter', () => {
  test('an invoice is drafted, sent, paid; every figure follows', async () => {
    await using store = await openStore()
    const drafted = data(
      await order(store, 'north', 1, [{ TrackId: 1, Quantity: 10 }, { TrackId: 2 }]),
    )
    expect(drafted.Values).toMatchObject({ Total: 10.89, Status: 'draft', Region: 'north' })
    expect(drafted.Values.Number).toMatch(/^QUAY-\d\d-0001$/)
    const key = { Id: drafted.Values.Id }
    expect((await store.form('manager', 'Customers', { Id: 1 })).Values).toMatchObject({
      Owes: 0,
      Tier: 'new',
    })
    data(await store.act('north', 'Invoices', 'Send', {}, { Keys: [key] }))
    expect((await store.form('manager', 'Customers', { Id: 1 })).Values).toMatchObject({
      Owes: 10.89,
      Spent: 10.89,
      Tier: 'regular',
    })
    refusal(await store.act('north', 'Invoices', 'Pay', key), 401)
    const paid = data(await store.act('manager', 'Invoices', 'Pay', key))
    expect(paid.Dispatch).toMatchObject([
      { Message: `${String(drafted.Values.Number)}: 10.89 EUR received` },
    ])
    expect((await store.form('manager', 'Customers', { Id: 1 })).Values).toMatchObject({
      Owes: 0,
      Spent: 10.89,
    })
    const handedOn = await store.stored('SELECT Kind FROM svc_outbox ORDER BY Id')
    expect(column(handedOn, 'Kind')).toEqual(['mail'])
    expect(await store.stored('SELECT Title FROM svc_notifications')).not.toEqual([])
    expect(await store.stored('SELECT Name, Arguments FROM svc_jobs')).toEqual([
      { Name: 'PostPayment', Arguments: JSON.stringify({ InvoiceId: key.Id }) },
    ])
  })

  test('what is sent is closed, and can be had again at today’s prices', async () => {
    await using store = await openStore()
    const first = data(await order(store, 'north', 1, [{ TrackId: 3 }]))
    const Id = first.Values.Id
    data(await store.act('north', 'Invoices', 'Send', {}, { Keys: [{ Id }] }))
    const again = refusal(await store.act('north', 'Invoices', 'Send', {}, { Keys: [{ Id }] }), 400)
    expect(again.code).toBe('NOT_PERMITTED_NOW')
    const late = { InvoiceId: Id, TrackId: 1 }
    refusal(await store.submit('north', 'InvoiceLines', late), 400)
    expect(
      refusal(await store.submit('north', 'InvoiceLines', { Id: 1, Quantity: 9 }), 400).code,
    ).toBe('NOT_PERMITTED_NOW')
    data(await store.act('manager', 'Albums', 'Discount', { Id: 1, Percent: 50 }))
    data(await store.act('north', 'Invoices', 'Repeat', { Id }))
    const rows = (await store.table('north', 'invoices', { Preset: 'Drafts' })).Rows
    expect(column(rows, 'Total')).toEqual([0.5])
    expect((await store.stored('SELECT Total FROM invoices ORDER BY Id'))[0]).toEqual({
      Total: 0.99,
    })
  })

  test('one draft a customer, no invoice without lines, no debt above the limit', async () => {
    await using store = await openStore()
    const draft = data(await order(store, 'north', 1, []))
    const twice = refusal(await order(store, 'north', 1, []), 400)
    expect(Object.keys(twice.fieldErrors ?? {})).toEqual(['CustomerId'])
    const key = { Id: draft.Values.Id }
    const empty = refusal(await store.act('north', 'Invoices', 'Send', {}, { Keys: [key] }), 400)
    expect(empty.error).toContain('without lines')
    await store.save('north', 'InvoiceLines', { InvoiceId: key.Id, TrackId: 1, Quantity: 60 })
    const over = refusal(await store.act('north', 'Invoices', 'Send', {}, { Keys: [key] }), 400)
    expect(over.fieldErrors).toEqual({
      'Customer.Owes': 'The customer would owe more than the limit',
    })
    const [stored] = await store.stored('SELECT Status, Total FROM invoices')
    expect(stored).toEqual({ Status: 'draft', Total: 59.4 })
  })

  test('several invoices are sent together or not at all', async () => {
    await using store = await openStore()
    const ids: Row[] = []
    for (const [customer, track] of [
      [1, 1],
      [2, 2],
    ] as const) {
      const { Values } = data(await order(store, 'manager', customer, [{ TrackId: track }]))
      ids.push({ Id: Values.Id })
    }
    const [first, second] = ids
    data(await store.act('manager', 'Invoices', 'Send', {}, { Keys: [first] }))
    refusal(await store.act('manager', 'Invoices', 'Send', {}, { Keys: [second, first] }), 400)
    expect(column(await store.stored('SELECT Status FROM invoices ORDER BY Id'), 'Status')).toEqual(
      ['sent', 'draft'],
    )
    refusal(await store.act('north', 'Invoices', 'Send', {}, { Keys: [second] }), 404)
  })

  test('regions and branches do not meet', async () => {
    await using store = await openStore()
    const mine = data(await order(store, 'north', 1, [{ TrackId: 1 }]))
    const Id = mine.Values.Id
    expect(column((await store.table('south', 'customers')).Rows, 'Name')).toEqual([
      'Choir of the south',
    ])
    expect((await store.call('south', '/invoices/form', { Parameters: { Id } })).status).toBe(404)
    refusal(await store.submit('south', 'Customers', { Id: 1, Name: 'Mine now' }), 404)
    refusal(await order(store, 'south', 1, []), 400)
    refusal(await store.submit('south', 'Customers', { Name: 'Far', Region: 'north' }), 400)
    expect((await store.table('wharf', 'customers')).Rows).toEqual([])
    expect((await store.table('wharf', 'invoices')).Rows).toEqual([])
    refusal(await order(store, 'wharf', 1, []), 400)
    refusal(await store.act('wharf', 'Invoices', 'Pay', { Id }), 404)
    const customer = (await store.table('north', 'customers')).Rows[0]
    expect(customer).not.toHaveProperty('Spent')
    const raised = { Id: 1, CreditLimit: 9999, RowVersion: customer?.RowVersion }
    await store.save('north', 'Customers', raised)
    expect(await store.stored('SELECT CreditLimit FROM customers WHERE Id = 1')).toEqual([
      { CreditLimit: 50 },
    ])
  })

  test('a form helps: defaults that depend, options that search', async () => {
    await using store = await openStore()
    const form = await store.form('north', 'Invoices')
    expect(form.Values).toMatchObject({ Status: 'draft' })
    const options = data(
      await store.call<Row[]>('north', '/field-dataset', {
        FormName: 'Invoices',
        FieldName: 'CustomerId',
        SearchText: 'choir',
      }),
    )
    expect(column(options, 'Label')).toEqual(['Choir of the north'])
    const price = data(
      await store.call<Row[]>('north', '/field-dataset', {
        FormName: 'InvoiceLines',
        FieldName: 'Price',
        Parameters: { TrackId: 1 },
      }),
    )
    expect(column(price, 'Value')).toEqual(['0.99'])
  })
})

describe('playlists', () => {
  test('a list of tracks, its own to change, seen by others when public', async () => {
    await using store = await openStore()
    const made = await store.save('ear', 'Playlists', { Name: 'Rain', Tracks: [1, 3] })
    expect(made.Values).toMatchObject({ Tracks: [1, 3], Minutes: 6 })
    expect((await store.table('other', 'playlists')).Rows).toEqual([])
    const Id = made.Values.Id
    await store.save('ear', 'Playlists', { Id, Public: true, Tracks: [3, 5] })
    const seen = await store.form('other', 'Playlists', { Id })
    expect(seen.Values).toMatchObject({ Tracks: [3, 5], Minutes: 7.5 })
    const foreign = refusal(await store.submit('other', 'Playlists', { Id, Tracks: [] }), 400)
    expect(foreign.code).toBe('NOT_PERMITTED_NOW')
    refusal(await store.submit('ear', 'Playlists', { Id, Tracks: [77] }), 400)
    data(await store.remove('ear', 'Playlists', { Id }))
    expect(await store.stored('SELECT * FROM playlist_tracks')).toEqual([])
  })
})
