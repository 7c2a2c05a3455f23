/** Claims of printed documents, PDF/UA-1 and PDF/A-2a, as veraPDF judges them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  PrintBlock,
  PrintChart,
  PrintHead,
  PrintSeries,
} from '../../src/engine/pdf/document.ts'
import { validateClaims, type Verdict } from './validator.ts'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/executable.ts'
import { drawPng } from '../support/pictures.ts'
import { openPrinter, planTable, type PrintPart } from '../support/prints.ts'

/** Two documents at a time are drawn, then one process reads them all. */
const ALL_MS = 300_000

const home = temporaryFolder()
const verdicts = new Map<string, Verdict>()
afterAll(() => home[Symbol.dispose]())

/** A JPEG of eight by four squares in four inks. */
const INKS = Buffer.from(
  '/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAoHB4jHhkoIyEjLSsoMDxkQTw3Nzx7WF1JZJGAmZaPgIyKoLTmw6Cq2q2KjM' +
    'j/y9ru9f///5vB////+v/m/f/4/8AAFAgABAAIBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAUDBP/E' +
    'ABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAOBEMATQBZAEsAAD8AZYEir//Z',
  'base64',
)

const text = (said: string): PrintBlock => ({ kind: 'text', text: said })
const heading = (level: 1 | 2 | 3): PrintBlock => ({ kind: 'heading', level, text: `Of ${level}` })

type Values = Pick<PrintSeries, 'label' | 'values'>

const chart = (type: PrintChart['type'], series: readonly Values[] = []): PrintBlock => ({
  kind: 'chart',
  chart: {
    type,
    title: series.length > 0 ? 'By month' : '',
    categories: ['Jan', 'Feb', 'مارس'],
    series: series.map((each, at) => ({
      ...each,
      type: type === 'pie' ? 'bar' : type,
      axis: at === 1 ? 'secondary' : 'primary',
      unit: 'EUR',
      decimals: 0,
    })),
    isStacked: true,
    words: { more: 'and {Count} more' },
  },
})

const SERIES = [
  { label: 'This year', values: [1234, 20, 30] },
  { label: 'Last year', values: [1, null, -3] },
  // As many as have every dash and hatching.
  ...Array.from({ length: 12 }, (_, at) => ({ label: `Year ${at}`, values: [at, 1, 2] })),
]

/** A chart whose names are turned, and counted where there is no room. */
const crowded = (count: number): PrintBlock => ({
  kind: 'chart',
  chart: {
    type: 'bar',
    title: 'By day',
    categories: Array.from({ length: count }, (_, at) => `Day ${at} يوم`),
    series: [{ label: '', values: [1], type: 'bar', axis: 'primary', unit: '', decimals: 0 }],
    isStacked: false,
    words: { more: 'and {Count} more' },
  },
})

/** A paper with every kind of block, in three writings. */
const EVERYTHING: readonly PrintPart[] = [
  {
    do: 'blocks',
    blocks: [
      { kind: 'address', window: 'DIN5008', sender: 'North', lines: ['Whitewater', 'Odense'] },
      heading(1),
      text('Rechnung für Ærø, efficient: فاتورة رقم SO-42 (أ) חשבונית SO-7 לתשלום'),
      {
        kind: 'fields',
        columns: 2,
        fields: [
          { label: 'Number', text: 'SO-42' },
          { label: 'Reference', text: '' },
          { label: 'العميل', text: 'شركة' },
        ],
      },
      {
        kind: 'figures',
        figures: [
          {
            label: 'Sales',
            value: '1,234.50 EUR',
            comparison: { text: '3 % more than last year', trend: 'good' },
            sparkline: [1, 2, null, 3, 4],
          },
          { label: '', value: '', sparkline: [] },
        ],
      },
      ...(['bar', 'line', 'area', 'pie'] as const).map((type) => chart(type, SERIES)),
      ...[20, 40, 300].map(crowded),
    ],
  },
  {
    do: 'blocks',
    blocks: [
      ...(['qr', 'code128'] as const).map((type): PrintBlock => ({
        kind: 'barcode',
        barcode: { type, text: 'SO-42', label: 'SO-42', width: 40 },
      })),
      {
        kind: 'totals',
        rows: [
          { label: 'Net', text: '1.00' },
          { label: 'Payable', text: '1.19', isStrong: true },
        ],
      },
      { kind: 'notice', text: 'A part is missing' },
      { kind: 'line' },
      { kind: 'space', height: 4 },
      {
        kind: 'columns',
        cells: [
          { span: 6, blocks: [heading(3), text('Left')] },
          { span: 6, blocks: [chart('pie', SERIES)] },
        ],
      },
    ],
  },
  {
    do: 'table',
    title: 'Lines',
    columns: [
      { label: 'المنتج', align: 'start' },
      { label: 'Amount', align: 'end', isCarried: true },
    ],
  },
  {
    do: 'rows',
    rows: Array.from({ length: 60 }, (_, at) => [
      ...(at % 30 === 0 ? [{ kind: 'group' as const, cells: [`Group ${at}`] }] : []),
      {
        kind: 'row' as const,
        cells: [at === 7 ? 'كلمة word '.repeat(500) : `منتج ${at}`, `${at}.00`],
        tones: ['plain' as const, 'bad' as const],
        carry: ['', `${at}.00`],
      },
      ...(at % 30 === 29 ? [{ kind: 'subtotal' as const, cells: ['', '9.00'] }] : []),
    ]).flat(),
  },
  { do: 'tableEnd', emptyText: 'Nothing' },
  ...planTable(['A', 'B'], []),
]

/** Characters that show nothing, marks without a font, signs that only one font knows. */
const CHARACTERS =
  'a\u00ad a\u034fb a\u061cb ب\u061cت a\u200db a\u115fb a\u180bb a\u17b4b a\u2063b a\ufe0fb a\u{e0001}b ' +
  '\u200fa a\u0301 e\u20e3 \u0e31 \u3099 א\u0591 ا\u0670 \ue000 \uf8ff \u{f0000} 😀\u200d😀 日本 \ufff9 \ufffd ' +
  'ا\u20e3 א\u064b 1\u1dc0 \u0301'

/** A font of outlines as PostScript has them, with a sign that the embedded ones lack. */
const OWN_FONT = join(import.meta.dir, '../../node_modules/bwip-js/fonts/Inconsolata.otf')

/** Documents at the edge of the rules: nothing to say, too much, an order that skips. */
const EDGES: Record<string, { head?: Partial<PrintHead>; parts: readonly PrintPart[] }> = {
  'no block at all': { head: { running: undefined, foot: { left: '', right: '' } }, parts: [] },
  'levels of headings that skip': {
    parts: [
      { do: 'blocks', blocks: ([3, 2, 3, 3, 1, 3, 3, 2] as const).map(heading) },
      { do: 'blocks', blocks: [text('The end')] },
    ],
  },
  'charts and fields that say nothing': {
    parts: [
      {
        do: 'blocks',
        blocks: [
          { kind: 'heading', level: 2, text: '' },
          text(''),
          { kind: 'fields', columns: 1, fields: [{ label: '', text: '' }] },
          ...(['bar', 'line', 'area', 'pie'] as const).map((type) => chart(type)),
          { kind: 'totals', rows: [] },
          { kind: 'columns', cells: [] },
        ],
      },
    ],
  },
  'tables without a column, a row or a word': {
    parts: [
      { do: 'table', title: '', columns: [] },
      { do: 'tableEnd', emptyText: 'Nothing' },
      { do: 'table', title: '', columns: [{ label: '', align: 'start' }] },
      { do: 'tableEnd', emptyText: '' },
      ...planTable(['A', 'B'], [[], ['', '']]),
    ],
  },
  'a head higher than its page, rows in blocks': {
    head: { page: { size: 'A6', isLandscape: true } },
    parts: [
      ...planTable(['A head of many words '.repeat(200)], [['1'], ['of many words '.repeat(200)]]),
      ...planTable(
        Array.from({ length: 30 }, (_, at) => `Column ${at}`),
        Array.from({ length: 9 }, (_, row) =>
          Array.from({ length: 30 }, (_, at) => `${row}-${at}`),
        ),
      ),
    ],
  },
  'a title of 40,000 letters': {
    head: { title: 'Ä & <b>\u0001'.repeat(5000) },
    parts: [{ do: 'blocks', blocks: [chart('line', [{ label: 'ä'.repeat(9e4), values: [1] }])] }],
  },
  'a sign of the operator’s own font': {
    head: { fonts: [OWN_FONT] },
    parts: [{ do: 'blocks', blocks: [text('a ␣ b')] }],
  },
  'characters that fonts lack': { parts: [{ do: 'blocks', blocks: [text(CHARACTERS)] }] },
}

const LANGUAGES = ['en', 'de', 'ar', 'he', 'zh-Hant-TW']
const LOGOS = {
  'seen through': drawPng({ width: 8, height: 4, hasAlpha: true }),
  'in passes': drawPng({ width: 9, height: 5, isInterlaced: true }),
  'in four inks': INKS,
}

/** Documents of the demo, as its people print them. */
const DEMO: readonly [of: string, language: string, path: string][] = [
  ['a list', 'en', 'list?object=orders&search=SO-2026-0010&group=Status&totals=Total'],
  ['a list', 'de', 'list?object=customers&search=Cobalt'],
  ['a record', 'de', 'record?object=orders&Id=400'],
  ['an invoice', 'en', 'invoice?Id=400'],
  ['a delivery note', 'de', 'delivery-note?Id=400'],
  ['a letter of a report page', 'en', 'sales-statement?From=2026-01-01&To=2026-12-31'],
  ['figures, charts and grids', 'de', 'page?report=sales-overview'],
  ['figures by country', 'en', 'page?report=customer-analysis'],
  ['a pivot', 'de', 'page?report=stock-report&From=2026-06-01'],
]

const NAMES = [
  ...LANGUAGES.map((language) => `everything in ${language}`),
  ...Object.keys(EDGES),
  ...Object.keys(LOGOS).map((name) => `a logo ${name}`),
  ...DEMO.map(([of, language]) => `${of} of the demo in ${language}`),
]

const fileOf = (name: string): string => join(home.path, `${NAMES.indexOf(name)}.pdf`)

async function drawParts(): Promise<void> {
  await using printer = openPrinter()
  const draw = async (name: string, head: Partial<PrintHead>, parts: readonly PrintPart[]) =>
    writeFileSync(fileOf(name), readFileSync((await printer.draw(head, parts)).path))
  for (const language of LANGUAGES)
    await draw(`everything in ${language}`, { language }, EVERYTHING)
  for (const [name, { head = {}, parts }] of Object.entries(EDGES)) await draw(name, head, parts)
  for (const [name, bytes] of Object.entries(LOGOS)) {
    const logo = join(home.path, 'logo')
    writeFileSync(logo, bytes)
    const letterhead = { lines: ['North'], hasLogo: true }
    await draw(`a logo ${name}`, { logo, letterhead }, [{ do: 'blocks', blocks: [heading(1)] }])
  }
}

async function printDemo(): Promise<void> {
  await using app = await startApp()
  for (const [of, language, path] of DEMO) {
    const headers = { Authorization: `Bearer ${app.tokens['ana']}`, 'Accept-Language': language }
    const answer = await app.handle(new Request(`http://localhost/report/${path}`, { headers }))
    expect([of, answer.headers.get('Content-Type')]).toEqual([of, 'application/pdf'])
    writeFileSync(fileOf(`${of} of the demo in ${language}`), await answer.bytes())
  }
}

const BROKEN = join(home.path, 'broken.pdf')

beforeAll(async () => {
  await Promise.all([drawParts(), printDemo()])
  const whole = readFileSync(fileOf('everything in en'), 'latin1')
  writeFileSync(
    BROKEN,
    whole.replace('/OutputIntents', '/OutputIdeas__').replace('/Alt', '/Art'),
    'latin1',
  )
  const found = await validateClaims([BROKEN, ...NAMES.map(fileOf)])
  for (const [path, verdict] of found) verdicts.set(path, verdict)
}, ALL_MS)

test.each(NAMES)('%s keeps every rule that it claims to keep', (name) => {
  expect(verdicts.get(fileOf(name))).toEqual({ 'PDF/A-2A': [], 'PDF/UA-1': [] })
})

test('the judge sees a file that claims more than it keeps', () => {
  const rules = Object.entries(verdicts.get(BROKEN) ?? {}).map(([profile, broken]) => [
    profile,
    broken.map((rule) => rule.split(' ')[0]),
  ])
  expect(Object.fromEntries(rules)).toEqual({ 'PDF/A-2A': ['6.2.4.3-2'], 'PDF/UA-1': ['7.3-1'] })
})
