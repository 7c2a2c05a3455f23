/** Documents to print, as poppler reads and sees them. */
import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PrintBlock, PrintChart } from '../../src/engine/pdf/document.ts'
import type { Table } from '../support/objects.ts'
import { startPrintedRecords } from '../support/printed-records.ts'
import { openPrinter, planTable, type PrintPart, runPoppler } from '../support/prints.ts'

const printer = openPrinter()
afterAll(() => printer[Symbol.asyncDispose]())

const textOf = (path: string): string => runPoppler('pdftotext', '-layout', path, '-').toString()

/** A page in greys, a byte a pixel, at 72 pixels an inch: a pixel is a point. */
function renderPage(path: string, page: number) {
  const image = runPoppler('pdftoppm', '-r', '72', '-gray', '-f', `${page}`, '-l', `${page}`, path)
  const [head = '', width = '0', height = '0'] =
    /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(image.subarray(0, 40).toString('latin1')) ?? []
  return { pixels: image.subarray(head.length), width: Number(width), height: Number(height) }
}

/** Dark pixels of a part of a page, in millimetres from its top left. */
function countInk(
  { pixels, width }: ReturnType<typeof renderPage>,
  [left, top, right, bottom]: readonly [number, number, number, number],
): number {
  const [x0, y0, x1, y1] = [left, top, right, bottom].map((mm) => Math.round((mm * 72) / 25.4))
  let ink = 0
  for (let y = y0 ?? 0; y < (y1 ?? 0); y++)
    for (let x = x0 ?? 0; x < (x1 ?? 0); x++) if ((pixels[y * width + x] ?? 255) < 160) ink++
  return ink
}

const LINES = Array.from({ length: 70 }, (_, at) => at + 1)

test('an invoice of three pages: address in its window, sums carried over', async () => {
  const address: PrintBlock = {
    kind: 'address',
    window: 'DIN5008',
    sender: 'North · Main street',
    lines: ['Whitewater Trading', 'Harbour 5', '5000 Odense'],
  }
  const sum = (upTo: number): string => `${(upTo * (upTo + 1)) / 2}.00`
  const parts: PrintPart[] = [
    { do: 'blocks', blocks: [address, { kind: 'heading', level: 1, text: 'Invoice 7' }] },
    {
      do: 'table',
      title: '',
      columns: [
        { label: 'Product', align: 'start' },
        { label: 'Amount', align: 'end', isCarried: true },
      ],
    },
    {
      do: 'rows',
      rows: LINES.map((at) => ({
        kind: 'row',
        cells: [`Product ${at}`, `${at}.00`],
        carry: ['', sum(at)],
      })),
    },
    { do: 'tableEnd', emptyText: '' },
    { do: 'blocks', blocks: [{ kind: 'totals', rows: [{ label: 'Total', text: sum(70) }] }] },
  ]
  const foot = { left: 'Sheet {Page} / {Pages}', right: 'Page {Page} of {Pages}' }
  const { path, pages } = await printer.draw({ running: undefined, foot }, parts)
  expect(pages).toBe(3)
  const texts = textOf(path).split('\f').slice(0, pages)
  for (const at of LINES) expect(texts.join('')).toMatch(new RegExp(`Product ${at}\\s+${at}\\.00`))
  for (const [at, page] of texts.entries()) {
    expect(page).toMatch(new RegExp(`Sheet ${at + 1} / 3\\s+Page ${at + 1} of 3`))
    const last = Math.max(...[...page.matchAll(/Product (\d+)/g)].map(([, line]) => Number(line)))
    if (at < 2) expect(page).toMatch(new RegExp(`Carried forward\\s+${sum(last)}`))
    if (at < 2) expect(texts[at + 1]).toMatch(new RegExp(`Brought forward\\s+${sum(last)}`))
  }
  const first = renderPage(path, 1)
  // The window of DIN 5008, form B, and the light strip above it.
  expect(countInk(first, [20, 62, 105, 90])).toBeGreaterThan(100)
  expect(countInk(first, [0, 30, 210, 55])).toBe(0)
  expect(runPoppler('pdfinfo', path).toString()).toMatch(/Tagged:\s+yes/)
})

test('thirty columns stand on a landscape page, each cell whole', async () => {
  const labels = LINES.slice(0, 30).map((at) => `C${at}`)
  const rows = LINES.slice(0, 20).map((row) => labels.map((label) => `${label}-${row}`))
  const page = { size: 'A4', isLandscape: true } as const
  const { path, pages } = await printer.draw({ page }, planTable(labels, rows))
  expect(pages).toBeLessThan(4)
  const words = runPoppler('pdftotext', '-raw', path, '-').toString().replaceAll(/\s/g, '')
  for (const cell of rows.flat()) expect(words).toContain(cell)
})

test('Arabic is joined and begins at the right', async () => {
  const text = 'فاتورة رقم 42'
  const parts: PrintPart[] = [{ do: 'blocks', blocks: [{ kind: 'text', text }] }]
  const { path, missing } = await printer.draw({ language: 'ar', running: undefined }, parts)
  expect(missing).toEqual([])
  // In the order of reading, by the letters themselves and not by their shapes.
  const words = runPoppler('pdftotext', '-raw', path, '-').toString()
  for (const word of ['فاتورة', 'رقم', '42']) expect(words).toContain(word)
  const page = renderPage(path, 1)
  expect(countInk(page, [150, 15, 195, 35])).toBeGreaterThan(50)
  expect(countInk(page, [15, 15, 100, 35])).toBe(0)
})

/** A chart whose series and pies are as a page of the language has them. */
const planPrintChart = (
  type: PrintChart['type'],
  categories: readonly string[],
  values: readonly number[],
  label = 'Total',
): PrintChart => ({
  type,
  title: 'By month',
  categories,
  series: [
    {
      label,
      values,
      type: type === 'pie' ? 'bar' : type,
      axis: 'primary',
      unit: 'EUR',
      decimals: 2,
    },
  ],
  isStacked: false,
  words: { more: 'and {Count} more' },
})

const drawChart = (chart: PrintChart, language = 'en') =>
  printer.draw({ language }, [{ do: 'blocks', blocks: [{ kind: 'chart', chart }] }])

const CUSTOMERS = ['Whitewater Trading', 'Cobalt Fencing Group', 'Juniper & Sons', 'Æbleø Handel']

test('a chart is drawn, its texts are texts', async () => {
  const chart = planPrintChart('bar', ['Jan', 'Feb', 'Mar'], [10, 20, 30])
  const { path } = await drawChart(chart)
  expect(textOf(path)).toMatch(/Jan\s+Feb\s+Mar/)
  expect(countInk(renderPage(path, 1), [20, 30, 190, 110])).toBeGreaterThan(5000)
})

test('words, letters that are one sign, and numbers are read in their order', async () => {
  const said = 'سلام لا الآن شركة في دبي SO-42 من North (7) بمبلغ 1,234.50 EUR'
  const parts: PrintPart[] = [{ do: 'blocks', blocks: [{ kind: 'text', text: said }] }]
  const foot = { left: '', right: '' }
  const { path } = await printer.draw({ language: 'ar', running: undefined, foot }, parts)
  const read = (...words: string[]): string =>
    runPoppler('pdftotext', ...words, path, '-')
      .toString()
      .replaceAll(/[\u200e\u200f\u202a-\u202e\f]/g, '')
  // As the content comes, which readers of the structure follow.
  expect(read('-raw').replaceAll(/\s/g, '')).toBe(said.replaceAll(' ', ''))
  // As it stands on the page.
  for (const word of ['سلام', 'لا', 'الآن', 'شركة', 'في', 'دبي']) expect(read()).toContain(word)
})

test('a head is read once, however many pages it stands on', async () => {
  const rows = LINES.map((at) => [`Row ${at}`, `${at}`])
  const { path, pages } = await printer.draw({}, planTable(['Product', 'Amount'], rows))
  expect(pages).toBeGreaterThan(1)
  const read = runPoppler('pdfinfo', '-struct-text', path).toString()
  expect(read.match(/"Product"/g)).toHaveLength(1)
  expect(read.match(/ TR\b/g)).toHaveLength(1 + rows.length)
  for (const [name] of rows) expect(read.match(new RegExp(`"${name}"`, 'g'))).toHaveLength(1)
})

test('every bar of a chart is named, turned where there are many', async () => {
  for (const count of [4, 14, 28]) {
    const names = Array.from(
      { length: count },
      (_, at) => `${CUSTOMERS[at % CUSTOMERS.length]} ${at + 1}`,
    )
    const { path } = await drawChart(
      planPrintChart(
        'bar',
        names,
        names.map((_, at) => at + 1),
      ),
    )
    const read = runPoppler('pdftotext', '-raw', path, '-').toString().replaceAll(/\s+/g, ' ')
    for (const name of names) expect(read).toContain(name)
  }
})

test('names that have no room are counted', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `Day ${at + 1}`)
  const { path } = await drawChart(
    planPrintChart(
      'bar',
      names,
      names.map((_, at) => at + 1),
    ),
  )
  const read = runPoppler('pdftotext', '-raw', path, '-').toString()
  const named = names.filter((name) => new RegExp(`^${name}$`, 'm').test(read))
  expect(named.length).toBeGreaterThan(20)
  expect(read).toContain(`and ${300 - named.length} more`)
})

test('a pie has a legend with value and share, in the language of its document', async () => {
  const chart = planPrintChart('pie', CUSTOMERS, [1000, 250.5, 2000, 0])
  const english = textOf((await drawChart(chart)).path)
  expect(english).toMatch(/Whitewater Trading +1,000\.00.EUR +30\.8%/)
  expect(english).toMatch(/Æbleø Handel +0\.00.EUR +–/)
  const german = textOf((await drawChart(chart, 'de')).path)
  expect(german).toMatch(/Juniper & Sons +2\.000,00.EUR +61,5.%/)
})

test('an Arabic chart begins at the right: axis, names and legend', async () => {
  const chart = planPrintChart('bar', ['باب', 'النور', 'البحر'], [10, 20, 30], 'المجموع')
  const { path, missing } = await drawChart(chart, 'ar')
  expect(missing).toEqual([])
  const boxes = runPoppler('pdftotext', '-bbox', path, '-').toString()
  // The letters of a word stand in its box from left to right.
  const leftOf = (word: string): number => {
    const letters = /\d/.test(word) ? word : [...word].reverse().join('')
    return Number(new RegExp(`xMin="([\\d.]+)"[^>]*>${letters}<`).exec(boxes)?.[1] ?? Number.NaN)
  }
  expect(leftOf('باب')).toBeGreaterThan(leftOf('النور'))
  expect(leftOf('النور')).toBeGreaterThan(leftOf('البحر'))
  expect(leftOf('10')).toBeGreaterThan(leftOf('باب'))
})

test('a row on several pages is one row for who hears it, and sums have their name', async () => {
  const words = LINES.flatMap((at) => [`alpha${at}`, `beta${at}`])
  const parts: PrintPart[] = [
    {
      do: 'table',
      title: '',
      columns: ['A head of many words '.repeat(200), 'B'].map((label) => ({
        label,
        align: 'start',
      })),
      keys: 1,
    },
    { do: 'rows', rows: [{ kind: 'row', cells: [words.join(' '), 'short'] }] },
    { do: 'rows', rows: [{ kind: 'total', label: 'Sum of all', cells: ['', '7'] }] },
    { do: 'tableEnd', emptyText: '' },
  ]
  const page = { size: 'A6', isLandscape: true } as const
  const { path, pages } = await printer.draw({ page, running: undefined }, parts)
  expect(pages).toBeGreaterThan(3)
  const read = runPoppler('pdfinfo', '-struct-text', path).toString()
  expect(read.match(/\b(?:THead|TBody|TR|TH|TD)\b/g)?.join(' ')).toBe(
    'THead TR TH TH TBody TR TH TD TR TH TD',
  )
  const texts = read.replaceAll(/\s+/g, ' ')
  for (const word of words) expect(texts).toContain(word)
})

test('Hebrew stands in the order of reading, beside Latin', async () => {
  const parts: PrintPart[] = [
    { do: 'blocks', blocks: [{ kind: 'text', text: 'חשבונית SO-7 לתשלום' }] },
  ]
  const { path, missing } = await printer.draw({ language: 'he', running: undefined }, parts)
  expect(missing).toEqual([])
  const words = runPoppler('pdftotext', '-raw', path, '-').toString()
  for (const word of ['חשבונית', 'SO-7', 'לתשלום']) expect(words).toContain(word)
})

test('no word of a row is lost that is higher than a small page, under a high head', async () => {
  const words = LINES.flatMap((at) => [`alpha${at}`, `beta${at}`])
  const columns = [{ label: 'A head of many words '.repeat(12), align: 'start' as const }]
  const parts: PrintPart[] = [
    { do: 'table', title: '', columns },
    { do: 'rows', rows: [{ kind: 'row', cells: [words.join(' ')] }] },
    { do: 'tableEnd', emptyText: '' },
  ]
  for (const page of [
    { size: 'A6' as const, isLandscape: true },
    { size: { width: 50, height: 30 }, isLandscape: false },
  ]) {
    const { path } = await printer.draw({ page, running: undefined }, parts)
    const read = runPoppler('pdftotext', '-raw', path, '-').toString()
    for (const word of words) expect(read).toMatch(new RegExp(`\\b${word}\\b`))
  }
})

test('an address of many and long lines is whole', async () => {
  const lines = LINES.slice(0, 14).map((at) => `Line${at} ${'of an address '.repeat(3)}end${at}`)
  const parts: PrintPart[] = [
    {
      do: 'blocks',
      blocks: [
        { kind: 'address', window: 'DIN5008', sender: 'A sender '.repeat(30), lines },
        { kind: 'heading', level: 1, text: 'Below' },
      ],
    },
  ]
  const { path } = await printer.draw({ running: undefined }, parts)
  const read = runPoppler('pdftotext', '-raw', path, '-').toString()
  for (const at of LINES.slice(0, 14)) {
    expect(read).toContain(`Line${at} `)
    expect(read).toContain(`end${at}\n`)
  }
})

/** Bills of both companies, more than three pages hold; every second one is paid. */
const MANY_BILLS = `WITH RECURSIVE n (N) AS (SELECT 1 UNION ALL SELECT N + 1 FROM n WHERE N < 240)
  INSERT INTO bills (CompanyId, Number, ClientId, Status, Total, Day)
  SELECT 1 + (N % 8 = 0), printf('N%04d', N * 7919 % 1000), iif(N % 8, 1, 9), iif(N % 2, 'new', 'paid'),
    round(N * 1234.57 / 100, 2), date('2026-01-01', N || ' days') FROM n`

const amount = (cents: number): string =>
  new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(cents / 100)
const day = (text: unknown): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(`${String(text)}T00:00:00Z`),
  )

test('a list has every row of its grid once, in order, with sums, on several pages', async () => {
  await using gallery = await startPrintedRecords()
  const { app } = gallery
  await app.store.write((tx) => tx.run(MANY_BILLS, {}), {
    company: 'all',
    because: 'a test',
  })
  const Sort = [{ Field: 'Status' }, { Field: 'Number', Direction: 'desc' }]
  const { body } = await app.fetch<{ data: Table }>('/api/v1/svc/object/bills/table', {
    as: 'clerk',
    body: { Sort, PageSize: 1000 },
  })
  const rows = body.data.Rows
  const cents = (row: Table['Rows'][number]): number => Math.round(Number(row.Total) * 100)
  const path = join(app.folder, 'list.pdf')
  const query = { fields: 'Number,Total,Day', group: 'Status', totals: 'Total' }
  const order = { object: 'bills', sort: 'Number desc', ...query }
  writeFileSync(path, await gallery.file('clerk', 'list', order))
  const pages = textOf(path).split('\f').slice(0, -1)
  expect(pages.length).toBeGreaterThan(3)
  const lines = pages.map((page) => [
    ...page.matchAll(/^ *([BN]\d+) +([\d,.]+) +(\w{3} \d+, \d{4}) *$/gm),
  ])
  expect(lines.flat().map(([, ...cells]) => cells)).toEqual(
    rows.map((row) => [String(row.Number), amount(cents(row)), day(row.Day)]),
  )
  const sum = (of: typeof rows): string => amount(of.reduce((all, row) => all + cents(row), 0))
  const sums = pages.join('').matchAll(/^ *(Subtotal|Total) +([\d,.]+) *$/gm)
  expect([...sums].map(([, ...cells]) => cells)).toEqual([
    ['Subtotal', sum(rows.filter(({ Status }) => Status === 'new'))],
    ['Subtotal', sum(rows.filter(({ Status }) => Status === 'paid'))],
    ['Total', sum(rows)],
  ])
  for (const [at, page] of pages.entries()) {
    const done = lines.slice(0, at + 1).flat().length
    if (at + 1 < pages.length)
      expect(page).toMatch(new RegExp(`Carried forward +${sum(rows.slice(0, done))}`))
    expect(page).toMatch(new RegExp(`^ONE +Bills$[^]* ${at + 1} ?/ ?${pages.length}$`, 'm'))
  }
  expect(pages.join('')).not.toContain('canary')
})

test('a page tells its filters by labels, and embeds the rows of a preset alone', async () => {
  await using gallery = await startPrintedRecords()
  const path = join(gallery.app.folder, 'page.pdf')
  const print = async (as: string, more: Record<string, string> = {}) => {
    const query = { report: 'turnover', From: '2026-01-01', ...more }
    writeFileSync(path, await gallery.file(as, 'page', query))
    return textOf(path)
  }
  const clerk = await print('clerk', { Client: '1', Status: 'paid' })
  expect(clerk).toMatch(/Status +From +Client\n *Paid in full +Jan 1, 2026 +Ærø\n/)
  expect(clerk).toContain('From Jan 1, 2026: Paid in full')
  const [, north = '', others = ''] = /The clients([^]*)Other clients([^]*)/.exec(clerk) ?? []
  expect([north.includes('Ærø'), north.includes('Bay')]).toEqual([true, false])
  expect([others.includes('Ærø'), others.includes('Bay')]).toEqual([false, true])
  // Who does not get the field of the preset gets no rows in its name.
  const blind = await print('blind')
  expect(blind).toContain('Other clients: This part cannot be printed')
})
