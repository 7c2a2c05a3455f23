/** Entries that the timeline of a record shows in screens: the answers are made up. */
import type { Page } from 'playwright-core'

/** An action in the timeline, and mails that were sent, failed and are not seen; all made up. */
export async function openMails(page: Page): Promise<void> {
  const entry = { Fields: [], ActedBy: null, By: { Id: 2, DisplayName: 'Sales manager' } }
  const status = { Field: 'Status', Label: 'Status', From: 'new', To: 'approved' }
  const mail = { HasOthers: false, HasReport: false }
  const To = ['orders@lakeside-mills.example']
  const Entries = [
    {
      ...entry,
      At: '2026-11-29T09:45:00Z',
      Kind: 'mail',
      Text: null,
      Mail: { ...mail, To: ['Warehouse'], HasOthers: true, State: 'failed' },
    },
    {
      ...entry,
      At: '2026-11-29T09:45:00Z',
      Kind: 'mail',
      Text: 'Your order SO-2026-00400 is confirmed',
      Mail: { ...mail, To, HasReport: true, State: 'sent' },
    },
    { ...entry, At: '2026-11-29T09:45:00Z', Kind: 'action', Text: 'Approve', Fields: [status] },
  ]
  await showEntries(page, Entries)
  await page.locator('.timeline-failed').waitFor()
  // A panel that loads again would have the true entries.
  await page.waitForLoadState('networkidle')
  await page.unroute('**/svc/timeline')
}

/** Has the panel show entries, as if the server had told them. */
async function showEntries(page: Page, Entries: readonly object[]): Promise<void> {
  const data = { Entries, Next: null, IsAudited: true, IsArchived: false }
  await page.waitForLoadState('networkidle')
  await page.route('**/svc/timeline', (route) => route.fulfill({ json: { success: true, data } }))
  for (let click = 0; click < 2; click++) await page.locator('#panel-toggle').click()
}

/** Comments in the timeline, and people to mention in another one; the answer is made up. */
export async function openComments(page: Page): Promise<void> {
  const comment = { Id: 1, Mentions: [{ Id: 2, DisplayName: 'Sales manager' }], RowVersion: 2 }
  const own = { CanChange: true, CanDelete: true, ChangedAt: '2026-11-29T09:40:00Z' }
  const foreign = { Id: 2, Mentions: [], CanChange: false, CanDelete: false, ChangedAt: null }
  const entry = { Fields: [], ActedBy: null, Kind: 'comment' }
  const Entries = [
    {
      ...entry,
      At: '2026-11-29T09:45:00Z',
      By: { Id: 6, DisplayName: 'Administrator' },
      Text: 'Done: they take it on Friday, and the pallets go back with the same truck.',
      Comment: { ...comment, ...foreign },
    },
    {
      ...entry,
      At: '2026-11-29T09:30:00Z',
      By: { Id: 2, DisplayName: 'Sales manager' },
      Text: '@Sales manager Please call them before the truck leaves.\nThe gate closes at noon.',
      Comment: { ...comment, ...own },
    },
  ]
  await showEntries(page, Entries)
  await page.locator('.comment-actions').waitFor()
  await page.locator('.comment-box textarea').fill('Please ask @')
  await page.locator('.mention-list').waitFor()
  await page.unroute('**/svc/timeline')
}
