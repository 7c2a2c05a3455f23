/**
 * A music store with two branches: a shared catalogue, customers and invoices of each branch, and
 * the playlists of those who listen.
 */
import catalogueXml from './catalogue.xml' with { type: 'text' }
import salesXml from './sales.xml' with { type: 'text' }
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/** Its model, and a manager, sellers of two regions, one of the other branch, and two listeners. */
export const MUSIC: TestApplication = {
  files: [
    { name: 'catalogue.xml', body: String(catalogueXml) },
    { name: 'sales.xml', body: String(salesXml) },
  ],
  ...makePeople('QUAY WHARF', {
    manager: 'Manager in QUAY WHARF',
    north: ['Seller', { Region: 'north' }],
    south: ['Seller', { Region: 'south' }],
    wharf: 'Manager in WHARF',
    ear: 'Listener',
    other: 'Listener',
  }),
}
