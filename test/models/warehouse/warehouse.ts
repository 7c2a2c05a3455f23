/** A warehouse with two houses: the same items, but zones, bins and stock of each house. */
import movementsXml from './movements.xml' with { type: 'text' }
import placesXml from './places.xml' with { type: 'text' }
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/** Its model; a keeper of each house, pickers of two zones of EAST, and a buyer of EAST. */
export const WAREHOUSE: TestApplication = {
  files: [
    { name: 'places.xml', body: String(placesXml) },
    { name: 'movements.xml', body: String(movementsXml) },
  ],
  ...makePeople('EAST WEST', {
    east: 'Keeper',
    west: 'Keeper in WEST',
    cold: ['Picker', { Zone: 'C' }],
    dry: ['Picker', { Zone: 'D' }],
    buyer: 'Buyer',
  }),
}
