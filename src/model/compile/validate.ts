/** Validate rules: comparisons for the client, queries for the server. */
import { listChildren, placeOf, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { checkLiteral } from './literal.ts'
import { type Columns, scopeOf } from './parameters.ts'
import { compileScalar, textSource } from './sql.ts'
import type { FieldFeatures, FieldType } from '../compiled/field-features.ts'
import type { Comparison, Validate } from '../compiled/validate.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Element } from '../parse/element.ts'

/** The fields of a record by lower-case name, and how to speak of what holds them. */
interface ValidateScope {
  owner: string
  fields: ReadonlyMap<string, FieldFeatures>
  /** Further names that a query may bind. */
  names?: () => Iterable<string>
  /** Columns of the record, for what they held before. */
  columns?: Columns | undefined
}

/** The rules of an element, in order; faulty ones are left out. Needs the gate. */
export function compileValidates(
  c: Compilation,
  element: Element,
  scope: ValidateScope,
): Validate[] {
  return listChildren(element, 'Validate').flatMap((child) => {
    const field = findField(c, child, scope, 'Field')
    if (readText(child, 'Field') !== undefined && !field) return []
    const rule = readText(child, 'Operator')
      ? compileComparison(c, child, scope, field)
      : compileQuery(c, child, scope, field)
    return rule ? [rule] : []
  })
}

function compileComparison(
  c: Compilation,
  element: Element,
  scope: ValidateScope,
  field: FieldFeatures | undefined,
): Validate | undefined {
  const refuse = (message: string, attribute = 'Operator') =>
    c.faults.add(placeOf(element, attribute), message)
  const operator = readText(element, 'Operator') as Comparison
  const value = element.attributes.Value
  const hasOther = readText(element, 'Compare') !== undefined
  if (!field) return void refuse('A Validate with an Operator needs the Field that it compares')
  if (hasOther === (value !== undefined)) {
    return void refuse('A Validate with an Operator needs either Compare or Value')
  }
  if (element.text.trim() !== '') refuse('A Validate is either a comparison or a query, not both')
  const other = findField(c, element, scope, 'Compare')
  if (hasOther && !other) return undefined
  if (other && comparesAs(other.type) !== comparesAs(field.type)) {
    const types = `${field.name} is of type ${field.type} and ${other.name} of type ${other.type}`
    refuse(`${types}: they do not compare`, 'Compare')
  }
  if (value !== undefined && checkLiteral(c, element, field, 'Value') === undefined) {
    return undefined
  }
  return {
    kind: 'compare',
    field: field.name,
    operator,
    compare: other?.name,
    value,
    message: c.findText(element, 'Message') ?? '',
    place: element.place,
  }
}

function compileQuery(
  c: Compilation,
  element: Element,
  scope: ValidateScope,
  field: FieldFeatures | undefined,
): Validate | undefined {
  if (element.text.trim() === '') {
    c.faults.add(element.place, 'A Validate needs an Operator or a query')
    return undefined
  }
  const names = function* () {
    for (const known of scope.fields.values()) yield known.name
    yield* scope.names?.() ?? []
  }
  const sql = compileScalar(c, textSource(c, element), scopeOf(names, scope))
  const message = c.findText(element, 'Message') ?? ''
  return sql && { kind: 'sql', field: field?.name, sql, message, place: element.place }
}

function findField(
  c: Compilation,
  element: Element,
  scope: ValidateScope,
  attribute: string,
): FieldFeatures | undefined {
  const name = readText(element, attribute)
  if (name === undefined) return undefined
  const field = scope.fields.get(name.toLowerCase())
  if (!field) {
    const nearest = suggest(
      name,
      [...scope.fields.values()].map((known) => known.name),
    )
    c.faults.add(
      placeOf(element, attribute),
      `${attribute}: ${scope.owner} has no field ${name}${nearest}`,
    )
  }
  return field
}

/**
 * Types that compare with each other have one name here; a Date is that day in the caller's zone.
 */
function comparesAs(type: FieldType): string {
  const { number, isDated } = FIELD_KINDS[type]
  if (number) return 'number'
  return isDated ? 'date' : type
}
