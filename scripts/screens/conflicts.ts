/** Steps to what a save met: changes of another user, and faults. */
import type { Page } from 'playwright-core'
import { sendOn } from '../../test/outside/browser.ts'

/** Opens the conflict of a save; the answer is made up, so that nothing is stored. */
export async function openConflict(page: Page): Promise<void> {
  const conflict = {
    Current: {
      Reference: 'PO 4711',
      DueOn: '2027-05-06',
      Remark: 'Leave it at the gate, the yard is closed until the afternoon.',
    },
    ChangedFields: ['Reference', 'DueOn', 'Remark'],
    ChangedBy: 'Eva Lindqvist',
    ChangedAt: '2026-11-29T09:30:00Z',
    RowVersion: '99',
  }
  const json = { success: false, error: 'Changed', code: 'CONFLICT', conflict }
  await page.route('**/submit', (route) => route.fulfill({ status: 409, json }))
  await page.locator('[name=Reference] input').fill('As agreed by phone')
  await page.locator('[name=Remark] textarea').fill('Call before you come.')
  await page.keyboard.press('Control+s')
  await page.locator('.conflict-table').waitFor()
  await page.unroute('**/submit')
}

/** Types a value into a cell of the first detail, by the numbers of its row and column. */
async function typeCell(page: Page, row: number, column: number, text: string): Promise<void> {
  const cells = page.locator(`.detail-table tr[aria-rowindex="${row + 1}"] [role=gridcell]`)
  await cells.nth(column - 1).click()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Opens a conflict of rows that another user changed and added; the answers are made up. */
export async function openRowsConflict(page: Page): Promise<void> {
  await typeCell(page, 1, 4, '18')
  await typeCell(page, 2, 4, '7')
  const conflict = {
    Current: { Total: 4711.5 },
    ChangedFields: ['Total'],
    ChangedBy: 'Eva Lindqvist',
    ChangedAt: '2026-11-29T09:30:00Z',
    RowVersion: '99',
  }
  const json = { success: false, error: 'Changed', code: 'CONFLICT', conflict }
  await page.route('**/submit', (route) => route.fulfill({ status: 409, json }))
  await page.route('**/OrderLines/table', async (route) => {
    const { answer } = await sendOn(route)
    const body = (await answer.json()) as { data: { Rows: Record<string, unknown>[] } }
    const [first, , ...others] = body.data.Rows
    body.data.Rows = [{ ...first, Quantity: 40, Discount: 5 }, ...others, { ...first, Id: 99_999 }]
    await route.fulfill({ json: body })
  })
  await page.keyboard.press('Control+s')
  await page.locator('.conflict-part').waitFor()
  await page.unrouteAll()
}

/** Opens the faults of rows, as a save tells them. */
export async function openRowFaults(page: Page): Promise<void> {
  await typeCell(page, 1, 4, '0')
  await typeCell(page, 2, 6, '80')
  await page.keyboard.press('Control+s')
  await page.locator('.form-faults li').nth(2).waitFor()
}
