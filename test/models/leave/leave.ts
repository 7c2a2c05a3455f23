/**
 * Leave requests of two sites: who asks, who decides, and what is left of the year, in English and
 * German.
 */
import peopleXml from './people.xml' with { type: 'text' }
import requestsXml from './requests.xml' with { type: 'text' }
import textsXml from './texts-de.xml' with { type: 'text' }
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/** Its model; the personnel office of MILL, a head, a lead and two of the staff, one at WEIR. */
export const LEAVE: TestApplication = {
  files: [
    { name: 'people.xml', body: String(peopleXml) },
    { name: 'requests.xml', body: String(requestsXml) },
    { name: 'texts-de.xml', body: String(textsXml) },
  ],
  ...makePeople('MILL WEIR', {
    office: 'Personnel',
    head: 'Staff',
    lead: 'Staff',
    first: 'Staff',
    second: 'Staff',
    weir: 'Personnel Staff in WEIR',
  }),
}
