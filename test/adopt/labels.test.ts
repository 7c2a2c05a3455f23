/** Labels, singulars and plurals of adopted names, as people write them. */
import { describe, expect, test } from 'bun:test'
import { findLanguage, toLabel, toOptionLabel } from '../../src/model/adopt/labels.ts'
import { bareName, findPrefix } from '../../src/model/adopt/names.ts'
import { toPlural, toSingular } from '../../src/model/adopt/plurals.ts'

const ENGLISH: readonly (readonly [name: string, label: string])[] = [
  ['Demo1', 'Demo 1'],
  ['CustomerID', 'Customer ID'],
  ['customer_vat_id', 'Customer VAT ID'],
  ['CUSTOMER_ID', 'Customer ID'],
  ['ORDERDATE', 'Order date'],
  ['unitsinstock', 'Units in stock'],
  ['invoicelineid', 'Invoice line ID'],
  ['homepageUrl', 'Homepage URL'],
  ['qty', 'Quantity'],
  ['order_no', 'Order no.'],
  ['Address2', 'Address 2'],
  ['MD5', 'MD5'],
  ['isbn13', 'ISBN 13'],
  ['HTTPServer', 'HTTP server'],
  ['e-mail', 'E-mail'],
  ['order no', 'Order no.'],
  ['candidate', 'Candidate'],
  ['paid', 'Paid'],
  ['update', 'Update'],
  ['日本', '日本'],
]

const GERMAN: typeof ENGLISH = [
  ['KundenNr', 'Kunden-Nr.'],
  ['kunden_nummer', 'Kundennummer'],
  ['PLZ', 'PLZ'],
  ['Strasse', 'Straße'],
  ['gueltig_bis', 'Gültig bis'],
  ['erstellt_am', 'Erstellt am'],
  ['BestellDatum', 'Bestelldatum'],
  ['rechnung_datum', 'Rechnungsdatum'],
  ['MwStSatz', 'MwSt-Satz'],
  ['letzte_aenderung', 'Letzte Änderung'],
  ['KundenID', 'Kunden-ID'],
  ['Auftraege', 'Aufträge'],
]

test.each(ENGLISH)('%s reads "%s"', (name, label) => {
  expect(toLabel(name)).toBe(label)
})

test.each(GERMAN)('%s reads "%s" among German names', (name, label) => {
  expect(toLabel(name, 'de')).toBe(label)
})

test('the language is told by words that only German names have', () => {
  expect(findLanguage(['Kunden', 'KundenNr', 'Vorname', 'Ort', 'Bestellungen'])).toBe('de')
  expect(findLanguage(['Customers', 'CustomerID', 'FirstName', 'von'])).toBe('en')
})

const PLURALS: readonly (readonly ['en' | 'de', many: string, one: string, again?: string])[] = [
  ['en', 'OrderStatuses', 'OrderStatus'],
  ['en', 'Categories', 'Category'],
  ['en', 'Movies', 'Movie'],
  ['en', 'Caches', 'Cache'],
  ['en', 'Sizes', 'Size'],
  ['en', 'Warehouses', 'Warehouse'],
  ['en', 'Photos', 'Photo'],
  ['en', 'Areas', 'Area'],
  ['en', 'Aliases', 'Alias'],
  ['en', 'Matrices', 'Matrix'],
  ['en', 'Halves', 'Half'],
  ['en', 'Expenses', 'Expense'],
  ['en', 'People', 'Person'],
  ['en', 'Human', 'Human', 'Humans'],
  ['en', 'Atlas', 'Atlas', 'Atlases'],
  ['en', 'Bus', 'Bus', 'Buses'],
  ['en', 'Staff', 'Staff', 'StaffList'],
  ['en', 'Demo1', 'Demo1', 'Demo1List'],
  ['de', 'Kunden', 'Kunde'],
  ['de', 'Rechnungspositionen', 'Rechnungsposition'],
  ['de', 'Bestellungen', 'Bestellung'],
  ['de', 'Auftraege', 'Auftrag'],
  ['de', 'Artikel', 'Artikel', 'ArtikelListe'],
]

test.each(PLURALS)('%s: one of %s is %s', (language, many, one, again = many) => {
  expect([toSingular(many, language), toPlural(one, language)]).toEqual([one, again])
})

describe('beginnings that say nothing', () => {
  test('of all tables, and of one that only says that it is a table', () => {
    expect(findPrefix(['wp_posts', 'wp_users', 'wp_terms'])).toBe('wp_')
    expect(findPrefix(['auth_user', 'auth_group', 'blog_post'])).toBe('')
    expect(findPrefix(['a_b', 'a_c'])).toBe('')
    expect(findPrefix(['x_1', 'x_2', 'x_3'])).toBe('')
    expect(
      ['wp_posts', 'tblOrders', 'tbl_orders', 'tblegal'].map((name) => bareName(name, '')),
    ).toEqual(['wp_posts', 'Orders', 'orders', 'tblegal'])
  })

  test('options are words, codes stay as they are', () => {
    const labels = ['in_progress', 'new', 'NOT_PAID', 'PG-13', 'PG', 'a'].map((value) =>
      toOptionLabel(value, 'en'),
    )
    expect(labels).toEqual(['In progress', 'New', 'Not paid', undefined, undefined, undefined])
  })
})
