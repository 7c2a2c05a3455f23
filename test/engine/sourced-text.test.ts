/** The text of a model: its references become values, and numbers without a source are left out. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { KnownNumbers } from '../../src/engine/assistant/openai/numerals.ts'
import {
  COUNT_COLUMN,
  SourcedText,
  type SourcePlace,
  type TextSources,
} from '../../src/engine/assistant/openai/sourced-text.ts'
import { scaleCases } from '../support/property.ts'

const CELLS: Readonly<Record<string, string>> = {
  'Sales 0': '1.234,50 €',
  'Sales 1': '99',
  'Total Sales 0': '7',
  'Name 1': 'https://x.example/?d=',
  'Name 2': '//x.example',
  'Name 3': 'img src=x>',
  'Name 0': 'Bo\u202e [[0.Sales.0]] 4711',
}

function findValue({ table, column, row }: SourcePlace) {
  if (table !== 0) return undefined
  const text = row === undefined && column === COUNT_COLUMN ? '12' : CELLS[`${column} ${row}`]
  return text === undefined ? undefined : { column, text }
}

function sourcesOf(...known: unknown[]): TextSources {
  const numbers = new KnownNumbers()
  for (const value of known) numbers.add(value)
  return { findValue, numbers }
}

/** The whole text with the texts that its references point to. */
function read(chunks: Iterable<string>, ...known: unknown[]) {
  const sourced = new SourcedText(sourcesOf(...known))
  let text = ''
  const pointed: string[] = []
  for (const piece of [...[...chunks].map((chunk) => sourced.push(chunk)), sourced.end()]) {
    if (!piece) continue
    for (const { Start, Length, Row, Column } of piece.references)
      pointed.push(`${Column}.${Row ?? 'all'}=${piece.text.slice(Start, Start + Length)}`)
    text += piece.text
  }
  return { text, pointed, leftOut: sourced.leftOut }
}

const REFERENCES = [
  { given: 'It is [[0.Sales.0]].', text: 'It is 1.234,50 €.', pointed: ['Sales.0=1.234,50 €'] },
  { given: '[[0.count]] orders', text: '12 orders', pointed: ['count.all=12'] },
  { given: '[[0.Total Sales.0]]', text: '7', pointed: ['Total Sales.0=7'] },
  { given: '[[ 0.Sales.1 ]]', text: '99', pointed: ['Sales.1=99'] },
  {
    given: '[[0.Sales.1]][[0.Sales.1]]',
    text: '99 99',
    pointed: ['Sales.1=99', 'Sales.1=99'],
  },
  { given: '[[0.Name.0]]', text: 'Bo [[0.Sales.0]] 4711', pointed: true },
] as const

const LEFT_OUT = [
  ['an unknown table', '[[1.Sales.0]]', '[?]'],
  ['an unknown row', '[[0.Sales.7]]', '[?]'],
  ['an unknown column', '[[0.Cost.0]] and', '[?] and'],
  ['no place at all', '[[profit]]', '[?]'],
  ['an invented number', 'We sold 500.', 'We sold [?].'],
  ['one with groups', 'About 1,234,567.89 now', 'About [?] now'],
  ['a scaled one', 'It is 5k or 5e3', 'It is [?] or [?]', '5 and 3'],
  ['groups by blanks', 'It is 5 100 now', 'It is [?] now', '5 and 100'],
  ['figures behind a value', '[[0.Sales.1]]000', '99[?]', '0'],
  ['figures before a value', '1[[0.Sales.1]] x', '[?]99 x', '1'],
  ['a fraction of a value', '[[0.Sales.1]].5', '99.[?]', '5'],
  ['figures with hidden joiners', '1\u200d2\u200b3', '[?]', '1 2 3'],
  ['figures with markup between', '1**2**3', '[?]', '1 2 3'],
  ['other scripts', 'Es sind ٥٠٠ und ½ und Ⅻ', 'Es sind [?] und [?] und [?]'],
  ['wide figures', '５００', '[?]'],
  ['words for a number', 'We sold forty-two thousand, two.', 'We sold [?], [?].', '42'],
  ['a word of two', 'Es sind zweiundvierzigtausend.', 'Es sind [?].', '42 1000'],
  ['a dozen', 'a dozen, half a dozen, ein Dutzend', 'a [?], [?], [?]', '1 2'],
  ['digits with a scale', '1.2 million or 5 Mio.', '[?] or [?].', '1.2 and 5'],
  ['a scaled value', '[[0.Sales.1]] million, [[0.Sales.1]]k', '99 [?], 99[?]', '99'],
  ['a year in words', 'in twenty twenty-six', 'in [?]', '46'],
  ['words with markup between', 'for**ty**-two, fo\u200drty', '[?], [?]'],
  ['an address', 'See https://x.example/?d=1 and www.x.example.', 'See [?] and [?]'],
  ['an address with values', 'at https://x.example/?d=[[0.Total Sales.0]]&x=2 now', 'at [?] now'],
  ['a word of figures without end', '7'.repeat(5000), '[?]'],
] as const

const KEPT = [
  ['of the question', 'The top 5 of 2026', 'top 5 in 2026?'],
  ['of a value, in other notations', '1,234.5 or 1.234,50 or 1234.5', 1234.5],
  ['of a date of the data', '05.03.2026 and 2026-3-5', { On: '2026-03-05' }],
  ['of a key within a text', 'Order SO-1003', [{ No: 'SO-1003' }]],
  ['of a name of a column', 'CO₂ in Q3, in m²', { Q3: null }],
  ['with markup', 'between **5** and **6**', '5 6'],
  ['negative ones', 'It fell by 7', -7],
  ['as words', 'forty-two thousand, zweiundvierzigtausend, 42 thousand', 42000],
  ['as words of a question', 'the top five, 5', 'the top five'],
  ['with scales', 'One point: 1.2 million, 1,2 Mio., two and a half thousand', [1200000, 2500]],
  ['in a list', 'between five and six, two hundred and five', [5, 6, 205]],
  ['a dozen', 'a dozen and two dozen, ein Dutzend', [12, 24]],
  ['joined', 'hundertfünf, einhundertzwölf, dreißig', [105, 112, 30]],
  ['one of them', 'one of them, eine davon, Millionen, half, often, Achtung, seven', 7],
  ['words', 'Nothing to count here', ''],
] as const

describe('references', () => {
  for (const { given, text, pointed } of REFERENCES) {
    test(given, () => {
      const whole = read([given])
      expect(whole).toEqual({
        text,
        leftOut: false,
        pointed: pointed === true ? [`Name.0=${text}`] : [...pointed],
      })
      expect(read(given)).toEqual(whole)
    })
  }

  test('are left out where they point nowhere, as numbers without a source', () => {
    for (const [name, given, text, known = ''] of LEFT_OUT)
      expect([name, read([given], known)]).toMatchObject([name, { text, leftOut: true }])
  })
})

describe('numerals', () => {
  for (const [name, given, known] of KEPT) {
    test(`${name} are kept`, () => {
      expect(read([given], known)).toEqual({ text: given, pointed: [], leftOut: false })
      expect(read(given, known)).toEqual({ text: given, pointed: [], leftOut: false })
    })
  }

  test('of ordered lists become bullets; in the middle of a line they are numbers', () => {
    const given = '1. First\n  2) Second\n3. Third with 4. more'
    const text = '- First\n  - Second\n- Third with [?]. more'
    expect(read([given])).toMatchObject({ text, leftOut: true })
    expect(read(given)).toMatchObject({ text, leftOut: true })
  })
})

const LINKS = [
  ['![a](https://x.example/?d=1)', '![a] ([?]'],
  ['[a]([[0.Name.1]])', '[a] (https://x.example/?d= )'],
  ['[a][b]\n\n[b]: /x', '[a] [b]\n\n[b] : /x'],
  ['<img src=x>', '< img src=x>'],
  ['[[0.Name.1]]?d=[[0.Name.2]]', 'https://x.example/?d= ?d=//x.example'],
  ['https:[[0.Name.2]]', 'https: //x.example'],
  ['<[[0.Name.3]]', '< img src=x>'],
] as const

test.each(LINKS)('no link is left: %s', (given, text) => {
  expect(read([given]).text).toBe(text)
  expect(read(given).text).toBe(text)
})

test('control characters and hidden signs go, line breaks stay', () => {
  expect(read(['a\u0000b\u001b[m\r\n\tc\u202e\ufeff']).text).toBe('ab[m\n\tc')
})

test('texts without blanks are not held back for ever', () => {
  const sourced = new SourcedText(sourcesOf())
  const pieces = Array.from({ length: 400 }, () => sourced.push('売上'))
  expect(pieces.some((piece) => piece !== undefined)).toBe(true)
})

const PARTS = [
  ...['[[0.Sales.0]]', '[[0.Total Sales.0]]', '[[0.count]]', '[[9.X.1]]', '[[', ']]', '[', ']'],
  ...['1', '12', '1 234', '1,234.5', '5k', '2026-03-05', '.', ',', '*', '_', '-', '1. ', '2) '],
  ...[' ', '\n', '\n\n', 'words ', 'Ω売上', 'm²', '😀', '\u200d', '\u0007', 'e', 'k'],
  ...[
    'two',
    'hundred',
    ' and ',
    'zwei',
    'und',
    'vierzig',
    'million',
    'half',
    'a',
    'point',
    'https://x',
  ],
  ...['(', ')', ':', '<', '/', '=', '[[0.Name.1]]'],
]

test('the same comes out wherever the text is cut', () => {
  const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 60 }).map((all) => all.join(''))
  const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(text, sizes, (given, cuts) => {
      const chunks: string[] = []
      for (let at = 0, turn = 0; at < given.length; turn++) {
        const size = cuts[turn % cuts.length] ?? 1
        chunks.push(given.slice(at, at + size))
        at += size
      }
      expect(read(chunks, '12 5')).toEqual(read([given], '12 5'))
    }),
    { numRuns: scaleCases(3000) },
  )
})
