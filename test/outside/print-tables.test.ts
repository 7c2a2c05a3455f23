/** Tables of documents to print, as poppler reads them: nothing is cut, nothing is left alone. */
import { afterAll, describe, expect, test } from 'bun:test'
import type { PrintColumn, PrintHead, PrintRow } from '../../src/engine/pdf/document.ts'
import { openPrinter, type PrintPart, runPoppler } from '../support/prints.ts'

const printer = openPrinter()
afterAll(() => printer[Symbol.asyncDispose]())

/** A word where it stands, in points from the top left of its page. */
interface Word {
  text: string
  page: number
  x: number
  y: number
}

interface ReadPage {
  width: number
  height: number
  words: Word[]
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** By their places letters of Hebrew and Arabic come from left to right. */
const inReadingOrder = (word: string): string =>
  /[\u0590-\u08ff]/.test(word) ? [...word].reverse().join('') : word

/** Pages with their words, as poppler finds them by their places. */
function readPages(path: string): ReadPage[] {
  const text = runPoppler('pdftotext', '-bbox', path, '-').toString()
  return text
    .split('<page ')
    .slice(1)
    .map((part, page) => {
      const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(part) ?? []
      const words = [...part.matchAll(/<word xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>(.*?)<\/word>/g)]
      return {
        width: Number(width),
        height: Number(height),
        words: words.map(([, x, y, word = '']) => ({
          text: inReadingOrder(word.replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? '')),
          page,
          x: Number(x),
          y: Number(y),
        })),
      }
    })
}

const listWords = (pages: readonly ReadPage[]): Word[] => pages.flatMap(({ words }) => words)

/** Words of texts, each as often as it is there. */
function countWords(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of texts.flatMap((text) => text.split(/\s+/)).filter(Boolean))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Words of the texts that the pages lack, or have too few of. */
function findLost(pages: readonly ReadPage[], texts: readonly string[]): string[] {
  const found = countWords(listWords(pages).map(({ text }) => text))
  return [...countWords(texts)].flatMap(([word, count]) =>
    (found.get(word) ?? 0) < count ? [word] : [],
  )
}

interface Drawn {
  columns: readonly PrintColumn[]
  rows: readonly PrintRow[]
  title?: string
  head?: Partial<PrintHead>
  before?: readonly PrintPart[]
  keys?: number
}

async function drawTable({ columns, rows, title = '', head, before = [], keys }: Drawn) {
  const parts: PrintPart[] = [
    ...before,
    { do: 'table', title, columns, ...(keys !== undefined && { keys }) },
    { do: 'rows', rows },
    { do: 'tableEnd', emptyText: 'Nothing' },
  ]
  const { path } = await printer.draw({ running: undefined, ...head }, parts)
  return { path, pages: readPages(path) }
}

const row = (...cells: string[]): PrintRow => ({ kind: 'row', cells })
const number = (label: string): PrintColumn => ({ label, align: 'end', isWhole: true })
const text = (label: string): PrintColumn => ({ label, align: 'start' })

/** Values that no line breaks, in three languages. */
const VALUES = [
  ['264,055.86', '-126', '1,234.50 EUR', '-6.1 %', 'SO-2026-0019', 'Nov 28, 2026, 6:26 PM'],
  ['264.055,86', '-126', '1.234,50 EUR', '(-6,1 %)', 'SO-2026-0019', '28.11.2026, 18:26'],
  ['264,055.86', '\u200e-126', '1,234.50 EUR', '\u200e-6.1 %', 'SO-2026-0019', '28/11/2026'],
]

describe('no word of a table is split over two lines', () => {
  for (const [at, language] of ['en', 'de', 'ar'].entries())
    test(`whatever the number of its columns, in ${language}`, async () => {
      const values = VALUES[at] ?? []
      for (const count of [3, 8, 14, 25, 60]) {
        const columns = Array.from({ length: count }, (_, place) =>
          place % 3 === 2 ? text(`Column${place} of texts`) : number(`Zwischensumme${place}`),
        )
        const rows = [0, 1, 2, 3, 4].map((line) =>
          row(...columns.map((_, place) => values[(place + line) % values.length] ?? '')),
        )
        const { pages } = await drawTable({ columns, rows, head: { language } })
        const texts = rows
          .flatMap(({ cells }) => cells)
          .map((cell) => cell.replaceAll('\u200e', ''))
        expect(findLost(pages, [...texts, ...columns.map(({ label }) => label)])).toEqual([])
      }
    })

  test('not the widest one, though it comes last', async () => {
    const rows = Array.from({ length: 600 }, (_, at) => row(`${at}`, 'A text of some words'))
    const last = row('123,456,789,012,345.67', 'Donaudampfschifffahrtsgesellschaftskapitän')
    const columns = [number('No'), text('Text')]
    const { pages } = await drawTable({ columns, rows: [...rows, last] })
    expect(findLost(pages, last.cells)).toEqual([])
    expect(listWords(pages).filter(({ text: word }) => word === 'words')).toHaveLength(600)
  })

  test('not the sign before it, nor the currency after it', async () => {
    const cells = ['-5.00', '12 EUR', '€ 7.50', '9 %']
    const columns = [
      text('Amount of money that is'),
      ...Array.from({ length: 30 }, () => text('N')),
    ]
    const rows = cells.map((cell) => ({
      ...row(cell, ...Array.from({ length: 30 }, () => 'abcdef')),
      tones: ['bad' as const],
    }))
    const { pages } = await drawTable({ columns, rows })
    const words = listWords(pages)
    for (const cell of cells) {
      const [first = '', second = ''] = cell.split(' ')
      const from = words.find((word) => word.text === first)
      const sign = words.find((word) => word.text === '!!' && word.y === from?.y)
      expect({ cell, sign: sign?.text }).toEqual({ cell, sign: '!!' })
      if (second !== '')
        expect(words.some((word) => word.text === second && word.y === from?.y)).toBe(true)
    }
  })
})

describe('a label of sums', () => {
  const columns = [number('#'), text('Article'), text('Product'), number('Quantity')]
  const rows: PrintRow[] = [
    row('1', 'PT-0058', 'Cordless drill', '4'),
    { kind: 'subtotal', label: 'Zwischensumme', cells: ['', '', '', '4'] },
    { kind: 'total', label: 'Gesamtsumme', cells: ['', '', '', '1,234,567.00'] },
  ]

  test('spans the empty cells before the sum, on its line', async () => {
    const { pages } = await drawTable({ columns, rows })
    const words = listWords(pages)
    const find = (word: string) => words.find((each) => each.text === word)
    expect(find('Gesamtsumme')?.y).toBe(find('1,234,567.00')?.y)
    expect(find('Zwischensumme')?.x).toBe(find('Gesamtsumme')?.x)
  })

  test('makes its cells wide enough, and stands above sums that leave none empty', async () => {
    const narrow = await drawTable({
      columns: [
        number('#'),
        number('Sum'),
        ...Array.from({ length: 12 }, (_, at) => number(`N${at}`)),
      ],
      rows: [
        row('1', '2'),
        { kind: 'total', label: 'Gesamtsumme', cells: ['', '5', ...Array(12).fill('9')] },
      ],
    })
    expect(findLost(narrow.pages, ['Gesamtsumme'])).toEqual([])
    const full = await drawTable({
      columns: [number('A'), number('B')],
      rows: [row('1', '2'), { kind: 'total', label: 'Total', cells: ['11', '22'] }],
    })
    expect(findLost(full.pages, ['Total', '11', '22'])).toEqual([])
  })
})

const isWide = ({ width, height }: ReadPage): boolean => width > height

describe('a table that is too wide', () => {
  const many = (count: number): Drawn => {
    const columns = [text('Key'), ...Array.from({ length: count }, (_, at) => number(`Sum${at}`))]
    const rows = Array.from({ length: 6 }, (_, line) =>
      row(`SO-${line}`, ...Array.from({ length: count }, (_, at) => `${line},${100 + at},000.00`)),
    )
    return { columns, rows }
  }

  test('turns its page, and no other', async () => {
    const texts: PrintPart[] = [
      { do: 'blocks', blocks: [{ kind: 'text', text: 'Lorem ipsum. '.repeat(600) }] },
    ]
    const upright = await drawTable({ ...many(6), before: texts })
    expect(upright.pages.map(isWide)).not.toContain(true)
    const { pages } = await drawTable({ ...many(10), before: texts })
    expect(pages.map(isWide)).toEqual([...pages.slice(1).map(() => false), true])
    const alone = await drawTable({
      ...many(10),
      before: [{ do: 'blocks', blocks: [{ kind: 'heading', level: 1, text: 'Orders' }] }],
    })
    expect(alone.pages.map(isWide)).toEqual([true])
    expect(findLost(alone.pages, ['Orders'])).toEqual([])
  })

  test('goes on in blocks of the same rows, each beside its key', async () => {
    const { pages, path } = await drawTable(many(40))
    expect(pages).toHaveLength(1)
    const keys = listWords(pages).filter(({ text: word }) => /^SO-\d$/.test(word))
    const blocks = keys.length / 6
    expect(blocks).toBeGreaterThan(1)
    expect(keys.map(({ text: word }) => word)).toEqual(
      Array.from({ length: blocks }, () => [0, 1, 2, 3, 4, 5].map((line) => `SO-${line}`)).flat(),
    )
    for (const word of listWords(pages).filter(({ text: each }) => /^\d,\d{3},/.test(each))) {
      const key = keys.find(({ y }) => y === word.y)
      expect(key?.text).toBe(`SO-${word.text.charAt(0)}`)
    }
    // To a screen reader each block is a table, and the key is the head of its row.
    const tags = runPoppler('pdfinfo', '-struct', path).toString()
    expect(tags.match(/^ *Table\b/gm)).toHaveLength(blocks)
    expect(tags.match(/^ *\/Scope \/Row$/gm)).toHaveLength(6 * blocks)
    expect(tags.match(/^ *\/Scope \/Column$/gm)).toHaveLength(40 + blocks)
  })

  test('breaks no word of several keys that are wide themselves', async () => {
    const { columns, rows } = many(20)
    const wide = rows.map(({ cells }, at) =>
      row(`${'k'.repeat(55)}${at}`, 'm'.repeat(55), ...cells),
    )
    const { pages } = await drawTable({
      columns: [text('One'), text('Two'), ...columns],
      rows: wide,
      keys: 2,
    })
    expect(
      findLost(
        pages,
        wide.flatMap(({ cells }) => cells),
      ),
    ).toEqual([])
  })

  test('has pages of its own for each block where one page has no room for all', async () => {
    const { columns, rows } = many(300)
    const { pages } = await drawTable({ columns, rows })
    const words = listWords(pages)
    expect(
      findLost(
        pages,
        rows.flatMap(({ cells }) => cells),
      ),
    ).toEqual([])
    for (const { words: own } of pages)
      expect(own.filter(({ text: word }) => word === 'SO-0').length).toBeGreaterThan(0)
    expect(words.filter(({ text: word }) => word === 'Sum299')).toHaveLength(1)
  })
})

describe('the pages of a table', () => {
  const columns = [text('Key'), text('Words')]

  test('have more than one row each, however many there are', async () => {
    for (let count = 36; count < 56; count++) {
      const rows = Array.from({ length: count }, (_, at) => row(`K-${at}`, 'word'))
      const { pages } = await drawTable({ columns, rows })
      const counts = pages.map(({ words }) =>
        words.filter(({ text: each }) => each.startsWith('K-')),
      )
      expect(counts.flat()).toHaveLength(count)
      for (const own of counts) expect(own.length).toBeGreaterThan(1)
    }
  })

  test('begin a cell that is taller than one of them where it stands', async () => {
    const words = Array.from({ length: 4000 }, (_, at) => `w${at}`)
    const rows = [row('K-0', 'short'), row('K-1', words.join(' ')), row('K-2', 'short')]
    const { pages } = await drawTable({ columns, rows })
    const lasts = pages.map(({ words: own }) => Math.max(...own.map(({ y }) => y)))
    const [first] = pages
    const texts = first?.words.map(({ text: word }) => word)
    expect(texts).toContain('K-0')
    expect(texts).toContain('w0')
    expect(findLost(pages, words)).toEqual([])
    for (const [at, last] of lasts.entries())
      if (at < pages.length - 1) expect(last).toBeGreaterThan((first?.height ?? 0) * 0.8)
  })

  test('are none that is empty, before a table or behind it', async () => {
    const none: Drawn = { columns, rows: [], before: [{ do: 'pageBreak' }] }
    expect((await drawTable(none)).pages).toHaveLength(1)
    const { path } = await printer.draw({}, [
      { do: 'blocks', blocks: [{ kind: 'text', text: 'A text' }] },
      { do: 'pageBreak' },
    ])
    expect(readPages(path)).toHaveLength(1)
  })
})

describe('blocks', () => {
  const words = Array.from({ length: 3000 }, (_, at) => `w${at}`)
  const said = words.join(' ')

  test('that are taller than a page are cut between lines, also beside each other', async () => {
    const fields = [
      { label: 'Short', text: 'a word' },
      { label: 'Notes', text: said },
    ]
    const cells = [
      { span: 4, blocks: [{ kind: 'text', text: 'Aside' } as const] },
      { span: 8, blocks: [{ kind: 'text', text: said } as const] },
    ]
    for (const block of [
      { kind: 'fields', columns: 2, fields } as const,
      { kind: 'columns', cells } as const,
    ]) {
      const { path } = await printer.draw({ running: undefined }, [
        { do: 'blocks', blocks: [{ kind: 'text', text: 'First' }, block] },
      ])
      const pages = readPages(path)
      expect(findLost(pages, words)).toEqual([])
      expect(pages[0]?.words.map(({ text: word }) => word)).toContain('w0')
      for (const { words: own, height } of pages)
        for (const { y } of own) expect(y).toBeLessThan(height)
    }
  })

  test('of sums break no number, and their labels between words', async () => {
    const rows = [
      { label: 'Zwischensumme der Nettobeträge', text: '123,456,789,012,345,678.90 EUR' },
      { label: 'Amount payable', text: '9,123,456,789,012,345,678.90 EUR', isStrong: true },
    ]
    const { path } = await printer.draw({}, [{ do: 'blocks', blocks: [{ kind: 'totals', rows }] }])
    expect(
      findLost(
        readPages(path),
        rows.flatMap((each) => [each.label, each.text]),
      ),
    ).toEqual([])
  })
})

describe('a line goes by its first strong letter', () => {
  const CASES: readonly [text: string, order: readonly string[]][] = [
    ['فاتورة SO-7', ['SO-7', 'فاتورة']],
    ['SO-7 فاتورة', ['SO-7', 'فاتورة']],
    ['7 SO فاتورة', ['7', 'SO', 'فاتورة']],
    ['(7) فاتورة SO', ['SO', 'فاتورة', '(7)']],
    ['חשבונית 12 ab', ['ab', '12', 'חשבונית']],
    ['12 - 34', ['12', '-', '34']],
  ]
  for (const language of ['en', 'ar'])
    test(`in cells and texts of a document in ${language}`, async () => {
      for (const [said, order] of CASES) {
        const { pages } = await drawTable({
          columns: [text('Key'), text('Words')],
          rows: [row('K', said)],
          head: { language, foot: { left: '', right: '' } },
          before: [{ do: 'blocks', blocks: [{ kind: 'text', text: said }] }],
        })
        const words = listWords(pages).filter(({ text: word }) => order.includes(word))
        const half = Math.max(...words.map(({ y }) => y)) - 10
        const [above, below] = [
          words.filter(({ y }) => y < half),
          words.filter(({ y }) => y >= half),
        ]
        const read = [above, below].map((line) =>
          line.toSorted((one, other) => one.x - other.x).map((word) => word.text),
        )
        expect(read).toEqual([[...order], [...order]])
      }
    })
})
