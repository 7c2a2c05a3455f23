/**
 * What a caller gets of each row, as JSON text made by SQLite: the allow-list of every record read.
 */
import type { Grant } from '../../../access/grant.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Field, FieldType, Permit, Surface, View } from '../../../model/model.ts'
import { quote, quoteText } from '../../../model/quote.ts'
import { composeValue, findLabel, isSeen } from '../lookup/labels.ts'
import { composeCondition, composeReach } from './source.ts'
import { composeList } from '../lookup/through.ts'

/** SQLite's functions take 127 arguments; wider rows are joined as text. */
const PAIRS_MAX = 60
const VALUES_MAX = 120

/**
 * Fields of a surface that the caller sees, each with its label behind it, and lists of keys; keys,
 * company and stamp are always there.
 */
export function visibleFields(view: View, grant: Grant, surface: Surface): Field[] {
  const fields = view.fields.flatMap((field) => {
    const label = findLabel(view, field)
    return label ? [field, label] : [field]
  })
  return [...fields, ...view.linked].filter(
    (field) => (field.in.has(surface) || isCarried(view, field)) && isSeen(grant, field),
  )
}

/** Key and stamp travel with every row: without them nothing could be saved. */
export function isCarried(view: View, field: Field): boolean {
  return view.keys.includes(field) || field.column?.kind === 'stamp'
}

/** One JSON object a row: the fields, and a `Permit__<Capability>` cell for each permit. */
export function projectRow(view: View, fields: readonly Field[], grant: Grant): string {
  const pairs = fields.map((field) => projectPair(field, view, grant))
  for (const permit of view.permits) {
    const held = grant.holds(permit.capability)
    const value = held
      ? `json(CASE WHEN ${composePermit(permit, grant)} THEN 'true' ELSE 'false' END)`
      : "json('false')"
    pairs.push(`${quoteText(`Permit__${permit.capability}`)},${value}`)
  }
  return composeJsonObject(pairs)
}

/** A permit holds of rows that the capability reaches. */
function composePermit({ capability, when }: Permit, grant: Grant): string {
  const reach = composeReach(grant, capability)
  const holds = composeCondition(when)
  return reach === '' ? holds : `(${reach}) AND ${holds}`
}

/** Name and value of a field, as arguments of `json_object`. */
export function projectPair(field: Field, view: View, grant: Grant): string {
  return `${quoteText(field.name)},${projectField(field, view, grant)}`
}

const PLAIN_TEXT: ReadonlySet<FieldType> = new Set(['Text', 'Guid', 'Date', 'DateTime', 'Time'])

/**
 * A field as JSON by its type; the stamp is an opaque string. A column of an entity needs no guard:
 * its table is STRICT and holds nothing but what its type says.
 */
export function projectField(field: Field, view: View, grant: Grant): string {
  if (field.link) return composeList(field, field.link, view, grant)
  if (field.labelOf !== undefined) return composeValue(field, grant)
  if (field.column?.kind === 'stamp') return `CAST(${quote(field.name)} AS TEXT)`
  if (field.column && (PLAIN_TEXT.has(field.type) || field.type === 'Integer')) {
    return quote(field.name)
  }
  return FIELD_KINDS[field.type].toJsonSql(quote(field.name), field)
}

/** `json_object` over any number of pairs, as a JSON value. */
export function composeJsonObject(pairs: readonly string[]): string {
  if (pairs.length <= PAIRS_MAX) return `json_object(${pairs.join(',')})`
  const chunks: string[] = []
  for (let at = 0; at < pairs.length; at += PAIRS_MAX) {
    const text = `json_object(${pairs.slice(at, at + PAIRS_MAX).join(',')})`
    chunks.push(`substr(${text},2,length(${text})-2)`)
  }
  return `json('{' || ${chunks.join(" || ',' || ")} || '}')`
}

/** `json_array` over any number of values, as JSON text. */
export function composeJsonArray(values: readonly string[]): string {
  if (values.length <= VALUES_MAX) return `json_array(${values.join(',')})`
  const chunks: string[] = []
  for (let at = 0; at < values.length; at += VALUES_MAX) {
    const text = `json_array(${values.slice(at, at + VALUES_MAX).join(',')})`
    chunks.push(`substr(${text},2,length(${text})-2)`)
  }
  return `'[' || ${chunks.join(" || ',' || ")} || ']'`
}
