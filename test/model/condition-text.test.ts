/** How the text of a condition is read. */
import { expect, test } from 'bun:test'
import { ConditionFault, readCondition } from '../../src/model/compile/condition-text.ts'
import type { FieldCondition } from '../../src/model/compiled/field-condition.ts'
import type { Operator } from '../../src/model/operators.ts'

const FIELDS = ['Status', 'Total', 'Note']
const read = (text: string): FieldCondition => readCondition(text, (name) => FIELDS.includes(name))

const one = (field: string, operator: Operator, value?: string) => ({ field, operator, value })
const and = (...conditions: FieldCondition[]) => ({ logic: 'and' as const, conditions })
const or = (...conditions: FieldCondition[]) => ({ logic: 'or' as const, conditions })

const NEW = one('Status', 'eq', 'new')
const BIG = one('Total', 'gt', '10')

test.each<[string, FieldCondition]>([
  ['Status eq new', NEW],
  ['  Status   eq   new  ', NEW],
  ['Note isNull', one('Note', 'isNull')],
  ['Status eq new and Total gt 10', and(NEW, BIG)],
  ['Status eq new\n  and Total gt 10', and(NEW, BIG)],
  ['Status eq new or Total gt 10 and Note isNull', or(NEW, and(BIG, one('Note', 'isNull')))],
  ['(Status eq new or Total gt 10) and Note isNull', and(or(NEW, BIG), one('Note', 'isNull'))],
  ['((Status eq new))', NEW],
  ['Note isNull or (Status eq new and (Total gt 10))', or(one('Note', 'isNull'), and(NEW, BIG))],
  ['Note eq terms and conditions', one('Note', 'eq', 'terms and conditions')],
  ['Note eq this or that and Total gt 10', and(one('Note', 'eq', 'this or that'), BIG)],
  ['Note eq "a and Total gt 10"', one('Note', 'eq', 'a and Total gt 10')],
  ["Note eq '(a' or Status eq new", or(one('Note', 'eq', '(a'), NEW)],
  ['Note eq "open', one('Note', 'eq', '"open')],
  ['Note eq f(x) and Status eq new', and(one('Note', 'eq', 'f(x)'), NEW)],
  ['(Note eq f(x) and Status eq new)', and(one('Note', 'eq', 'f(x)'), NEW)],
  ['(Status in new old)', one('Status', 'in', 'new old')],
  ['(Status eq new)and Total gt 10', and(NEW, BIG)],
])('%p', (text, expected) => {
  expect(read(text)).toEqual(expected)
})

test.each<[string, RegExp]>([
  ['', /expected a field/],
  ['Status', /must be followed by one of: eq, ne/],
  ['Status is new', /must be followed by one of/],
  ['Status eq', /Status eq needs a value/],
  ['Status eq new and Total gtt 10', /Total must be followed by one of/],
  ['(Status eq new', /a parenthesis is not closed/],
  ['(Status eq new) or', /expected and, or, or the end/],
  ['(Status eq new))', /closed that was not opened/],
  ['(Status isNull Total gt 10)', /a parenthesis is not closed/],
])('%p is refused', (text, message) => {
  expect(() => read(text)).toThrow(message)
  expect(() => read(text)).toThrow(ConditionFault)
})
