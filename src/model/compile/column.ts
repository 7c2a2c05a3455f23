/** One column of an entity. */
import { findChild, placeOf, readFlag, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileFeatures } from './features.ts'
import { findReserved } from './parameters.ts'
import type { ReferenceTypes } from './reference-types.ts'
import type { Column } from '../compiled/entity.ts'
import type { FieldType } from '../compiled/field-features.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Element } from '../parse/element.ts'

/** Names that a request or the engine uses for itself. */
const RESERVED = new Set(['rowversion', 'rowid', 'oid', '_rowid_'])

/** Compiles a declared column; its queries follow once the gate is open. */
export function compileColumn(
  c: Compilation,
  element: Element,
  types: ReferenceTypes,
  names: () => Iterable<string>,
): Column {
  const references = readText(element, 'References')
  const type = columnType(c, element, types, references)
  const features = compileFeatures(c, element, { type, names })
  const isIdentity = readFlag(element, 'Identity') ?? false
  const column: Column = Object.assign(features, {
    kind: 'declared' as const,
    key: readFlag(element, 'Key') ?? false,
    identity: isIdentity,
    unique: readFlag(element, 'Unique') ?? false,
    references,
    onDelete: (readText(element, 'OnDelete') ?? 'Restrict') as Column['onDelete'],
    sequence: readText(element, 'Sequence'),
    compute: undefined,
    was: readText(element, 'Was'),
    fill: readFill(c, element),
  })
  if (column.key && !isIdentity) column.required = true
  checkColumn(c, element, column)
  return column
}

/** Reads a Fill: it is about stored rows, so the gate sees it when a deploy needs it. */
function readFill(c: Compilation, element: Element): Column['fill'] {
  const sql = readText(element, 'Fill')
  const child = findChild(element, 'Fill')
  if (child === undefined)
    return sql === undefined
      ? undefined
      : { kind: 'expression', sql, place: placeOf(element, 'Fill') }
  if (sql !== undefined)
    c.faults.add(child.place, 'Fill is given twice: as an attribute and as a child')
  return { kind: 'query', sql: child.text, place: child.place }
}

function columnType(
  c: Compilation,
  element: Element,
  types: ReferenceTypes,
  references: string | undefined,
): FieldType {
  const written = readText(element, 'Type') as FieldType | undefined
  if (references === undefined) return written ?? 'Text'
  const inherited = types.find(references)
  if (inherited === undefined) return written ?? 'Integer'
  if (written !== undefined && written !== inherited) {
    const message = `Type ${written} is not the type of the key of ${references}, ${inherited}`
    c.faults.add(placeOf(element, 'Type'), `${message}: leave Type out`)
  }
  return inherited
}

function checkColumn(c: Compilation, element: Element, column: Column): void {
  const refuse = (attribute: string, message: string) =>
    c.faults.add(placeOf(element, attribute), message)
  const name = column.name
  if (RESERVED.has(name.toLowerCase()) || /^permit__|__label$/i.test(name)) {
    refuse('Name', `${name} is a name that the engine uses: choose another`)
  }
  // A sequence may be declared further down.
  c.whenGated(() => {
    const reserved = findReserved(name, c)
    if (reserved !== undefined)
      refuse('Name', `@${name} is ${reserved}, so no column can be called ${name}`)
  })
  if (column.identity && (!column.key || FIELD_KINDS[column.type].key !== 'numbered')) {
    refuse('Identity', 'Identity is for a single Key of type Integer')
    column.identity = false
  }
  if (column.key && FIELD_KINDS[column.type].key === undefined) {
    refuse('Key', `A ${column.type} cannot be a Key`)
  }
  if (column.onDelete === 'SetNull' && column.required) {
    refuse('OnDelete', 'OnDelete="SetNull" cannot empty a Required column')
  }
  if (column.onDelete !== 'Restrict' && column.references === undefined) {
    refuse('OnDelete', 'OnDelete belongs to a column with References')
  }
  if (column.sequence !== undefined && !FIELD_KINDS[column.type].isText) {
    refuse('Sequence', 'A column with a Sequence is a Text')
  }
  if (column.sequence !== undefined && readText(element, 'Default') !== undefined) {
    refuse('Default', `${name} is numbered by its Sequence, so its Default would never be seen`)
  }
}

const ENGINE_COLUMN = {
  required: false,
  maxLength: undefined,
  scale: undefined,
  min: undefined,
  max: undefined,
  pattern: undefined,
  options: [],
  format: undefined,
  unit: undefined,
  help: undefined,
  default: undefined,
  lookup: undefined,
  dataSet: undefined,
  maxCount: undefined,
  maxBytes: undefined,
  accept: [],
  key: false,
  identity: false,
  unique: false,
  references: undefined,
  onDelete: 'Restrict',
  sequence: undefined,
  compute: undefined,
  was: undefined,
  fill: undefined,
} satisfies Partial<Column>

/** A column that the engine adds or that a built-in entity has. */
export function engineColumn(
  column: Pick<Column, 'name' | 'label' | 'type' | 'kind' | 'place'> & Partial<Column>,
): Column {
  return { ...ENGINE_COLUMN, ...column }
}
