/**
 * Each row as a caller gets it, as JSON text made by SQLite: the allow-list of every record read.
 */
import type { RowAction } from '../../../model/compiled/action.ts'
import type { AuthoredCondition } from '../../../model/compiled/authored-sql.ts'
import type { Field, Surface } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { composeShownSql } from '../../../model/fields/decimal.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { quote, quoteText } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { ResourceAccess } from '../../../access/rights/resource-access.ts'
import { composeValue, findLabel, isSeen, type JoinedLabels } from './labels.ts'
import { composeRaw } from './masked.ts'
import { composeCondition, composeRightRows } from './source.ts'
import { composeList } from './through.ts'

/** SQLite's functions take 127 arguments; wider rows are joined as text. */
const PAIRS_MAX = 60
const VALUES_MAX = 120

type Surfaces = Map<Surface, readonly Field[]>

const visible = new WeakMap<ResourceAccess, Map<View, Surfaces>>()

/**
 * Fields of a surface that the caller sees, each with its label behind it, and lists of keys; keys,
 * company and stamp are always there. Planned once for an access: they depend on nothing else.
 */
export function visibleFields(view: View, grant: Grant, surface: Surface): readonly Field[] {
  return visible
    .getOrInsertComputed(grant.access, () => new Map<View, Surfaces>())
    .getOrInsertComputed(view, () => new Map<Surface, readonly Field[]>())
    .getOrInsertComputed(surface, () => listVisible(view, grant, surface))
}

function listVisible(view: View, grant: Grant, surface: Surface): Field[] {
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

/**
 * One JSON object a row: the fields, a `Permit__<Capability>` cell for each permit, and an
 * `Action__<Name>` cell for each action with a `When` of its own. `labels` are the labels
 * beside the rows.
 */
export function projectRow(
  view: View,
  fields: readonly Field[],
  grant: Grant,
  labels?: JoinedLabels['texts'],
): string {
  const pairs = fields.map((field) => {
    const label = labels?.get(field)
    return label === undefined
      ? projectPair(field, view, grant)
      : `${quoteText(field.name)},${label}`
  })
  for (const { capability, when } of view.permits) {
    const value = composeAllowed(view, grant, { right: capability, when })
    pairs.push(`${quoteText(`Permit__${capability}`)},${value}`)
  }
  for (const { name, capability, when } of listJudged(view)) {
    const value = composeAllowed(view, grant, { right: capability ?? 'Update', when })
    pairs.push(`${quoteText(`Action__${name}`)},${value}`)
  }
  return composeJsonObject(pairs)
}

/** Actions whose condition no Permit cell shows. */
function listJudged(view: View): (RowAction & { when: AuthoredCondition })[] {
  return view.rowActions.flatMap((action) => {
    const { when, capability = 'Update' } = action
    const permit = view.permits.find((each) => each.capability === capability)
    return when && when !== permit?.when ? [{ ...action, when }] : []
  })
}

/** Composes a right on the row as JSON: true if it reaches the row and its condition holds. */
function composeAllowed(
  view: View,
  grant: Grant,
  { right, when }: { right: string; when: AuthoredCondition },
): string {
  if (!grant.holds(right)) return "json('false')"
  const rows = composeRightRows(grant, right)
  const holds = composeCondition(when)
  const allowed = composeRaw(view, grant, rows === '' ? holds : `(${rows}) AND ${holds}`)
  // Each `json` of a constant is made once a statement, not once a row.
  return `CASE WHEN ${allowed} THEN json('true') ELSE json('false') END`
}

/** Name and value of a field, as arguments of `json_object`. */
export function projectPair(field: Field, view: View, grant: Grant): string {
  return `${quoteText(field.name)},${projectField(field, view, grant)}`
}

/**
 * A field as JSON by its type; the stamp is an opaque string. A column of an entity needs no guard:
 * its table is STRICT and holds only values of its type.
 */
export function projectField(field: Field, view: View, grant: Grant): string {
  if (field.link) return composeList(field, field.link, view, grant)
  if (field.labelOf !== undefined) return composeValue(field, grant)
  if (field.column?.kind === 'stamp') return `CAST(${quote(field.name)} AS TEXT)`
  if (isPlain(field)) return quote(field.name)
  const scale = FIELD_KINDS[field.type].isText ? findScale(field, view) : undefined
  if (scale !== undefined) return `CAST(${composeShownSql(quote(field.name), scale)} AS TEXT)`
  return FIELD_KINDS[field.type].toJsonSql(quote(field.name), field)
}

/** Decimal places of a sum that no Field says to be a number. */
function findScale({ name, column }: Field, { query }: View): number | undefined {
  if (column) return undefined
  const key = name.toLowerCase()
  return query.columns.find((output) => output.name.toLowerCase() === key)?.scale
}

const isPlain = ({ column, type }: Field): boolean =>
  column !== undefined && FIELD_KINDS[type].isServedAsStored

/** Tells whether a field's cell is its value as it is, which may then be read off the row. */
export const showsValue = (field: Field): boolean =>
  !field.link && (field.labelOf !== undefined || (isPlain(field) && field.column?.kind !== 'stamp'))

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
