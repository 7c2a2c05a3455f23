/** A digital media store in the shape of the public database Chinook, with data made for it. */
import storeXml from './store.xml' with { type: 'text' }
import { type Cell, SourceMaker, type SourceTable } from '../../support/account-takeover.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

export const CHINOOK: TestApplication = {
  files: [{ name: 'store.xml', body: String(storeXml) }],
  ...makePeople('ONLINE', { keeper: 'Keeper', support: ['Support', { EmployeeId: '3' }] }),
}

/** Keys of the employees; one of them is the user `support`. */
const EMPLOYEES = [1, 2, 3, 5, 6, 9, 11, 14]

const COUNTRIES = ['Brazil', 'Canada', 'Czech Republic', 'Germany', 'USA'] as const

/** Keys of the tables that others refer to. */
type Keys = ReturnType<typeof makeKeys>

const makeKeys = (make: SourceMaker) => ({
  artist: make.keys(20),
  album: make.keys(30),
  mediaType: make.keys(5),
  genre: make.keys(8),
  track: make.keys(150),
  playlist: make.keys(6),
  customer: make.keys(40),
  invoice: make.keys(80),
})

/** The tables in an order in which each finds what it refers to. */
export function makeChinook(seed: number): SourceTable[] {
  const make = new SourceMaker(seed)
  const ids = makeKeys(make)
  return [...planCatalogue(make, ids), ...planPeople(make, ids), ...planSales(make, ids)]
}

const planNames = (make: SourceMaker, keys: readonly number[], stem: string): Cell[][] =>
  make.shuffle(keys.map((key, at) => [key, make.text(stem, at)]))

function planCatalogue(make: SourceMaker, ids: Keys): SourceTable[] {
  return [
    {
      view: 'Artists',
      table: 'Artist',
      columns: ['ArtistId', 'Name'],
      rows: planNames(make, ids.artist, 'Artist'),
    },
    {
      view: 'Albums',
      table: 'Album',
      columns: ['AlbumId', 'Title', 'ArtistId'],
      rows: make.shuffle(
        ids.album.map((key, at) => [key, make.text('Album', at), make.pick(ids.artist)]),
      ),
    },
    {
      view: 'MediaTypes',
      table: 'MediaType',
      columns: ['MediaTypeId', 'Name'],
      rows: planNames(make, ids.mediaType, 'Media'),
    },
    {
      view: 'Genres',
      table: 'Genre',
      columns: ['GenreId', 'Name'],
      rows: planNames(make, ids.genre, 'Genre'),
    },
    {
      view: 'Tracks',
      table: 'Track',
      columns: [
        'TrackId',
        'Name',
        'AlbumId',
        'MediaTypeId',
        'GenreId',
        'Composer',
        'Milliseconds',
        'Bytes',
        'UnitPrice',
      ],
      rows: make.shuffle(
        ids.track.map((key, at) => [
          key,
          make.text('Track', at),
          make.pickOrNull(ids.album),
          make.pick(ids.mediaType),
          make.pickOrNull(ids.genre),
          make.pickOrNull(['Angus Young', 'J. S. Bach; arr.', 'Ñandú']),
          make.random.int(1000, 5_000_000),
          make.random.int(38_747, 1_059_546_140),
          make.pick([0.99, 1.99]),
        ]),
      ),
    },
  ]
}

function planPeople(make: SourceMaker, ids: Keys): SourceTable[] {
  const boss = 6
  return [
    {
      view: 'Playlists',
      table: 'Playlist',
      columns: ['PlaylistId', 'Name'],
      rows: planNames(make, ids.playlist, 'Playlist'),
    },
    {
      view: 'PlaylistTracks',
      table: 'PlaylistTrack',
      columns: ['PlaylistId', 'TrackId'],
      rows: make.shuffle(
        ids.playlist.flatMap((playlist) =>
          ids.track.filter(() => make.random.chance(0.2)).map((track) => [playlist, track]),
        ),
      ),
    },
    {
      view: 'Employees',
      table: 'Employee',
      columns: [
        'EmployeeId',
        'LastName',
        'FirstName',
        'Title',
        'ReportsTo',
        'BirthDate',
        'HireDate',
      ],
      // In this order some stand before whom they report to.
      rows: make.shuffle(
        EMPLOYEES.map((key, at) => [
          key,
          `Last${at}`,
          `First${at}`,
          key === boss ? 'General Manager' : null,
          key === boss ? null : boss,
          make.date(),
          make.date(),
        ]),
      ),
    },
  ]
}

function planSales(make: SourceMaker, ids: Keys): SourceTable[] {
  return [
    {
      view: 'Customers',
      table: 'Customer',
      columns: [
        'CustomerId',
        'FirstName',
        'LastName',
        'Company',
        'Country',
        'Email',
        'SupportRepId',
      ],
      rows: make.shuffle(
        ids.customer.map((key, at) => [
          key,
          `Given ${at}`,
          `Family ${at}`,
          make.pickOrNull(['Embraer', 'Apple Inc.', 'JetBrains s.r.o.']),
          make.pick(COUNTRIES),
          `c${key}@example.com`,
          make.pickOrNull(EMPLOYEES),
        ]),
      ),
    },
    {
      view: 'Invoices',
      table: 'Invoice',
      columns: ['InvoiceId', 'CustomerId', 'InvoiceDate', 'BillingCountry'],
      rows: make.shuffle(
        ids.invoice.map((key) => [
          key,
          make.pick(ids.customer),
          make.instant(),
          make.pick(COUNTRIES),
        ]),
      ),
    },
    {
      view: 'InvoiceLines',
      table: 'InvoiceLine',
      columns: ['InvoiceLineId', 'InvoiceId', 'TrackId', 'UnitPrice', 'Quantity'],
      rows: make.shuffle(
        make
          .keys(300)
          .map((key) => [
            key,
            make.pick(ids.invoice),
            make.pick(ids.track),
            make.pick([0.99, 1.99]),
            make.random.int(1, 3),
          ]),
      ),
    },
  ]
}
