/** Texts are sorted as people do, in SQL and in memory alike. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { openMemory, prepareNative } from '../../src/store/connection/native.ts'
import { composeTextOrder, isTextOrdered, orderText } from '../../src/model/sql/text-order.ts'
import { columnOf } from '../support/entities.ts'
import { scaleCases } from '../support/property.ts'

const statement = prepareNative(openMemory(), `SELECT ${composeTextOrder('@text')} AS sorted`)
const keyOf = (text: string | number | null): unknown => statement.get({ text })?.[0]

/** By bytes, as an index has them. */
const compare = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(String(keyOf(a))), Buffer.from(String(keyOf(b))))

test('letters come first, then accents, then case', () => {
  const sorted = [
    ...[
      '',
      '12',
      '9',
      'a b',
      'ab',
      'Ærø',
      'Äpfel',
      'apple',
      'Banana',
      'banana 2',
      'Eclair',
      'éclair',
    ],
    ...['Łódź', 'Lodz 2', 'Nguyễn', 'Nguyen 2', 'Öl', 'Resume', 'resume', 'Résumé', 'résumé'],
    ...['Søren', 'strand', 'Strasse', 'Straße', 'Zebra', 'zebra', 'Žluťoučký kůň', 'Ψωμί'],
    ...['Жизнь', '日本'],
  ]
  expect(sorted.toReversed().toSorted(compare)).toEqual(sorted)
  expect(['Thor', 'Þor', 'thos'].toSorted(compare)).toEqual(['Thor', 'Þor', 'thos'])
})

test('what is no text keeps its order', () => {
  expect([5, 2.5, null].map(keyOf)).toEqual([5, 2.5, null])
})

const LATIN = 'abcdeghiklmnorstuyzABCDEORSZ 012éÉüÜöäßåçñôłøřšžěộßæÆœ'
const latin = fc.string({ unit: fc.constantFrom(...LATIN), maxLength: 8 })

/** Which letters beyond ASCII count is bounded: see `text-order.ts`. */
const isWithin = (text: string): boolean => text.replace(/[ -~ßæÆœ]/g, '').length <= 4

test('Latin texts come as the collation of Unicode has them', () => {
  const letters = new Intl.Collator('en', { sensitivity: 'base' })
  const whole = new Intl.Collator('en', { caseFirst: 'upper' })
  const plain = latin.map((text) => text.normalize('NFD').replace(/[^ -~]/g, ''))
  fc.assert(
    fc.property(latin.filter(isWithin), latin.filter(isWithin), (a, b) => {
      const order = letters.compare(a, b)
      if (order !== 0) expect([a, b, Math.sign(compare(a, b))]).toEqual([a, b, Math.sign(order)])
    }),
    { numRuns: scaleCases(2000) },
  )
  fc.assert(
    fc.property(plain, plain, (a, b) => {
      expect([a, b, Math.sign(compare(a, b))]).toEqual([a, b, Math.sign(whole.compare(a, b))])
    }),
    { numRuns: scaleCases(1000) },
  )
})

const some = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...LATIN, '\t', '\n', "'", '%', 'İ', 'ı', 'Ÿ', 'Ж', '中', '–', '€', '\u0301'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 14,
})

test('memory has the key that SQL has, and no two texts have the same', () => {
  fc.assert(
    fc.property(some, some, (a, b) => {
      for (const text of [a, b]) expect(keyOf(text)).toBe(orderText(text))
      expect(keyOf(a) === keyOf(b)).toBe(a === b)
    }),
    { numRuns: scaleCases(3000) },
  )
})

test('options that come alike in both orders are sorted as they are stored', () => {
  const optionsOf = (...values: string[]) =>
    columnOf('A', { options: values.map((value) => ({ value, label: value })) })
  expect(isTextOrdered(optionsOf('new', 'approved'))).toBe(false)
  expect(isTextOrdered(optionsOf('new', 'Approved', 'Zebra'))).toBe(true)
  expect(isTextOrdered(columnOf('A', { type: 'Integer' }))).toBe(false)
})
