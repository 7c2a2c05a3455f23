/** The shape of Chinook: NVARCHAR, NUMERIC(10,2), DATETIME, a list of pairs, a tree of people. */
import { insertRows } from './sources.ts'

const TABLES = `
CREATE TABLE [Album] (
  [AlbumId] INTEGER NOT NULL, [Title] NVARCHAR(160) NOT NULL, [ArtistId] INTEGER NOT NULL,
  CONSTRAINT [PK_Album] PRIMARY KEY ([AlbumId]),
  FOREIGN KEY ([ArtistId]) REFERENCES [Artist] ([ArtistId]) ON DELETE NO ACTION ON UPDATE NO ACTION);
CREATE TABLE [Artist] ([ArtistId] INTEGER NOT NULL, [Name] NVARCHAR(120),
  CONSTRAINT [PK_Artist] PRIMARY KEY ([ArtistId]));
CREATE TABLE [Customer] (
  [CustomerId] INTEGER NOT NULL, [FirstName] NVARCHAR(40) NOT NULL, [LastName] NVARCHAR(20) NOT NULL,
  [Company] NVARCHAR(80), [Address] NVARCHAR(70), [City] NVARCHAR(40), [Country] NVARCHAR(40),
  [PostalCode] NVARCHAR(10), [Email] NVARCHAR(60) NOT NULL, [SupportRepId] INTEGER,
  CONSTRAINT [PK_Customer] PRIMARY KEY ([CustomerId]),
  FOREIGN KEY ([SupportRepId]) REFERENCES [Employee] ([EmployeeId]));
CREATE TABLE [Employee] (
  [EmployeeId] INTEGER NOT NULL, [LastName] NVARCHAR(20) NOT NULL, [FirstName] NVARCHAR(20) NOT NULL,
  [Title] NVARCHAR(30), [ReportsTo] INTEGER, [BirthDate] DATETIME, [HireDate] DATETIME,
  CONSTRAINT [PK_Employee] PRIMARY KEY ([EmployeeId]),
  FOREIGN KEY ([ReportsTo]) REFERENCES [Employee] ([EmployeeId]));
CREATE TABLE [Genre] ([GenreId] INTEGER NOT NULL, [Name] NVARCHAR(120),
  CONSTRAINT [PK_Genre] PRIMARY KEY ([GenreId]));
CREATE TABLE [Invoice] (
  [InvoiceId] INTEGER NOT NULL, [CustomerId] INTEGER NOT NULL, [InvoiceDate] DATETIME NOT NULL,
  [BillingAddress] NVARCHAR(70), [BillingCountry] NVARCHAR(40), [Total] NUMERIC(10,2) NOT NULL,
  CONSTRAINT [PK_Invoice] PRIMARY KEY ([InvoiceId]),
  FOREIGN KEY ([CustomerId]) REFERENCES [Customer] ([CustomerId]));
CREATE TABLE [InvoiceLine] (
  [InvoiceLineId] INTEGER NOT NULL, [InvoiceId] INTEGER NOT NULL, [TrackId] INTEGER NOT NULL,
  [UnitPrice] NUMERIC(10,2) NOT NULL, [Quantity] INTEGER NOT NULL,
  CONSTRAINT [PK_InvoiceLine] PRIMARY KEY ([InvoiceLineId]),
  FOREIGN KEY ([InvoiceId]) REFERENCES [Invoice] ([InvoiceId]),
  FOREIGN KEY ([TrackId]) REFERENCES [Track] ([TrackId]));
CREATE TABLE [MediaType] ([MediaTypeId] INTEGER NOT NULL, [Name] NVARCHAR(120),
  CONSTRAINT [PK_MediaType] PRIMARY KEY ([MediaTypeId]));
CREATE TABLE [Playlist] ([PlaylistId] INTEGER NOT NULL, [Name] NVARCHAR(120),
  CONSTRAINT [PK_Playlist] PRIMARY KEY ([PlaylistId]));
CREATE TABLE [PlaylistTrack] ([PlaylistId] INTEGER NOT NULL, [TrackId] INTEGER NOT NULL,
  CONSTRAINT [PK_PlaylistTrack] PRIMARY KEY ([PlaylistId], [TrackId]),
  FOREIGN KEY ([PlaylistId]) REFERENCES [Playlist] ([PlaylistId]),
  FOREIGN KEY ([TrackId]) REFERENCES [Track] ([TrackId]));
CREATE TABLE [Track] (
  [TrackId] INTEGER NOT NULL, [Name] NVARCHAR(200) NOT NULL, [AlbumId] INTEGER,
  [MediaTypeId] INTEGER NOT NULL, [GenreId] INTEGER, [Composer] NVARCHAR(220),
  [Milliseconds] INTEGER NOT NULL, [Bytes] INTEGER, [UnitPrice] NUMERIC(10,2) NOT NULL,
  CONSTRAINT [PK_Track] PRIMARY KEY ([TrackId]),
  FOREIGN KEY ([AlbumId]) REFERENCES [Album] ([AlbumId]),
  FOREIGN KEY ([GenreId]) REFERENCES [Genre] ([GenreId]),
  FOREIGN KEY ([MediaTypeId]) REFERENCES [MediaType] ([MediaTypeId]));
CREATE INDEX [IFK_AlbumArtistId] ON [Album] ([ArtistId]);
CREATE INDEX [IFK_TrackAlbumId] ON [Track] ([AlbumId]);
`

/** How many rows each table has. */
export const CHINOOK_ROWS: Readonly<Record<string, number>> = {
  Album: 6,
  Artist: 4,
  Customer: 5,
  Employee: 3,
  Genre: 2,
  Invoice: 8,
  InvoiceLine: 24,
  MediaType: 1,
  Playlist: 2,
  PlaylistTrack: 15,
  Track: 12,
}

const COUNTRIES = ['Brazil', 'Germany', 'Brazil', 'USA', 'Germany'] as const

/** The statements that make it; keys have gaps, and the first artist has no albums. */
export const CHINOOK_SQL = [
  TABLES,
  insertRows('Artist', 4, (at) => [at * 3, ['AC/DC', 'Accept', 'Björk', "O'Neil"][at - 1] ?? '']),
  insertRows('Album', 6, (at) => [at, `Album ${at}`, (1 + Math.ceil(at / 2)) * 3]),
  insertRows('Genre', 2, (at) => [at, ['Rock', 'Jazz'][at - 1] ?? '']),
  insertRows('MediaType', 1, (at) => [at, 'MPEG audio file']),
  insertRows('Track', 12, (at) => [
    ...[at, `Track ${at}`, at === 12 ? null : Math.ceil(at / 2), 1, at % 2 === 0 ? 1 : 2],
    ...[at % 3 === 0 ? null : 'Angus Young', at * 1000, at * 7, at % 2 === 0 ? 0.99 : 1.99],
  ]),
  insertRows('Playlist', 2, (at) => [at, ['Music', '90’s Music'][at - 1] ?? '']),
  insertRows('PlaylistTrack', 15, (at) => (at <= 12 ? [1, at] : [2, at - 12])),
  insertRows('Employee', 3, (at) => [
    ...[
      at,
      ['Adams', 'Edwards', 'Peacock'][at - 1] ?? '',
      ['Andrew', 'Nancy', 'Jane'][at - 1] ?? '',
    ],
    ...['Sales', at === 1 ? null : at - 1, `196${at}-02-18 00:00:00`, '2002-08-14 00:00:00'],
  ]),
  insertRows('Customer', 5, (at) => [
    ...[at, `First${at}`, `Last${at}`, null, `Street ${at}`, 'City', COUNTRIES[at - 1] ?? null],
    ...['10115', `c${at}@example.com`, 1 + (at % 3)],
  ]),
  insertRows('Invoice', 8, (at) => [
    ...[at, 1 + (at % 5), `2009-01-0${at} 10:00:00`, `Street ${at}`, COUNTRIES[at % 5] ?? null],
    ...[(at * 297) / 100],
  ]),
  insertRows('InvoiceLine', 24, (at) => [at, Math.ceil(at / 3), 1 + (at % 12), 0.99, 1]),
].join('\n')
