/** Conditions of fields and rules that compare, on numbers of any size. */
import { describe, expect, test } from 'bun:test'
import type { SqlValue } from '../../src/store/sql.ts'
import { engineColumn } from '../../src/model/compile/column.ts'
import type { FieldFeatures, FieldType } from '../../src/model/compiled/field-features.ts'
import type { Comparison } from '../../src/model/compiled/validate.ts'
import { holdsRule, holdsWhen } from '../../src/engine/object/rules/field-condition.ts'

const PLACE = { file: 'a.xml', line: 1, column: 1 }

const feature = (name: string, type: FieldType): FieldFeatures => ({
  ...engineColumn({ name, label: name, type, kind: 'declared', place: PLACE }),
  scale: type === 'Decimal' ? 2 : undefined,
})

type Rule = Parameters<typeof holdsRule>[0]

const rule = (field: string, further: Pick<Rule, 'operator'> & Partial<Rule>): Rule => ({
  kind: 'compare',
  field,
  message: '',
  place: PLACE,
  compare: undefined,
  value: undefined,
  ...further,
})

const FIELDS = new Map(
  [feature('Amount', 'Decimal'), feature('Count', 'Integer'), feature('Limit', 'Decimal')].map(
    (field) => [field.name.toLowerCase(), field] as const,
  ),
)
const EVALUATION = { view: { fieldByName: FIELDS }, zone: 'UTC', today: '2026-11-28' }

type Case = [field: string, operator: Comparison, value: string, stored: SqlValue, holds: boolean]

const CASES: Case[] = [
  ['Amount', 'lt', '0', -1_000_000, true],
  ['Amount', 'lt', '0', -9_999_999_999_999.99, true],
  ['Amount', 'ge', '1000000', 999_999.99, false],
  ['Amount', 'ge', '1000000', 1_000_000, true],
  // Neither rounded to two places nor bounded by what the field could hold.
  ['Amount', 'gt', '0.005', 0.01, true],
  ['Amount', 'le', '0.005', 0.01, false],
  ['Amount', 'eq', '0.005', 0.01, false],
  ['Amount', 'lt', '1e20', 1_000_000, true],
  ['Amount', 'gt', '-100000000000000000000', -1_000_000, true],
  ['Count', 'gt', '1.5', 2, true],
  ['Count', 'lt', '1.5', 1, true],
  ['Count', 'lt', '9007199254740993', 9_007_199_254_740_992n, true],
]

describe.each(CASES)('%s %s %s', (name, operator, value, stored, holds) => {
  const draft = new Map<string, SqlValue>([[name.toLowerCase(), stored]])

  test(`of a field is ${holds} for ${stored}`, () => {
    expect(holdsWhen({ field: name, operator, value }, draft, EVALUATION)).toBe(holds)
  })

  test(`of a rule is ${holds} for ${stored}`, () => {
    const find = (each: string) => FIELDS.get(each.toLowerCase())
    const stated = rule(name, { operator, value })
    expect(holdsRule(stated, find, draft, 'UTC')).toBe(holds)
  })
})

test('a whole number is compared with a Decimal as a number', () => {
  const within = rule('Count', { operator: 'le', compare: 'Limit' })
  const find = (each: string) => FIELDS.get(each.toLowerCase())
  const holds = (count: SqlValue, limit: SqlValue): boolean =>
    holdsRule(within, find, new Map([...Object.entries({ count, limit })]), 'UTC')
  expect([
    holds(2, 1.5),
    holds(1, 1.5),
    holds(9_007_199_254_740_993n, 9_007_199_254_740_992),
  ]).toEqual([false, true, false])
})
