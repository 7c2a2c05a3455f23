/** Texts of documents to print: shaped, broken and ordered. */
import { expect, test } from 'bun:test'
import { listBreaks } from '../../src/engine/pdf/breaks.ts'
import { loadFaces } from '../../src/engine/pdf/faces.ts'
import { shapeRuns } from '../../src/engine/pdf/shape.ts'
import { sampleCases } from '../support/property.ts'

test('a text of ASCII is set from its pairs as the font sets it as a whole', async () => {
  const { regular, bold } = await loadFaces([])
  // Every pair of characters, in texts of a hundred.
  const texts = Array.from({ length: 95 }, (_, one) =>
    Array.from({ length: 95 }, (_, other) => String.fromCharCode(32 + one, 32 + other)).join(''),
  )
  for (const faces of [regular, bold]) {
    const font = faces.find(65)?.font
    if (!font) throw new Error('No font has an A')
    for (const text of [
      'AVATAR To.,',
      'office',
      '1,234.50',
      "Wave 'AT'",
      ...sampleCases(texts, 20),
    ]) {
      const laid = font.layout(text, { liga: false, clig: false }, undefined, undefined, 'ltr')
      const scale = 1000 / font.unitsPerEm
      const set = shapeRuns(text, faces, undefined, 0).flatMap(({ glyphs }) => glyphs)
      expect(set.map(({ id, advance }) => [id, advance.toFixed(3)])).toEqual(
        laid.glyphs.map(({ id }, at) => [
          id,
          ((laid.positions[at]?.xAdvance ?? 0) * scale).toFixed(3),
        ]),
      )
    }
  }
})

const CASES: readonly [text: string, pieces: readonly string[]][] = [
  ['SO-2026-0019 a-b x/y', ['SO-2026-0019 ', 'a-b ', 'x/y']],
  ['(-6,1 %) 5 € 7', ['(-6,1 %) ', '5 € ', '7']],
  ['12 EUR USD 15 ABC 5', ['12 EUR ', 'USD 15 ', 'ABC ', '5']],
  ['€ 5 € 5', ['€ 5 ', '€ 5']],
  ['+49 (30) 652-5792 ext', ['+49 (30) 652-5792 ', 'ext']],
  ['1 234 567,00 € net', ['1 234 567,00 € ', 'net']],
  ['100 200 300 400 500 600 700', ['100 200 300 400 500 600 ', '700']],
  [`${'long-word/'.repeat(5)}end`, [...Array(5).fill(['long-', 'word/']).flat(), 'end']],
  ['日本語 5 %', ['日', '本', '語 ', '5 %']],
  ['', []],
]

test('a text is broken between words, not in numbers, nor before their units', () => {
  for (const [text, pieces] of CASES) {
    let from = 0
    const found = [...listBreaks(text)].map((to) => text.slice(from, (from = to)))
    expect(found).toEqual([...pieces])
  }
})
