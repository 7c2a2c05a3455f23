import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import Database from 'libsql'
import { RE2JS } from 're2js'
import { BLANKS, isBlankText, normalizeText } from '../../src/kernel/blanks.ts'
import { LongNumeral } from '../../src/kernel/numerals.ts'
import type { SqlValue } from '../../src/store/sql.ts'
import type { FieldType } from '../../src/model/compiled/field-features.ts'
import { checkField } from '../../src/model/fields/check.ts'
import { isAtScale, roundDecimal } from '../../src/model/fields/decimal.ts'
import { FieldFault } from '../../src/model/fields/field-kind.ts'
import { type FieldShape, plainShape } from '../../src/model/fields/field-shape.ts'
import { FIELD_KINDS } from '../../src/model/fields/kinds.ts'

const shape = (type: FieldType, features: Partial<FieldShape> = {}): FieldShape => ({
  ...plainShape('Amount', type),
  ...features,
})

const parse = (type: FieldType, value: unknown, features?: Partial<FieldShape>): unknown => {
  const parsed = FIELD_KINDS[type].parse(value, shape(type, features))
  return parsed instanceof FieldFault ? 'refused' : parsed
}

const TRIM = /^[\p{White_Space}\u200b\ufeff]+|[\p{White_Space}\u200b\ufeff]+$/gu

describe('parse', () => {
  const rows: [FieldType, unknown, unknown][] = [
    ['Text', ' Ana\u200b\u3000', 'Ana'],
    ['Text', 'a  b', 'a  b'],
    ['Text', 'e\u0301', 'é'],
    ['Text', '', null],
    ['Text', ' \n\t\u0085\u00a0\u200b\u2028\u3000\ufeff', null],
    ['Text', 5, 'refused'],
    ['Text', 'a\0b', 'refused'],
    ['Text', '\ud800', 'refused'],
    ['Text', '😀', '😀'],
    ['Integer', 12, 12],
    ['Integer', '-12', -12],
    ['Integer', -0, 0],
    ['Integer', 1.5, 'refused'],
    ['Integer', '1.0', 1],
    ['Integer', '-5.000', -5],
    ['Integer', '5.', 5],
    ['Integer', '1E3', 1000],
    ['Integer', '1.5e1', 15],
    ['Integer', '1.05', 'refused'],
    ['Integer', '1.00000000000000000001', 'refused'],
    ['Integer', '1e-1', 'refused'],
    ['Integer', '1e400', 'refused'],
    ['Integer', '1e30', 'refused'],
    ['Integer', '4.00638E+12', 'refused'],
    ['Integer', '4e+12', 4e12],
    ['Integer', true, 'refused'],
    ['Integer', 9007199254740991, 9007199254740991],
    ['Integer', '9007199254740992', 'refused'],
    ['Integer', '', null],
    ['Decimal', 2.675, 2.68],
    ['Decimal', 1.005, 1.01],
    ['Decimal', -2.675, -2.68],
    ['Decimal', '1e2', 100],
    ['Decimal', 1e-7, 0],
    ['Decimal', '-0.001', 0],
    ['Decimal', '.5', 0.5],
    ['Decimal', '5.', 5],
    ['Decimal', '.', 'refused'],
    ['Decimal', 'NaN', 'refused'],
    ['Decimal', Number.NaN, 'refused'],
    ['Decimal', '1,5', 'refused'],
    ['Decimal', 9999999999999.99, 9999999999999.99],
    ['Decimal', 99999999999999.99, 'refused'],
    ['Decimal', '1e999', 'refused'],
    ['Boolean', true, 1],
    ['Boolean', 'False', 0],
    ['Boolean', 1, 1],
    ['Boolean', 2, 'refused'],
    ['Boolean', [true], 'refused'],
    ['Date', '2024-02-29', '2024-02-29'],
    ['Date', '2023-02-29', 'refused'],
    ['Date', '1900-02-29', 'refused'],
    ['Date', '2024-2-9', 'refused'],
    ['Date', '2024-01-01T00:00:00Z', 'refused'],
    ['Date', '0000-01-01', 'refused'],
    ['DateTime', '2026-05-31T13:45:00Z', '2026-05-31T13:45:00.000Z'],
    ['DateTime', '2026-05-31T13:45+02:00', '2026-05-31T11:45:00.000Z'],
    ['DateTime', '2026-01-01 00:30:00.123456+0100', '2025-12-31T23:30:00.123Z'],
    ['DateTime', '2026-05-31', 'refused'],
    ['DateTime', '2026-05-31T13:45:00', 'refused'],
    ['DateTime', '2026-02-30T13:45:00Z', 'refused'],
    ['DateTime', '2026-05-31T24:00:00Z', 'refused'],
    ['DateTime', '0001-01-01T00:00:00+01:00', 'refused'],
    ['DateTime', '9999-12-31T23:59:59-01:00', 'refused'],
    ['DateTime', 0, 'refused'],
    ...[
      '2026-03-03 11:00:00 +0100',
      '2026-03-03 11:00:00.0000000 +01:00',
      '2026-03-03 11:00:00.123456789012345678 +01',
      '2026-03-03 10:00:00 UTC',
      '2026-03-03 10:00:00 Z',
      '2026-03-03 10:00:00 GMT',
      '2026-03-03 11:00:00.000 +0100 CET',
      '2026-03-03T11:00:00+01:00[Europe/Berlin]',
      '2026-03-03T04:30:00,5-0530',
      'Tue, 03 Mar 2026 10:00:00 GMT',
      '3 Mar 2026 11:00:00 +0100',
      'Tue, 3 Mar 2026 10:00 UT',
      'Tue, 03 Mar 2026 11:00:00 +0100 (CET)',
      'Tue Mar 03 2026 11:00:00 GMT+0100 (Central European Standard Time)',
    ].map((text): [FieldType, unknown, unknown] => [
      'DateTime',
      text,
      expect.stringMatching(/^2026-03-03T10:00:00\.(?:000|123|500)Z$/),
    ]),
    ...[
      'Wed, 03 Mar 2026 10:00:00 GMT',
      'Tue, 03 Foo 2026 10:00:00 GMT',
      'Mon, 30 Feb 2026 10:00:00 GMT',
      'Tue, 03 Mar 2026 10:00:00',
      'Tue, 03 Mar 2026 25:00:00 GMT',
      'Tue Mar 03 2026 11:00:00',
      '2026-03-03 11:00:00 CET',
      '2026-03-03 11:00.5 UTC',
      `2026-03-03 11:00:00.${'1'.repeat(2000)}Z`,
    ].map((text): [FieldType, unknown, unknown] => ['DateTime', text, 'refused']),
    ['Time', '09:30', '09:30:00'],
    ['Time', '23:59:59', '23:59:59'],
    ['Time', '24:00', 'refused'],
    ['Time', '10:00:00.0000000', '10:00:00'],
    ['Time', '10:00:00.5', 'refused'],
    ['Guid', 'C56A4180-65AA-42EC-A945-5FD21DEC0538', 'c56a4180-65aa-42ec-a945-5fd21dec0538'],
    ['Guid', '{C56A4180-65aa-42ec-a945-5fd21dec0538}', 'c56a4180-65aa-42ec-a945-5fd21dec0538'],
    ['Guid', 'c56a418065aa42eca9455fd21dec0538', 'c56a4180-65aa-42ec-a945-5fd21dec0538'],
    ['Guid', 'c56a4180-65aa-42ec-a945-5fd21dec053', 'refused'],
    ['Guid', '{c56a4180-65aa-42ec-a945-5fd21dec0538', 'refused'],
    ['Json', { b: [1, null] }, '{"b":[1,null]}'],
    ['Json', ' {"b": 1} ', '{"b":1}'],
    ['Json', '{b}', 'refused'],
    ['Json', { b: '\ud800' }, 'refused'],
    ['Json', '"\\ud800"', 'refused'],
    ['Json', '['.repeat(200) + ']'.repeat(200), 'refused'],
    ['Json', `[${'1,'.repeat(100_000)}1]`, 'refused'],
    ['Json', 'null', null],
    ['Json', ' null ', null],
    ['Json', '[null]', '[null]'],
    ['Json', '{"id":12345678901234567890}', 'refused'],
    ['Json', '{"id":9007199254740993}', 'refused'],
    ['Json', '[0.12345678901234567891]', 'refused'],
    ['Json', '1e400', 'refused'],
    ['Json', '[1e-400]', 'refused'],
    [
      'Json',
      '[0.1,0.30000000000000004,1e21,1.50,9007199254740992]',
      '[0.1,0.30000000000000004,1e+21,1.5,9007199254740992]',
    ],
    ['Json', [Number.POSITIVE_INFINITY], 'refused'],
    ['Json', '{"__proto__":1,"a":{"__proto__":[],"b":2}}', '{"a":{"b":2}}'],
    ['Decimal', new LongNumeral('2.67499999999999999999'), 2.67],
    ['Decimal', new LongNumeral('1e400'), 'refused'],
    ['Integer', new LongNumeral('12345678901234567890'), 'refused'],
    ['Integer', new LongNumeral('1.00000000000000000001'), 'refused'],
    ['Text', new LongNumeral('12345678901234567890'), 'refused'],
    ['Boolean', new LongNumeral('12345678901234567890'), 'refused'],
    ['File', ['k1', { Path: 'a/b.pdf' }], '["k1","a/b.pdf"]'],
    ['File', ['../x'], 'refused'],
    ['File', [5], 'refused'],
    ['File', [], null],
  ]
  test.each(rows)('case %#: %s', (type, value, stored) => {
    expect(parse(type, value)).toEqual(stored)
  })

  test('a Text that keeps blanks is composed alone, and a reference is taken as it is', () => {
    expect(parse('Text', ' e\u0301 ', { keepsBlanks: true })).toBe(' é ')
    expect(parse('Text', '  ', { keepsBlanks: true })).toBe('  ')
    expect(parse('Text', '', { keepsBlanks: true })).toBeNull()
    expect(parse('Text', ' e\u0301 ', { references: 'Land' })).toBe(' e\u0301 ')
  })

  test('blanks are those of Unicode, and two characters that show nothing', () => {
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    const blanks = all.filter((each) => /^[\p{White_Space}\u200b\ufeff]$/u.test(each))
    expect([...BLANKS]).toEqual(blanks)
    expect(all.filter(isBlankText)).toEqual(blanks)
    const texts = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(fc.constantFrom(...blanks), texts, (blank, text) => {
        const stored = normalizeText(blank + text + blank)
        expect(stored).toBe(text.normalize('NFC').replace(TRIM, ''))
        expect(normalizeText(stored)).toBe(stored)
      }),
    )
  })

  test('a File takes no more than its MaxCount', () => {
    expect(parse('File', ['a', 'b'], { maxCount: 1 })).toBe('refused')
  })

  test('whatever comes, the kind gives what SQLite stores, and takes it again unchanged', () => {
    const types = (Object.keys(FIELD_KINDS) as FieldType[]).filter((type) => type !== 'File')
    const kinds = fc.constantFrom(...types)
    fc.assert(
      fc.property(kinds, fc.anything({ withNullPrototype: true }), (type, value) => {
        const stored = FIELD_KINDS[type].parse(value, shape(type))
        if (stored instanceof FieldFault || stored === null) return true
        expect(['string', 'number']).toContain(typeof stored)
        expect(FIELD_KINDS[type].parse(stored, shape(type))).toEqual(stored)
        return true
      }),
      { numRuns: 500 },
    )
  })
})

describe('Decimal', () => {
  test('is rounded half away from zero, as integer arithmetic has it', () => {
    const numerals = fc.tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.nat(8))
    fc.assert(
      fc.property(numerals, fc.nat(6), ([units, places], scale) => {
        expect(roundDecimal(toNumeral(units, places), scale)).toBe(
          toNumeral(roundUnits(units, places, scale), scale),
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('short numerals are taken as they are written, and refused, like all others', () => {
    const numerals = fc.tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.nat(7))
    fc.assert(
      fc.property(numerals, fc.nat(9), ([units, places], scale) => {
        const numeral = toNumeral(BigInt(units), places)
        const parse = (text: string) => FIELD_KINDS.Decimal.parse(text, shape('Decimal', { scale }))
        // With an exponent it is no short one.
        expect(parse(numeral)).toEqual(parse(`${numeral}e0`))
        const rounded = roundDecimal(numeral, scale) ?? ''
        const digits = rounded.replace(/\D/g, '').replace(/^0+/, '').length
        if (digits > 15) expect(parse(numeral)).toBeInstanceOf(FieldFault)
        else expect(parse(numeral)).toBe(Number(rounded) || 0)
      }),
      { numRuns: 1000 },
    )
  })

  test('is rounded alike by the kind and by the SQL that serves it', () => {
    const db = new Database(':memory:')
    const sql = FIELD_KINDS.Decimal.toJsonSql('x', { scale: 2 })
    const statement = db.prepare(`SELECT ${sql} FROM (SELECT @x AS x)`).raw(true)
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), (thousandths) => {
        const value = thousandths / 1000
        const served = statement.get({ x: value }) as [number]
        expect(served[0]).toBe(parse('Decimal', value) as number)
      }),
      { numRuns: 500 },
    )
    db.close()
  })
})

/** `units / 10^places` in decimal. */
function toNumeral(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  const cut = digits.length - places
  return (units < 0n ? '-' : '') + digits.slice(0, cut) + (places ? `.${digits.slice(cut)}` : '')
}

/**
 * The same number in units of `10^-scale`: quotient and remainder, away from zero from one half on.
 */
function roundUnits(units: bigint, places: number, scale: number): bigint {
  if (places <= scale) return units * 10n ** BigInt(scale - places)
  const divisor = 10n ** BigInt(places - scale)
  const size = units < 0n ? -units : units
  const rounded = size / divisor + ((size % divisor) * 2n >= divisor ? 1n : 0n)
  return units < 0n ? -rounded : rounded
}

describe('toJsonSql', () => {
  const rows: [FieldType, string, unknown][] = [
    ['Text', "'a\"b'", 'a"b'],
    ['Text', "x'ff00'", 'FF00'],
    ['Text', '12', '12'],
    ['Integer', '7', 7],
    ['Integer', "'x'", 0],
    ['Decimal', '2.675', 2.68],
    ['Decimal', '9e999', null],
    ['Decimal', "'x'", null],
    ['Boolean', '1', true],
    ['Boolean', '0', false],
    ['Boolean', 'NULL', null],
    ['Json', '\'{"a":1}\'', { a: 1 }],
    ['Json', "'{a'", null],
    ['File', '\'[{"Path":"a"}]\'', [{ Path: 'a' }]],
    ['Date', "'2024-01-01'", '2024-01-01'],
    ['DateTime', 'NULL', null],
  ]
  const db = new Database(':memory:')
  test.each(rows)('%s of %s is served as %p', (type, literal, served) => {
    const sql = FIELD_KINDS[type].toJsonSql('x', { scale: 2 })
    const row = db.prepare(`SELECT json_object('v', ${sql}) FROM (SELECT ${literal} AS x)`)
    const [json] = row.raw(true).get() as [string]
    expect(JSON.parse(json)).toEqual({ v: served })
  })
})

describe('compare', () => {
  const rows: [FieldType, SqlValue, SqlValue][] = [
    ['Integer', 9, 10],
    ['Decimal', -1.5, 1],
    // Of stored numbers and numerals that a double does not hold.
    ['Integer', 9_007_199_254_740_992n, 9_007_199_254_740_993n],
    ['Integer', '9007199254740992', 9_007_199_254_740_993n],
    ['Decimal', 0.01, '0.010000000000000000001'],
    ['Decimal', -1_000_000, '-999999.999999999999'],
    ['Decimal', '-1e300', -1e299],
    ['Text', 'Z', 'a'],
    ['Text', '\uffff', '😀'],
    ['DateTime', '2026-05-31T09:00:00.000Z', '2026-05-31T10:00:00.000Z'],
  ]
  test.each(rows)('%s: %p comes before %p', (type, a, b) => {
    expect(FIELD_KINDS[type].compare(a, b)).toBeLessThan(0)
    expect(FIELD_KINDS[type].compare(b, a)).toBeGreaterThan(0)
    expect(FIELD_KINDS[type].compare(a, a)).toBe(0)
  })
})

describe('checkField', () => {
  const pattern = { source: '[0-9 ]+', message: 'Digits only', regex: RE2JS.compile('[0-9 ]+') }
  const options = [{ value: '1.50', label: 'One and a half' }]
  const rows: [FieldType, Partial<FieldShape>, SqlValue, string | undefined][] = [
    ['Text', { required: true }, null, 'Amount is required'],
    ['Text', { required: true }, '', 'Amount is required'],
    ['Text', {}, null, undefined],
    ['Text', { maxLength: 2 }, '😀😀', undefined],
    ['Text', { maxLength: 2 }, '😀😀😀', 'Amount is longer than 2 characters'],
    ['Text', { maxLength: 2 }, 'abcdefgh', 'Amount is longer than 2 characters'],
    ['Text', { pattern }, '12 3', undefined],
    ['Text', { pattern }, '12a', 'Digits only'],
    [
      'Text',
      { pattern },
      '1'.repeat(10_001),
      'Amount is too long to be checked against its pattern',
    ],
    ['Decimal', { options }, 1.5, undefined],
    ['Decimal', { options }, 1, 'Amount must be one of: 1.50'],
    ['Integer', { min: '5' }, 10, undefined],
    ['Integer', { min: '5' }, 4, 'Amount must be at least 5'],
    // A bound is what it says, not what the field would round it to.
    ['Decimal', { scale: 2, max: '0.005' }, 0.01, 'Amount must be at most 0.005'],
    ['Decimal', { scale: 2, min: '-1000000.005' }, -1_000_000, undefined],
    ['Integer', { max: '-1000000' }, -1_000_001, undefined],
    ['Date', { max: '2024-01-31' }, '2024-02-01', 'Amount must be at most 2024-01-31'],
  ]
  test.each(rows)('case %#: %s', (type, features, value, message) => {
    expect(checkField(value, shape(type, features))?.toString()).toBe(message)
  })
})

test('a number that is at its scale by arithmetic is what its rounded numeral says', () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true }),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.tuple(fc.integer(), fc.nat(6)).map(([units, places]) => units / 10 ** places),
    fc.tuple(fc.maxSafeInteger(), fc.nat(6)).map(([units, places]) => units / 10 ** places),
    fc.tuple(fc.integer(), fc.nat(6)).map(([units, places]) => units * 10 ** -places),
  )
  let isAt = 0
  fc.assert(
    fc.property(numbers, fc.nat(6), (number, scale) => {
      if (!isAtScale(number, scale)) return
      isAt++
      expect(Number(roundDecimal(String(number), scale))).toBe(number === 0 ? 0 : number)
    }),
    { numRuns: 20_000 },
  )
  expect(isAt).toBeGreaterThan(3000)
  expect([0.1 + 0.2, 2.675, 1e21].map((number) => isAtScale(number, 2))).toEqual([
    ...[false, false, false],
  ])
})
