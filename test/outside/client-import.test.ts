/** Imports in the client: guided, mended in place, undone, and made once whatever happens. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import * as XLSX from 'xlsx'
import { openClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld, signIn, startClient } from './client-world.ts'
import { startExecutable, temporaryFolder } from '../support/executable.ts'
import { until } from '../support/until.ts'

let world: ClientWorld

beforeAll(async () => {
  world = await openClientWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

const HEAD = 'Article number,Title,Group,Price,Cost'

interface SentFile {
  name: string
  mimeType: string
  buffer: Buffer
}

const csv = (name: string, lines: readonly string[]): SentFile => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(`${lines.join('\n')}\n`),
})

/** The names of articles whose number begins so, in their order. */
async function findNames(letters: string, from: ClientWorld['call'] = world.call) {
  const body = {
    PageSize: 1000,
    Filters: [{ Field: 'Sku', Operator: 'startsWith', Value: letters }],
    Sort: [{ Field: 'Sku', Direction: 'asc' }],
  }
  const { Rows } = (await from('ana', '/api/v1/svc/object/products/table', body)) as {
    Rows: { Name: string }[]
  }
  return Rows.map(({ Name }) => Name)
}

/** Opens the dialog by keyboard and gives it a file. */
async function begin(page: Page, file: SentFile): Promise<Locator> {
  await page.getByRole('button', { name: 'Import', exact: true }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Import Products' })
  await dialog.getByLabel('Choose a file').setInputFiles(file)
  return dialog
}

const press = (dialog: Locator, name: string | RegExp) =>
  dialog.getByRole('button', { name, exact: true }).press('Enter')

test('faults are mended in place, the rows imported, and the import is undone', async () => {
  const { page, outside, complaints } = await world.openAs('ana', '/object/products')
  const rows = [
    'ZA-0001,Saw,Hand tools,9.50,4',
    'ZA-0002,,Hand tools,12,5',
    'za3,File,Hand tools,x,1',
  ]
  const dialog = await begin(page, csv('new.csv', [HEAD, ...rows]))
  await dialog.getByRole('group', { name: 'Columns' }).waitFor()
  const title = dialog.getByLabel('Field for the column Title')
  expect(await title.inputValue()).toBe('')
  await dialog.getByText('New records need a value for: Name').waitFor()
  await title.selectOption('Name')
  await dialog.getByText('New records need a value for').waitFor({ state: 'detached' })
  expect(await dialog.getByLabel('Field for the column Group').inputValue()).toBe(
    'GroupCode__Label',
  )
  await press(dialog, 'Check')
  await dialog.getByText('Rows with errors').first().waitFor()
  const run = dialog.getByRole('button', { name: 'Import 1 row' })
  expect(await run.isDisabled()).toBe(true)
  await dialog.getByLabel('Line 3, Name').fill('Plane')
  await dialog.getByLabel('Line 4, Article number').fill('ZA-0003')
  expect(await run.count()).toBe(0)
  await dialog.getByLabel('Line 4, Price').fill('3.50')
  await page.keyboard.press('ArrowUp')
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Line 3, Price')
  await page.keyboard.press('Escape')
  await dialog.getByText('Close and lose the cells').waitFor()
  await press(dialog, 'Go on mending')
  await dialog.getByLabel('Line 4, Price').press('Enter')
  await press(dialog, 'Import 3 rows')
  await dialog.getByText('The import is done').waitFor()
  await dialog.getByText('3 records are new').waitFor()
  expect(await findNames('ZA-')).toEqual(['Saw', 'Plane', 'File'])
  await press(dialog, 'Undo the import')
  await dialog.getByText('The import is undone').waitFor()
  expect(await findNames('ZA-')).toEqual([])
  await press(dialog, 'Close')
  await dialog.waitFor({ state: 'detached' })
  const focused = page.locator(':focus')
  expect(await focused.textContent()).toBe('Import')
  expect([...outside, ...complaints]).toEqual([])
})

/** A workbook whose second sheet has the articles. */
function makeBook(): SentFile {
  const made = XLSX.utils.book_new()
  const add = (name: string, rows: unknown[][]) =>
    XLSX.utils.book_append_sheet(made, XLSX.utils.aoa_to_sheet(rows), name)
  add('Cover', [['Articles of the autumn']])
  const head = ['Artikelnummer', 'Name', 'Gruppe', 'Preis', 'Kosten']
  add('Artikel', [head, ['ZB-0001', 'Bohrer', 'Hand tools', 7.5, 3]])
  const bytes = XLSX.write(made, { type: 'buffer', bookType: 'xlsx' }) as Buffer
  return { name: 'herbst.xlsx', mimeType: 'application/octet-stream', buffer: bytes }
}

test('in German: a sheet of a workbook is chosen, a field dragged onto its column', async () => {
  const { page, complaints } = await world.openAs('ana', '/object/products', {
    locale: 'de-DE',
    viewport: { width: 1280, height: 900 },
  })
  await page.getByRole('button', { name: 'Importieren', exact: true }).press('Enter')
  const dialog = page.locator('dialog[open]')
  await dialog.getByLabel('Datei wählen').setInputFiles(makeBook())
  await dialog.getByLabel('Tabellenblatt').selectOption('Artikel')
  const cost = dialog.getByLabel('Feld für die Spalte Kosten')
  await cost.waitFor()
  const free = dialog.locator('.import-free .chip')
  const label = (name: string) => free.filter({ hasText: new RegExp(`^${name}$`) })
  for (const [column, field] of [
    ['Artikelnummer', 'Sku'],
    ['Preis', 'Price'],
    ['Gruppe', 'GroupCode__Label'],
    ['Kosten', 'Cost'],
  ] as const) {
    const select = dialog.getByLabel(`Feld für die Spalte ${column}`)
    if ((await select.inputValue()) === field) continue
    if (column === 'Kosten') await label(await labelOf(select, field)).dragTo(select)
    else await select.selectOption(field)
    expect(await select.inputValue()).toBe(field)
  }
  await press(dialog, 'Prüfen')
  await press(dialog, '1 Zeile importieren')
  await dialog.getByText('1 Datensatz ist neu').waitFor()
  expect(await findNames('ZB-')).toEqual(['Bohrer'])
  expect(complaints).toEqual([])
})

/** The label of a field in a select, without the mark of a required one. */
const labelOf = async (select: Locator, field: string): Promise<string> =>
  ((await select.locator(`option[value="${field}"]`).textContent()) ?? '').replace(/ \*$/, '')

test('a file that is no table is refused in clear words, a bad row may be left out', async () => {
  const { page } = await world.openAs('ana', '/object/products', {
    viewport: { width: 390, height: 844 },
  })
  const nonsense = { ...csv('notes.csv', []), buffer: Buffer.from('%PDF-1.7\nnothing\n') }
  const dialog = await begin(page, nonsense)
  await dialog.getByRole('alert').getByText('PDF').waitFor()
  const rows = ['ZC-0001,Axe,Hand tools,9.50,4', 'bad,Bad,Nowhere,1,2']
  const named = HEAD.replace('Title', 'Name')
  await dialog.getByLabel('Choose a file').setInputFiles(csv('some.csv', [named, ...rows]))
  await press(dialog, 'Check')
  await dialog.getByRole('radio', { name: 'Leave out 1 row' }).check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    press(dialog, 'Download the error file'),
  ])
  expect(await Bun.file(await download.path()).text()).toContain('bad,Bad,Nowhere')
  await press(dialog, 'Import 1 row')
  await dialog.getByText('1 row was left out').waitFor()
  expect(await findNames('ZC-')).toEqual(['Axe'])
  const width = await page.evaluate('document.documentElement.scrollWidth')
  expect(width).toBeLessThanOrEqual(390)
})

test('who may not import is offered none', async () => {
  const { page } = await world.openAs('bo', '/object/products')
  await page.getByRole('heading', { name: 'Products' }).waitFor()
  await page.locator('.row-box, .empty, .fault').first().waitFor()
  expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0)
})

const ROWS = 4000

test('kill -9 amid an import: it goes on, nothing is lost and nothing is double', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  let server = await startExecutable({ dataFolder, args: ['--demo'] })
  const port = Number(new URL(server.url).port)
  await using client = await startClient(server.url)
  await using closed = await openClosedPage(client.address)
  try {
    const { page } = closed
    await page.goto(`${client.address}/object/products`)
    await signIn(page, 'ana')
    const lines = Array.from({ length: ROWS }, (_, at) => {
      return `ZK-${String(at).padStart(5, '0')},Article ${at},Hand tools,${at}.50,${at}.25`
    })
    const dialog = await begin(page, csv('many.csv', [HEAD.replace('Title', 'Name'), ...lines]))
    await press(dialog, 'Check')
    const run = dialog.getByRole('button', { name: 'Import 4,000 rows' })
    await run.waitFor()
    const sent = page.waitForResponse((each) => each.url().endsWith('/import-data'))
    await run.press('Enter')
    await sent
    await server.kill()
    server = await startExecutable({ dataFolder, args: ['--demo'], port })
    await dialog.getByText('4,000 records are new').waitFor({ timeout: 60_000 })
    const told = page.getByRole('status').filter({ hasText: 'The import is done' })
    await told.waitFor()
    const count = async () => {
      const login = { UserName: 'ana', Password: 'ana-demo-password' }
      const ask = async (path: string, body: object, token = '') => {
        const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
        const answer = await fetch(`${server.url}${path}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        })
        return ((await answer.json()) as { data: Record<string, unknown> }).data
      }
      const { AccessToken } = await ask('/api/v1/auth/login', login)
      const Filters = [{ Field: 'Sku', Operator: 'startsWith', Value: 'ZK-' }]
      const path = '/api/v1/svc/object/products/table'
      const { Pagination } = await ask(path, { Filters, PageSize: 1 }, String(AccessToken))
      return (Pagination as { TotalRows: number }).TotalRows
    }
    await until(async () => (await count()) === ROWS)
  } finally {
    await server.kill()
  }
})
