/** The panel of jobs with one of each stage. */
import type { Page } from 'playwright-core'

/** Opens the panel over jobs of each stage; the answer is made up, so that none has to last. */
export async function openJobs(page: Page): Promise<void> {
  const at = '2026-11-29T09:30:00Z'
  const job = {
    Label: 'Orders',
    Object: 'orders',
    State: 'Succeeded',
    Progress: null,
    At: at,
    EndedAt: at,
    Error: null,
    Result: null,
  }
  const result = {
    File: null,
    IsExpired: false,
    Rows: null,
    Written: null,
    Failed: null,
    ImportId: null,
  }
  const file = { FileName: 'orders.xlsx', Url: '/', Size: 1_000_000 }
  const data = [
    {
      ...job,
      Id: 6,
      Kind: 'import',
      Label: 'Products',
      State: 'Processing',
      EndedAt: null,
      Progress: { Done: 410_000, Total: 1_200_000 },
    },
    { ...job, Id: 5, Kind: 'importCheck', Label: 'Products', State: 'Enqueued', EndedAt: null },
    { ...job, Id: 4, Kind: 'export', Result: { ...result, File: file, Rows: 20_480 } },
    {
      ...job,
      Id: 3,
      Kind: 'import',
      Result: { ...result, File: file, Rows: 812, Written: 800, Failed: 12 },
    },
    {
      ...job,
      Id: 2,
      Kind: 'bulkEdit',
      State: 'Failed',
      Error: 'Records changed during the import. Nothing was imported. Please try again.',
    },
    {
      ...job,
      Id: 1,
      Kind: 'report',
      Label: 'Orders by month',
      Object: null,
      Result: { ...result, IsExpired: true },
    },
  ]
  await page.route('**/jobs/mine', (route) => route.fulfill({ json: { success: true, data } }))
  await page.reload()
  await page.locator('.job-chip').click()
  await page.locator('.job').last().waitFor()
}
