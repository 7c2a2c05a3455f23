/** Work in the background in the client: seen from everywhere, stopped, fetched, over a restart. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { type ClosedPage, openClosedPage } from './browser.ts'
import { callAs, signIn, startClient } from './client-world.ts'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { until } from '../support/until.ts'

const home = temporaryFolder()
const dataFolder = join(home.path, 'data')
let server: RunningExecutable
let client: Awaited<ReturnType<typeof startClient>>
let browser: ClosedPage
let page: Page

beforeAll(async () => {
  mkdirSync(dataFolder)
  server = await startExecutable({ dataFolder })
  client = await startClient(server.url)
  browser = await openClosedPage(client.address)
  page = browser.page
  await page.goto(`${client.address}/object/products`)
  await signIn(page, 'ana')
})

afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await client[Symbol.asyncDispose]()
  await server.kill()
  home[Symbol.dispose]()
})

async function startAgain(): Promise<void> {
  await server.kill()
  server = await startExecutable({ dataFolder, port: Number(new URL(server.url).port) })
}

const chip = (name: RegExp): Locator => page.locator('.job-chip').filter({ hasText: name })
const panel = (): Locator => page.getByRole('dialog', { name: 'Background jobs' })
const line = (name: string): Locator => panel().locator('.job').filter({ hasText: name })

const HEAD = 'Article number,Name,Group,Price,Cost'

/** More rows than are written before a user has stopped them. */
function makeArticles(letters: string, rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, at) => {
    return `${letters}-${String(at).padStart(5, '0')},Article ${at},Hand tools,${at % 900}.50,0.25`
  })
  return Buffer.from(`${[HEAD, ...lines].join('\n')}\n`)
}

/** Has a file imported later by another client of the user. */
async function importElsewhere(
  content: Buffer,
  fields: Record<string, string> = {},
): Promise<void> {
  const ask = async (path: string, body: string | FormData, headers: Record<string, string>) => {
    const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body })
    expect(answer.status).toBe(200)
    return (await answer.json()) as { data: { AccessToken: string } }
  }
  const login = JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' })
  const json = { 'Content-Type': 'application/json' }
  const { data } = await ask('/api/v1/auth/login', login, json)
  const form = new FormData()
  const given = { objectName: 'products', background: 'true', ...fields }
  for (const [name, value] of Object.entries(given)) form.set(name, value)
  form.set('file', new File([new Uint8Array(content)], 'articles.csv'))
  const headers = { Authorization: `Bearer ${data.AccessToken}` }
  await ask('/api/v1/svc/object/import-data', form, headers)
}

/** Imports a file by the dialog behind `first`, and leaves while it waits for its turn. */
async function importAndLeave(rows: number, first: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Import', exact: true }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Import Products' })
  const file = { name: 'few.csv', mimeType: 'text/csv', buffer: makeArticles('ZF', rows) }
  await dialog.getByLabel('Choose a file').setInputFiles(file)
  await dialog.getByRole('group', { name: 'Columns' }).waitFor()
  await dialog.getByRole('button', { name: 'Check', exact: true }).press('Enter')
  const run = dialog.getByRole('button', { name: `Import ${rows} rows` })
  await run.waitFor()
  await first()
  await run.press('Enter')
  const stop = dialog.getByRole('button', { name: 'Stop the import' })
  await stop.and(page.locator(':enabled')).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}

async function countArticles(letters: string): Promise<number> {
  const Filters = [{ Field: 'Sku', Operator: 'startsWith', Value: letters }]
  const path = '/api/v1/svc/object/products/table'
  const found = await callAs(server.url, 'ana', path, { Filters, PageSize: 1 })
  return (found as { Pagination: { TotalRows: number } }).Pagination.TotalRows
}

async function exportLater(): Promise<void> {
  await page.getByRole('button', { name: 'Export' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Export' })
  await dialog.getByLabel('Format').selectOption('csv')
  await dialog.getByRole('checkbox', { name: 'In the background' }).check()
  await dialog.getByRole('button', { name: 'Export' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
}

test('imports are seen from elsewhere, also reloaded; one is stopped, one goes on', async () => {
  // The second is asked for while the first one is read: once it writes, others wait to write.
  await importAndLeave(20, () => importElsewhere(makeArticles('ZM', 150_000)))
  await chip(/2 jobs running/).waitFor()
  await page.goto(`${client.address}/object/orders`)
  await chip(/2 jobs running/).press('Enter')
  const [few, many] = [panel().locator('.job').first(), panel().locator('.job').last()]
  await few.getByText('Waits for its turn').waitFor()
  await many.getByText(/rows/).waitFor()
  await many.getByRole('progressbar', { name: 'Import of Products' }).waitFor()
  await many.getByRole('button', { name: 'Stop: Import of Products' }).press('Enter')
  await many.getByText('Stopped. Nothing of it was written.').waitFor()
  expect(await page.locator(':focus').getAttribute('id')).toBe('jobs')
  await few.getByText('20 records written.').waitFor()
  expect([await countArticles('ZM'), await countArticles('ZF')]).toEqual([0, 20])
  await page.keyboard.press('Escape')
  await panel().waitFor({ state: 'hidden' })
  await until(async () => (await page.locator('.job-chip').count()) === 0)
})

test('kill -9 of the server: what was asked for is made, and its file is fetched', async () => {
  await exportLater()
  await startAgain()
  await chip(/1 job done/).waitFor({ timeout: 60_000 })
  await page.reload()
  await chip(/1 job done/).press('Enter')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    line('Export of Orders')
      .getByRole('button', { name: 'Download: Export of Orders' })
      .press('Enter'),
  ])
  expect(download.suggestedFilename()).toMatch(/\.csv$/)
  expect(await Bun.file(await download.path()).text()).toContain('Number')
  // It was seen: the chip goes with its panel, and the focus stays in the frame.
  await page.keyboard.press('Escape')
  await until(async () => (await page.locator('.job-chip').count()) === 0)
  expect(await page.locator(':focus').getAttribute('class')).toContain('bell')
  await page.reload()
  await page.locator('.palette-button').press('Enter')
  await page.locator('.palette-field').fill('Background jobs')
  await page.locator('.palette-entry').filter({ hasText: 'Background jobs' }).waitFor()
  await page.keyboard.press('Enter')
  await line('Export of Orders').getByRole('button', { name: 'Open Orders' }).press('Enter')
  await page.waitForURL(/\/object\/orders/)
  expect(await page.locator('.job-chip').count()).toBe(0)
})

test('what failed says why; its file of errors is a key away', async () => {
  const mixed = Buffer.from(`${HEAD}\nZE-0001,Good,Hand tools,1,1\nbad,Bad,Nowhere,x,1\n`)
  await importElsewhere(mixed)
  await chip(/1 job failed/).press('Enter')
  await panel().locator('.job-fault').waitFor()
  await page.keyboard.press('Escape')
  await importElsewhere(mixed, { onError: 'skip' })
  await chip(/1 job done/).press('Enter')
  const done = line('1 record written. 1 row has errors.')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    done.getByRole('button', { name: /^Download the error file/ }).press('Enter'),
  ])
  expect(await Bun.file(await download.path()).text()).toContain('bad,Bad,Nowhere')
  await page.keyboard.press('Escape')
  expect([...browser.outside]).toEqual([])
})

test('the check of a large file tells how far it is, and ends with its dialog', async () => {
  await page.goto(`${client.address}/object/products`)
  await page.getByRole('button', { name: 'Import', exact: true }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Import Products' })
  const lines = Buffer.concat([makeArticles('ZL', 90_000), Buffer.alloc(2_000_000, '\n')])
  const file = { name: 'large.csv', mimeType: 'text/csv', buffer: lines }
  await dialog.getByLabel('Choose a file').setInputFiles(file)
  await dialog.getByRole('group', { name: 'Columns' }).waitFor()
  await dialog.getByRole('button', { name: 'Check', exact: true }).press('Enter')
  await dialog.getByText(/rows are read/).waitFor()
  await chip(/1 job running/).waitFor()
  await page.keyboard.press('Escape')
  await until(async () => (await page.locator('.job-chip').count()) === 0)
  const path = '/api/v1/svc/jobs/mine'
  const [check] = (await callAs(server.url, 'ana', path)) as { Kind: string; State: string }[]
  expect(check).toMatchObject({ Kind: 'importCheck', State: 'Deleted' })
})

test('in German, on a phone: there is nothing yet, and the palette says so', async () => {
  await using other = await openClosedPage(client.address, {
    locale: 'de-DE',
    viewport: { width: 390, height: 844 },
  })
  await other.page.goto(`${client.address}/`)
  await signIn(other.page, 'eva')
  await other.page.locator('.palette-button').click()
  await other.page.locator('.palette-field').fill('Hintergrund')
  await other.page.locator('.palette-entry').filter({ hasText: 'im Hintergrund' }).waitFor()
  await other.page.keyboard.press('Enter')
  const dialog = other.page.getByRole('dialog', { name: 'Aufträge im Hintergrund' })
  await dialog.getByText('Im Hintergrund läuft nichts').waitFor()
  const width = await other.page.evaluate('document.documentElement.scrollWidth')
  expect(width).toBeLessThanOrEqual(390)
  expect([...other.outside, ...other.complaints]).toEqual([])
})
