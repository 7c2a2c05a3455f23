/** Charts of documents: axes, names, series and pies. */
import { describe, expect, test } from 'bun:test'
import {
  fillLook,
  FILLS,
  lightnessOf,
  lineLook,
  readColour,
} from '../../src/engine/pdf/chart/chart-colours.ts'
import { NumberTexts } from '../../src/engine/pdf/chart/number-texts.ts'
import { describeChart, type PlannedChart } from '../../src/engine/pdf/chart/plan-chart.ts'
import { planValueAxes } from '../../src/engine/pdf/chart/value-axis.ts'
import {
  chartOf,
  type Paper,
  type PathPart,
  pathsOf,
  plan,
  seriesOf,
  textsOf,
  wordsOf,
} from '../support/charts.ts'

/** An axis of a plot that is 130 points high, in German. */
const axisOf = (
  extent: readonly [number, number],
  more: { isWhole?: boolean; unit?: string } = {},
) => {
  const [axis] = planValueAxes(
    [{ extent, isWhole: false, unit: '', ...more }],
    130,
    new NumberTexts('de'),
  )
  if (!axis) throw new Error('No axis was planned')
  return axis
}

describe('an axis', () => {
  test.each<[string, readonly [number, number], { isWhole?: boolean; unit?: string }, string[]]>([
    ['begins at 0', [3, 97], {}, ['0', '20', '40', '60', '80', '100']],
    ['has whole marks for whole values', [0, 2], { isWhole: true }, ['0', '1', '2']],
    ['has decimals as they are needed', [0, 0.04], {}, ['0', '0,01', '0,02', '0,03', '0,04']],
    ['goes below 0', [-30, 10], {}, ['-30', '-20', '-10', '0', '10']],
    [
      'shortens large numbers',
      [0, 2_400_000],
      {},
      ['0', '500.000', '1 Mio.', '1,5 Mio.', '2 Mio.', '2,5 Mio.'],
    ],
    ['writes percents', [0, 50], { unit: '%' }, ['0 %', '10 %', '20 %', '30 %', '40 %', '50 %']],
    ['has marks where all is 0', [0, 0], {}, ['0', '0,2', '0,4', '0,6', '0,8', '1']],
  ])('%s', (_what, extent, more, texts) => {
    expect(axisOf(extent, more).ticks.map(({ text }) => text.replace(/\s/g, ' '))).toEqual(texts)
  })

  test('beside another has its 0 at the same height', () => {
    for (const extents of [
      [
        [-30, 10],
        [0, 7],
      ],
      [
        [-5, 0],
        [0, 1e300],
      ],
      [
        [0, 3],
        [-1, 4],
      ],
    ] as const) {
      const axes = planValueAxes(
        extents.map((extent) => ({ extent, isWhole: false, unit: '' })),
        100,
        new NumberTexts('en'),
      )
      const [first, second] = axes.map(({ place }) => place(0))
      expect(first).toBeCloseTo(second ?? Number.NaN, 6)
      for (const [at, { place }] of axes.entries())
        for (const value of extents[at] ?? []) {
          expect(place(value)).toBeGreaterThanOrEqual(-0.001)
          expect(place(value)).toBeLessThanOrEqual(100.001)
        }
    }
  })
})

const STOPS = Array.from({ length: 90 }, (_, at) => `Stop${at + 1}`)
/** Angles of the names of a chart, in degrees, each once. */
const anglesOf = (planned: PlannedChart, names: readonly string[]): number[] => [
  ...new Set(
    textsOf(planned)
      .filter(({ line }) => names.includes(line.text))
      .map(({ matrix: [cos, sin] }) => Math.round((Math.atan2(sin, cos) * 180) / Math.PI)),
  ),
]

describe('names of bars', () => {
  const bars = (names: readonly string[], paper: Partial<Paper> = {}): PlannedChart =>
    plan(chartOf(names, [seriesOf(names.map((_, at) => at))]), paper)

  test('stand flat, rise, or are read from below, as they have room', () => {
    const [few, some, more] = [4, 14, 24].map((count) => STOPS.slice(0, count))
    expect(anglesOf(bars(few ?? []), STOPS)).toEqual([0])
    expect(anglesOf(bars(some ?? []), STOPS)).toEqual([-45])
    expect(anglesOf(bars(more ?? []), STOPS)).toEqual([-90])
  })

  test('are thinned evenly, and the rest is counted', () => {
    const words = wordsOf(bars(STOPS))
    const named = words
      .filter((word) => STOPS.includes(word))
      .map((word) => Number(word.slice('Stop'.length)))
    const [first = 0, second = 0] = named
    expect(first).toBe(1)
    for (const [at, number] of named.entries()) expect(number).toBe(1 + at * (second - first))
    expect(words).toContain(`and ${STOPS.length - named.length} more`)
  })

  test('go from right to left where the document does, the axis of values too', () => {
    const places = (isRightToLeft: boolean) => {
      const planned = bars(['a', 'b', '\u0634\u0631\u0643\u0629'], { isRightToLeft })
      const of = (text: string) =>
        textsOf(planned).find(({ line }) => line.text === text)?.matrix[4] ?? 0
      return [of('0'), of('a'), of('b')] as const
    }
    const [axis, a, b] = places(false)
    expect([axis < a, a < b]).toEqual([true, true])
    const [turnedAxis, turnedA, turnedB] = places(true)
    expect([turnedAxis > turnedA, turnedA > turnedB]).toEqual([true, true])
  })
})

describe('series', () => {
  const filled = (planned: PlannedChart, at: number): PathPart[] =>
    pathsOf(planned).filter(({ look, d }) => look.fill === fillLook(at).fill && d.includes('h'))

  test('stand side by side, or stacked above and below 0', () => {
    const series = [seriesOf([10, 10]), seriesOf([20, -5]), seriesOf([5, -5])]
    const boxes = (isStacked: boolean) =>
      series.map((_, at) => filled(plan(chartOf(['a', 'b'], series, { isStacked })), at)[0]?.box)
    const [a, b, c] = boxes(false)
    expect((a?.x ?? 0) + 10).toBeLessThan(b?.x ?? 0)
    expect(b?.x).toBeLessThan(c?.x ?? 0)
    const [low, middle, high] = boxes(true)
    expect([middle?.x, high?.x]).toEqual([low?.x, low?.x])
    expect((middle?.y ?? 0) < (low?.y ?? 0) && (high?.y ?? 0) < (middle?.y ?? 0)).toBe(true)
  })

  test('have a form and an axis of their own', () => {
    const series = [
      seriesOf([1000, 2000], { label: 'Total', unit: 'EUR' }),
      seriesOf([1, 2], { label: 'Orders', type: 'line', axis: 'secondary' }),
    ]
    const planned = plan(chartOf(['a', 'b'], series))
    const words = wordsOf(planned)
    for (const word of ['Total (EUR)', 'Orders', '2,000', '2']) expect(words).toContain(word)
    expect(filled(planned, 0)).toHaveLength(2)
    const line = pathsOf(planned).find(({ look }) => look.dash?.length === lineLook(1).dash?.length)
    expect(line?.d).toMatch(/^M[\d.,]+L[\d.,]+$/)
    // Both reach the top of the plot, each on its own axis.
    expect(line?.box.y).toBeCloseTo(filled(planned, 0)[0]?.box.y ?? 0, 1)
  })

  test('of one point, and points between gaps, are dots', () => {
    const dots = (values: (number | null)[]): number => {
      const names = values.map((_, at) => String(at))
      const chart = chartOf(names, [seriesOf(values, { type: 'line' })], { type: 'line' })
      return pathsOf(plan(chart)).filter(({ d }) => d.includes('a')).length
    }
    expect(dots([7])).toBe(1)
    expect(dots([null, 7, null])).toBe(1)
    const many = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 || at > 100 ? at : null))
    expect(dots(many)).toBe(50)
  })

  test('differ in colour and in grey', () => {
    const lightness = FILLS.map(lightnessOf)
    for (const [at, one] of lightness.entries()) {
      for (const other of lightness.slice(at + 1)) expect(Math.abs(one - other)).toBeGreaterThan(8)
      const next = lightness[(at + 1) % lightness.length] ?? 0
      expect(Math.abs(one - next)).toBeGreaterThan(20)
    }
    // The greys of copiers and of readers that weigh the three parts as they are.
    const greys = FILLS.map((colour) => {
      const [red, green, blue] = readColour(colour)
      return 0.299 * red + 0.587 * green + 0.114 * blue
    }).toSorted((a, b) => a - b)
    for (const [at, grey] of greys.slice(1).entries())
      expect(grey - (greys[at] ?? 0)).toBeGreaterThan(20)
    const looks = Array.from({ length: 12 }, (_, at) => at)
    for (const look of [fillLook, lineLook])
      expect(new Set(looks.map((at) => JSON.stringify(look(at)))).size).toBe(looks.length)
    for (const at of looks) expect(lightnessOf(lineLook(at).stroke)).toBeLessThan(55)
  })
})

describe('a pie', () => {
  const pie = (values: (number | null)[], paper: Partial<Paper> = {}) =>
    plan(
      chartOf(
        values.map((_, at) => `Part ${at + 1}`),
        [seriesOf(values, { unit: 'EUR', decimals: 2 })],
        { type: 'pie' },
      ),
      paper,
    )
  const words = (planned: PlannedChart) => wordsOf(planned).map((word) => word.replace(/\s/g, ' '))

  test('has a legend with name, value and share of each slice', () => {
    const german = words(pie([1, 3, null, 0], { language: 'de', width: 400 }))
    for (const word of ['Part 1', '1,00 EUR', '25,0 %', '3,00 EUR', '75,0 %', '0,00 EUR', '–'])
      expect(german).toContain(word)
    // Where there is no room for columns, values follow the names.
    expect(words(pie([1, 3], { width: 90 })).join(' ')).toContain('Part 2: 3.00 EUR (75.0%)')
  })

  test('of very many has the largest, and all others together', () => {
    const planned = words(
      pie(
        Array.from({ length: 100 }, (_, at) => at + 1),
        { width: 400 },
      ),
    )
    for (const word of ['Part 100', 'Part 84', 'and 83 more', '3,486.00 EUR', '69.0%'])
      expect(planned).toContain(word)
    expect(planned).not.toContain('Part 83')
  })

  test('of nothing is an empty ring', () => {
    const paths = pathsOf(pie([0, null, -4]))
    expect(paths.filter(({ look, d }) => d.includes('A') && look.fill !== undefined)).toEqual([])
  })
})

test('a chart is told in words, its values in the language of the document', () => {
  const series = [seriesOf([1234.5, null], { label: 'Summe', unit: 'EUR', decimals: 2 })]
  const told = describeChart(chartOf(['Jan', 'Feb'], series, { title: 'Umsatz' }), 'de')
  expect(told.replace(/\s/g, ' ')).toBe('Umsatz. Summe: Jan 1.234,50 EUR, Feb –')
  const long = chartOf(STOPS, [seriesOf(STOPS.map(() => 123_456_789))])
  expect(describeChart(long, 'en').length).toBeLessThanOrEqual(2001)
})
