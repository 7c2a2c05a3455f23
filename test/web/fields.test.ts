/** Values of fields in a browser: numbers, instants, conditions. Pure parts, which need no page. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { holds } from '../../src/client/web/state/conditions.ts'
import { parseNumber } from '../../src/client/web/fields/number-text.ts'
import { instantOf, wallTimeOf } from '../../src/client/web/fields/zone-time.ts'

describe('a number as people type it', () => {
  test.each([
    ['1.234,5', 'de', 1234.5],
    ['1,234.5', 'en', 1234.5],
    ['1 234,5', 'fr', 1234.5],
    ["1'234.5", 'de-CH', 1234.5],
    ['-7', 'en', -7],
    [',5', 'de', 0.5],
    ['', 'en', null],
    ['12345678901234567890', 'en', '12345678901234567890'],
    ['twelve', 'en', 'twelve'],
    ['1,2,3.4.5', 'en', '1,2,3.4.5'],
  ])('%p in %s is %p', (text, language, value) => {
    expect(parseNumber(text, language)).toBe(value)
  })
})

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Niue',
  'Pacific/Kiritimati',
  'Asia/Kolkata',
  'UTC',
]

describe('an instant as a wall time of a zone', () => {
  test.each([
    ['2026-10-31T23:30:00Z', 'Europe/Berlin', '2026-11-01T00:30:00'],
    ['2026-03-29T00:59:59Z', 'Europe/Berlin', '2026-03-29T01:59:59'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29T03:00:00'],
    ['2026-01-01T00:00:00Z', 'Pacific/Kiritimati', '2026-01-01T14:00:00'],
    ['2026-01-01T00:00:00Z', 'Pacific/Niue', '2025-12-31T13:00:00'],
  ])('%s in %s is %s', (instant, zone, wall) => {
    expect(wallTimeOf(instant, zone)).toBe(wall)
  })

  test('of a repeated hour the first is meant', () => {
    expect(instantOf('2026-10-25T02:30:00', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
  })

  test('an hour that is left out goes on by the clock before it', () => {
    const instant = instantOf('2026-03-29T02:30:00', 'Europe/Berlin')
    expect(wallTimeOf(instant, 'Europe/Berlin')).toBe('2026-03-29T03:30:00')
  })

  test('there and back, the same wall time', () => {
    const minutes = fc.integer({ min: 0, max: 60 * 24 * 366 * 60 })
    fc.assert(
      fc.property(minutes, fc.constantFrom(...ZONES), (minute, zone) => {
        const wall = wallTimeOf(new Date(minute * 60_000).toISOString(), zone)
        expect(wallTimeOf(instantOf(wall, zone), zone)).toBe(wall)
      }),
    )
  })
})

describe('a condition on values', () => {
  const one = (
    Field: string,
    Operator: Parameters<typeof holds>[0] extends infer C
      ? Extract<C, { Operator: unknown }>['Operator']
      : never,
    Value: string | null,
  ) => ({ Field, Operator, Value })
  test.each([
    [one('Status', 'eq', 'new'), { Status: 'new' }, true],
    [one('Status', 'eq', 'new'), { Status: 'New' }, false],
    [one('Code', 'eq', '007'), { Code: '7' }, false],
    [one('Active', 'eq', '0'), { Active: false }, true],
    [one('Active', 'ne', 'true'), { Active: true }, false],
    [one('Total', 'ne', 'many'), { Total: 1 }, false],
    [one('At', 'eq', '2026-05-06'), { At: '2026-05-06T12:00:00Z' }, true],
    [one('At', 'gt', '2026-05-06'), { At: '2026-05-06T12:00:00Z' }, false],
    [one('Status', 'ne', 'new'), { Status: null }, true],
    [one('Total', 'gt', '9'), { Total: 10 }, true],
    [one('Total', 'lt', '0'), { Total: -1_000_000 }, true],
    [one('Due', 'isNull', null), { Due: '' }, true],
    [one('Due', 'isNotNull', null), {}, false],
    [one('Kind', 'in', 'A,B'), { Kind: 'B' }, true],
    [one('Kind', 'notIn', 'A,B'), { Kind: 'C' }, true],
    [{ Logic: 'or' as const, Filters: [one('A', 'eq', '1'), one('B', 'eq', '1')] }, { B: 1 }, true],
    [
      { Logic: 'and' as const, Filters: [one('A', 'eq', '1'), one('B', 'eq', '1')] },
      { B: 1 },
      false,
    ],
  ])('%j of %j is %p', (condition, values, isSo) => {
    expect(holds(condition, values)).toBe(isSo)
  })
})
