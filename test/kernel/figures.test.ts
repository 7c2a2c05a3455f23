/** Figures in the Prometheus text format. */
import { expect, test } from 'bun:test'
import {
  gauge,
  Histogram,
  histogramOf,
  joinFigures,
  printFigures,
} from '../../src/kernel/figures.ts'

test('a histogram counts each value under all bounds that it does not pass', () => {
  const histogram = new Histogram([0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value)
  expect(printFigures([histogramOf('x_seconds', 'Time', histogram, { of: 'a' })])).toBe(
    `# HELP x_seconds Time
# TYPE x_seconds histogram
x_seconds_bucket{of="a",le="0.1"} 2
x_seconds_bucket{of="a",le="1"} 3
x_seconds_bucket{of="a",le="+Inf"} 4
x_seconds_sum{of="a"} 7.65
x_seconds_count{of="a"} 4
`,
  )
})

test('help and labels are escaped, and figures of one name are one', () => {
  const figures = [
    gauge('a', 'back\\slash\nline', 1, { of: '"\\\n' }),
    gauge('b', 'Other', Number.NaN),
    gauge('a', 'again', Infinity, { of: 'two' }),
  ]
  expect(printFigures(joinFigures(figures))).toBe(
    '# HELP a back\\\\slash\\nline\n# TYPE a gauge\na{of="\\"\\\\\\n"} 1\na{of="two"} +Inf\n' +
      '# HELP b Other\n# TYPE b gauge\nb NaN\n',
  )
  expect(() => joinFigures([gauge('a', '', 1), histogramOf('a', '', new Histogram([1]))])).toThrow(
    'two kinds',
  )
})
