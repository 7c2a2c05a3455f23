/** Property: whatever its data, every part of a chart has its place, and no text is lost. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { shorten } from '../../src/engine/pdf/chart/chart-parts.ts'
import type { PrintChart } from '../../src/engine/pdf/document.ts'
import { chartOf, faultsOf, type Paper, plan, wordsOf } from '../support/charts.ts'
import { scaleCases } from '../support/property.ts'

const LETTERS = [
  'Whitewater',
  'Ltd',
  'größte',
  'a',
  '2026-11',
  'شركة',
  'النور',
  'חשבונית',
  '&',
  'Æblegrød',
]
const LABEL = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...LETTERS) },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 6 })
      .map((words) => words.join(' ')),
  },
  { weight: 1, arbitrary: fc.constantFrom('', 'Donaudampfschifffahrtsgesellschaft'.repeat(4)) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
)

const VALUE = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -1000, max: 100_000 }) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, min: -1, max: 1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(null, 0, 1e300, -Number.MAX_VALUE, Number.MAX_VALUE, 5e-324, 1e15),
  },
)

const SERIES = fc.record({
  label: LABEL,
  type: fc.constantFrom('bar', 'line', 'area'),
  axis: fc.constantFrom('primary', 'secondary'),
  unit: fc.constantFrom('', 'EUR', '%', 'kg/m²'),
  decimals: fc.nat({ max: 3 }),
})

/** Values are all drawn, all 0, all the same, or all missing. */
const VALUES = fc.oneof(
  { weight: 6, arbitrary: fc.array(VALUE, { minLength: 1, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom([0], [null], [1e300], [-7]) },
)

const CHART: fc.Arbitrary<PrintChart> = fc
  .record({
    type: fc.constantFrom('bar', 'line', 'area', 'pie'),
    size: fc.constantFrom(0, 1, 2, 3, 7, 12, 31, 60, 500),
    labels: fc.array(LABEL, { minLength: 1, maxLength: 30 }),
    series: fc.array(fc.tuple(SERIES, VALUES), { minLength: 1, maxLength: 12 }),
    isStacked: fc.boolean(),
  })
  .map(({ type, size, labels, series, isStacked }) =>
    chartOf(
      Array.from({ length: size }, (_, at) => `${labels[at % labels.length] ?? ''}`),
      series.map(([each, values]) => ({
        ...each,
        values: Array.from({ length: size }, (_, at) => values[at % values.length] ?? null),
      })),
      { type, isStacked },
    ),
  )

const PAPERS: fc.Arbitrary<Paper> = fc
  .record({
    width: fc.constantFrom(60, 110, 152, 240, 320, 482, 730),
    language: fc.constantFrom('en', 'de', 'ar', 'fr', 'x!'),
  })
  .map(({ width, language }) => ({
    width,
    heightMax: 650,
    language,
    isRightToLeft: language === 'ar',
  }))

/** Longer names end with `…`. */
const NAME_MAX = 160

test('a chart has every part on its paper, and no text over another', () => {
  fc.assert(
    fc.property(CHART, PAPERS, (chart, paper) => {
      expect(faultsOf(plan(chart, paper), paper)).toEqual([])
    }),
    { numRuns: scaleCases(120) },
  )
})

test('each name is there, whole, or counted', () => {
  const squeeze = (text: string): string => text.replace(/\s/g, '')
  fc.assert(
    fc.property(CHART, PAPERS, (chart, paper) => {
      const planned = plan(chart, paper)
      const all = squeeze(wordsOf(planned).join(''))
      const { type, categories } = chart
      const [, counted] = /and([\d,.]+)more/.exec(all) ?? []
      const rest = Number((counted ?? '0').replace(/\D/g, ''))
      const missing = new Set(
        categories.filter((name) => !all.includes(squeeze(shorten(name, NAME_MAX)))),
      )
      if (rest === 0) expect([...missing]).toEqual([])
      else expect(rest).toBeLessThanOrEqual(categories.length)
      // The bounds of a pie's entries, narrower on paper that is too small for more.
      if (type === 'pie' && rest > 0) expect([17, 8, 3]).toContain(categories.length - rest)
    }),
    { numRuns: scaleCases(60) },
  )
})
