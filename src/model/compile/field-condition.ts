/** RequiredWhen, VisibleWhen and ReadOnlyWhen: conditions in the wire's filter operators. */
import { DATE_WORDS, isDateWord } from '../../kernel/date-words.ts'
import { listChildren, placeOf, readText, splitWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { ConditionFault, readCondition } from './condition-text.ts'
import { suggest } from './fault-list.ts'
import type { FieldComparison, FieldCondition } from '../compiled/field-condition.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'
import type { Field } from '../compiled/field.ts'
import type { View } from '../compiled/view.ts'
import { isDate } from '../fields/date.ts'
import { FieldFault } from '../fields/field-kind.ts'
import type { ConditionField } from '../fields/field-shape.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { type Operator, OPERATORS } from '../operators.ts'
import type { Element } from '../parse/element.ts'

/** Fields that conditions may name, by lower-case name, and how messages name their owner. */
export interface WireScope {
  owner: string
  fields: ReadonlyMap<string, FieldFeatures>
}

/** The same, of anything with a type; `noun` names such things in messages, by default fields. */
interface ConditionScope {
  owner: string
  fields: ReadonlyMap<string, ConditionField>
  noun?: string
}

type FieldConditions = Pick<Field, 'requiredWhen' | 'visibleWhen' | 'readOnlyWhen'>

/** Sets the conditions of a view's fields; they may name any field of the view. */
export function setFieldConditions(c: Compilation, element: Element, view: View): void {
  const scope = { owner: view.name, fields: view.fieldByName }
  for (const holder of [element, ...listChildren(element, 'Section')]) {
    for (const child of listChildren(holder, 'Field')) {
      const name = readText(child, 'Name') ?? ''
      const list = view.linked.find((each) => each.name === name)
      const field = view.fieldByName.get(name.toLowerCase()) ?? list
      if (field) Object.assign(field, compileFieldConditions(c, child, scope))
    }
  }
}

/** The conditions of a field or parameter. */
export function compileFieldConditions(
  c: Compilation,
  element: Element,
  scope: WireScope,
): FieldConditions {
  return {
    requiredWhen: compileWireCondition(c, element, scope, 'RequiredWhen'),
    visibleWhen: compileWireCondition(c, element, scope, 'VisibleWhen'),
    readOnlyWhen: compileWireCondition(c, element, scope, 'ReadOnlyWhen'),
  }
}

/** The `When` of an element that is printed or not. */
export const compileWhen = (
  c: Compilation,
  element: Element,
  scope: WireScope,
): FieldCondition | undefined => compileWireCondition(c, element, scope, 'When')

/** Compiles an attribute's condition; undefined without one, or, with a fault, for a wrong one. */
function compileWireCondition(
  c: Compilation,
  element: Element,
  scope: ConditionScope,
  attribute: string,
): FieldCondition | undefined {
  const written = readText(element, attribute)
  if (written === undefined) return undefined
  const isField = (name: string): boolean => scope.fields.has(name.toLowerCase())
  let read: FieldCondition
  try {
    read = readCondition(written, isField)
  } catch (error) {
    if (!(error instanceof ConditionFault)) throw error
    c.faults.add(placeOf(element, attribute), `${attribute}: ${error.message}`)
    return undefined
  }
  const check = (comparison: FieldComparison): FieldComparison | undefined =>
    compileComparison(c, element, scope, { attribute, comparison })
  return compileParts(read, check)
}

/** A single comparison, where and, or and parentheses have no place. */
export function compileWireComparison(
  c: Compilation,
  element: Element,
  scope: ConditionScope,
  attribute: string,
): FieldComparison | undefined {
  const condition = compileWireCondition(c, element, scope, attribute)
  if (!condition || !('logic' in condition)) return condition
  c.faults.add(placeOf(element, attribute), `${attribute}: takes one comparison, without and or or`)
  return undefined
}

/** Every comparison of a condition; undefined where one of them is wrong. */
function compileParts(
  condition: FieldCondition,
  check: (comparison: FieldComparison) => FieldComparison | undefined,
): FieldCondition | undefined {
  if (!('logic' in condition)) return check(condition)
  const parts = condition.conditions.map((part) => compileParts(part, check))
  const conditions = parts.filter((part) => part !== undefined)
  return conditions.length < parts.length ? undefined : { logic: condition.logic, conditions }
}

interface Written {
  attribute: string
  comparison: FieldComparison
}

function compileComparison(
  c: Compilation,
  element: Element,
  scope: ConditionScope,
  { attribute, comparison }: Written,
): FieldComparison | undefined {
  const { field: name, operator, value } = comparison
  const field = scope.fields.get(name.toLowerCase())
  if (!field) {
    const names = [...scope.fields.values()].map((each) => each.name)
    const nearest = suggest(name, names)
    c.faults.add(
      placeOf(element, attribute),
      `${attribute}: ${scope.owner} has no ${scope.noun ?? 'field'} ${name}${nearest}`,
    )
    return undefined
  }
  const { takes } = OPERATORS[operator]
  const hasMany = takes === 'list' || takes === 'pair'
  for (const one of hasMany ? splitWords(value) : [value]) {
    if (one !== undefined) checkValue(c, element, attribute, field, operator, one)
  }
  if (takes === 'pair' && splitWords(value).length !== 2) {
    c.faults.add(
      placeOf(element, attribute),
      `${attribute}: ${operator} takes two values, separated by a blank`,
    )
  }
  return { field: field.name, operator, value }
}

function checkValue(
  c: Compilation,
  element: Element,
  attribute: string,
  field: ConditionField,
  operator: Operator,
  value: string,
): void {
  if (OPERATORS[operator].match) {
    if (FIELD_KINDS[field.type].matchesParts) return
    const message = `${operator} is for texts, and ${field.name} is of type ${field.type}`
    c.faults.add(placeOf(element, attribute), `${attribute}: ${message}`)
    return
  }
  // Words such as today, and days of instants, are resolved when the condition is evaluated.
  const { isDated } = FIELD_KINDS[field.type]
  if (isDated && (isDate(value) || isDateWord(value))) return
  if (isDated && /^[a-z]\w*$/i.test(value)) {
    const message = `"${value}" is not a date word${suggest(value, DATE_WORDS)}`
    c.faults.add(placeOf(element, attribute), `${attribute}: ${message}`)
    return
  }
  const parsed = FIELD_KINDS[field.type].parse(value, field)
  if (parsed instanceof FieldFault) {
    c.faults.add(
      placeOf(element, attribute),
      `${attribute}: "${value}" is not a valid ${field.type}`,
    )
    return
  }
  const options = field.options.map((option) => option.value)
  if (options.length === 0 || options.includes(value)) return
  const nearest = suggest(value, options)
  c.faults.add(
    placeOf(element, attribute),
    `${attribute}: "${value}" is not an option of ${field.name}${nearest}`,
  )
}
