/**
 * A music store with two branches: a shared catalogue, customers and invoices of each branch, and
 * the playlists of those who listen.
 */
import catalogueXml from './catalogue.xml' with { type: 'text' }
import salesXml from './sales.xml' with { type: 'text' }
import type { TestApplication } from '../../support/template.ts'

/** Its model, and a manager, sellers of two regions, one of the other branch, and two listeners. */
export const MUSIC: TestApplication = {
  files: [
    { name: 'catalogue.xml', body: String(catalogueXml) },
    { name: 'sales.xml', body: String(salesXml) },
  ],
  companies: ['QUAY', 'WHARF'],
  users: [
    { userName: 'manager', roles: ['Manager'], companies: ['QUAY', 'WHARF'] },
    { userName: 'north', roles: ['Seller'], companies: ['QUAY'], attributes: { Region: 'north' } },
    { userName: 'south', roles: ['Seller'], companies: ['QUAY'], attributes: { Region: 'south' } },
    { userName: 'wharf', roles: ['Manager'], companies: ['WHARF'] },
    { userName: 'ear', roles: ['Listener'], companies: ['QUAY'] },
    { userName: 'other', roles: ['Listener'], companies: ['QUAY'] },
  ],
}
