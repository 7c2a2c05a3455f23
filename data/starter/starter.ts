/** The application that `appengine init` begins with: contacts, a report, and an extension. */
import contactsTs from './extensions/contacts.ts' with { type: 'text' }
import accessXml from './model/access.xml' with { type: 'text' }
import contactsXml from './model/contacts.xml' with { type: 'text' }
import overviewXml from './model/overview.xml' with { type: 'text' }
import textsDeXml from './model/texts-de.xml' with { type: 'text' }

/**
 * The files by their paths in the new folder. The imports are texts, which the types of `*.xml` and
 * `*.ts` do not say.
 */
export const starterFiles: Readonly<Record<string, string>> = {
  'model/access.xml': String(accessXml),
  'model/contacts.xml': String(contactsXml),
  'model/overview.xml': String(overviewXml),
  'model/texts-de.xml': String(textsDeXml),
  'data/local/extensions/contacts.ts': String(contactsTs),
}
