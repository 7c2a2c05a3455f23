/** A warehouse with two houses: the same items, but zones, bins and stock of each house. */
import movementsXml from './movements.xml' with { type: 'text' }
import placesXml from './places.xml' with { type: 'text' }
import type { TestApplication } from '../../support/template.ts'

/** Its model; a keeper of each house, pickers of two zones of EAST, and a buyer of EAST. */
export const WAREHOUSE: TestApplication = {
  files: [
    { name: 'places.xml', body: String(placesXml) },
    { name: 'movements.xml', body: String(movementsXml) },
  ],
  companies: ['EAST', 'WEST'],
  users: [
    { userName: 'east', roles: ['Keeper'], companies: ['EAST'] },
    { userName: 'west', roles: ['Keeper'], companies: ['WEST'] },
    { userName: 'cold', roles: ['Picker'], companies: ['EAST'], attributes: { Zone: 'C' } },
    { userName: 'dry', roles: ['Picker'], companies: ['EAST'], attributes: { Zone: 'D' } },
    { userName: 'buyer', roles: ['Buyer'], companies: ['EAST'] },
  ],
}
