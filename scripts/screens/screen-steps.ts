/** Steps that lead on to screens, and what they type and upload; answers may be made up. */
import type { Page } from 'playwright-core'

/** Files of an order: one that is uploaded, and one of a kind that is not taken. */
export async function addFiles(page: Page): Promise<void> {
  const input = page.locator('.files input[type=file]')
  const buffer = Buffer.from('Delivered on Friday\n')
  await input.setInputFiles([{ name: 'note.txt', mimeType: 'text/plain', buffer }])
  await page.locator('.file-line .link-button').waitFor()
  await input.setInputFiles([{ name: 'sounds.mp3', mimeType: 'audio/mpeg', buffer }])
  await page.locator('.file-line[data-fault]').waitFor()
  await page.locator('.files').scrollIntoViewIfNeeded()
}

/** Types into the lookup of an order's customer; the list is open then. */
export async function typeCustomer(page: Page, text: string): Promise<void> {
  await page.locator('vaadin-combo-box[name=CustomerId] input').fill(text)
  await page.getByRole('option').filter({ hasText: '＋' }).waitFor()
}

/** The button before the last one, which exports. */
export const IMPORT = '.place-head button.button:has(+ button.button:last-child)'

const NEW_ARTICLES =
  'Article number;Name;Group;Price;Cost;Remark\n' +
  'XA-0001;Bow saw;Hand tools;24.90;11.20;\n' +
  'XA-0002;;Hand tools;9.90;4.10;new in spring\n' +
  'xa3;Mallet;Hand tools;12.50;5\n' +
  'XA-0004;Rasp;Nowhere;7.90;many;ask again\n' +
  'XA-0005;Chisel;Hand tools;15.00;6.30;\n'

/** Opens the dialog of an import, gives it a file and goes on by its first buttons. */
export async function importArticles(page: Page, ...steps: string[]): Promise<void> {
  await page.locator(IMPORT).click()
  const buffer = Buffer.from(NEW_ARTICLES)
  const file = { name: 'spring.csv', mimeType: 'text/csv', buffer }
  await page.locator('.import-drop input').setInputFiles(file)
  for (const step of steps) {
    await page.locator('.import-step .button.primary:enabled').click()
    await page.locator(step).waitFor()
  }
}

/** Filters of each shape: a list of values, a date word, groups in a group. */
export const FILTERS = JSON.stringify([
  ['Status', 'in', ['new', 'approved']],
  ['OrderedAt', 'eq', 'last90Days'],
  {
    or: [
      ['CustomerId', 'eq', 31],
      {
        and: [
          ['Total', 'between', [100, 5000]],
          ['OrderedAt', 'lt', { field: 'DueOn' }],
        ],
      },
    ],
  },
])
