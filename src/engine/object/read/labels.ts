/**
 * Labels of stored values, `<Field>__Label`: read-only cells beside the fields that refer to
 * records. They are part of the row: a caller who sees the field sees its label, even if they may
 * not list the record that it names.
 */
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { ResourceAccess } from '../../../access/rights/resource-access.ts'

/** The label field of a field; undefined for one that refers to nothing. */
export function findLabel(view: View, field: Field): Field | undefined {
  const label =
    view.fieldByName.get(`${field.name}__Label`.toLowerCase()) ??
    view.linked.find((candidate) => candidate.labelOf === field.name)
  return label?.labelOf === field.name ? label : undefined
}

/** Composes a field's value over a row of the view: its column, or its label's query. */
export function composeValue(field: Field, grant: Grant): string {
  const { labelSql } = field
  if (field.labelOf === undefined) return quote(field.name)
  if (!labelSql) return 'NULL'
  return grant.allCompanies ? labelSql.all : labelSql.company
}

/** Labels beside the rows of a page. */
export interface JoinedLabels {
  /** SQL after the rows: `LEFT JOIN …`, or ''. */
  joins: string
  /** Each label as SQL over the joined rows; a label that is not here is a query by itself. */
  texts: ReadonlyMap<Field, string>
}

/** SQLite joins 64 tables, those of a view's own query among them. */
const JOINS_MAX = 20

/** The labels among some fields that joins find. */
export function joinLabels(fields: readonly Field[], grant: Grant): JoinedLabels {
  const scope = grant.allCompanies ? 'all' : 'company'
  const joins: string[] = []
  const texts = new Map<Field, string>()
  for (const field of fields) {
    const label = field.labelOf === undefined ? undefined : field.labelSql?.join?.[scope]
    if (!label || joins.length + label.joins.length > JOINS_MAX) continue
    joins.push(...label.joins)
    texts.set(field, label.text)
  }
  return { joins: joins.map((join) => ` ${join}`).join(''), texts }
}

/**
 * The query of the keys whose label fits a condition on it, and the field that has the key;
 * undefined if labels are only found row by row.
 */
export function findLabelKeys(
  label: Field,
  view: View,
  grant: Grant,
): { key: string; keys: (fits: (label: string) => string) => string } | undefined {
  const join = label.link ? undefined : label.labelSql?.join
  const field = view.fieldByName.get(label.labelOf?.toLowerCase() ?? '')
  if (!join || !field) return undefined
  const { rows, label: text } = join[grant.allCompanies ? 'all' : 'company'].keys
  return { key: quote(field.name), keys: (fits) => `${rows} AND ${fits(text)}` }
}

const visibility = new WeakMap<ResourceAccess, WeakMap<Field, boolean>>()

/**
 * Tells if a caller sees a field at all; with a field its label is hidden too. A key and a list of
 * keys are visible on every row or on none.
 */
export function isSeen({ access }: Grant, field: Field): boolean {
  return visibility
    .getOrInsertComputed(access, () => new WeakMap<Field, boolean>())
    .getOrInsertComputed(field, (each) => planSeen(access, each))
}

function planSeen({ hidden, masked }: ResourceAccess, field: Field): boolean {
  const names = [field.name, ...(field.labelOf === undefined ? [] : [field.labelOf])].map((name) =>
    name.toLowerCase(),
  )
  if (names.some((name) => hidden.has(name))) return false
  const isWhole = field.link !== undefined || field.column?.key === true
  return !isWhole || !names.some((name) => masked.has(name))
}

/** Lists the SQL that the labels of a view read, for its company shadows and its names. */
export function listLabelParts(view: View) {
  const labels = [...view.fieldByName.values(), ...view.linked].flatMap(
    (field) => field.labelSql ?? [],
  )
  return {
    queries: labels.flatMap((label) => label.query ?? []),
    tables: [
      ...labels.flatMap((label) => label.reads),
      ...view.linked.flatMap(({ link }) => (link ? [link.entity.table] : [])),
    ],
  }
}

/**
 * The fields that a grid searches. A reference is searched by its label; a key that is a text by
 * itself too.
 */
export function listSearched(view: View): Field[] {
  return [...view.fieldByName.values()].filter(
    (field) => field.searchable && (FIELD_KINDS[field.type].isText || !findLabel(view, field)),
  )
}
