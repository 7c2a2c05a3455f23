import { expect, test } from 'bun:test'
import { formatDuration, parseDuration } from '../../src/kernel/setting.ts'

test.each([
  ['24h', 86_400_000],
  ['15m', 900_000],
  ['30s', 30_000],
  ['250ms', 250],
  ['14d', 1_209_600_000],
  ['00:00:30', 30_000],
  ['12:00:00', 43_200_000],
  ['1.02:03:04', 93_784_000],
  ['0s', 0],
])('%s is %d milliseconds', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '5', '5x', '-5s', '1:2', '00:60:00', '00:00:61', '1.5h', '5 s', '5S'])(
  '"%s" is no duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)

test.each([86_400_000, 900_000, 30_000, 250, 1_209_600_000, 93_784_000, 0])(
  '%d milliseconds are read back as they were written',
  (ms) => {
    expect(parseDuration(formatDuration(ms))).toBe(ms)
  },
)
