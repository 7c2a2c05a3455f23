/**
 * Labels of a field's options, `<Field>__Label`: a column of files alone, since clients have the
 * options of a field from its metadata.
 */
import { renderMessage } from '../../../kernel/messages.ts'
import { makeLabelField } from '../../../model/compile/labels.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { quote, quoteText } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { isServed } from './find-view.ts'

const made = new WeakMap<Field, Field>()

/**
 * The label field of a field with options; undefined for one without, and where the view has a
 * field of that name.
 */
export function findOptionLabel(view: View, field: Field): Field | undefined {
  const { options, references, lookup, labelOf, link } = field
  if (options.length === 0 || references !== undefined || lookup || link) return undefined
  const name = `${field.name}__Label`
  if (labelOf !== undefined || view.fieldByName.has(name.toLowerCase())) return undefined
  return made.getOrInsertComputed(field, () => makeLabelField(field, name))
}

/** The label of options that a request names, where the caller gets their field. */
export function findRequestedOption(view: View, grant: Grant, name: string): Field | undefined {
  const key = name.toLowerCase()
  if (!key.endsWith(SUFFIX)) return undefined
  const field = view.fieldByName.get(key.slice(0, -SUFFIX.length))
  const label = field && findOptionLabel(view, field)
  return label && isServed(view, grant, field) ? label : undefined
}

const SUFFIX = '__label'

/** The field whose options a field tells the labels of; undefined for any other. */
export function findOptionsOf(view: View, label: Field): Field | undefined {
  const field = view.fieldByName.get(label.labelOf?.toLowerCase() ?? '')
  return field && findOptionLabel(view, field) === label ? field : undefined
}

/** The label of a field's value over a row; a value that is not an option is its own, as text. */
export function composeOptionLabel(field: Field, { caller }: Grant, value: string): string {
  const isText = field.column !== undefined && FIELD_KINDS[field.type].isText
  const own = isText ? value : `CAST(${value} AS TEXT)`
  const column = isText ? quote(field.name) : `CAST(${quote(field.name)} AS TEXT)`
  const cases = field.options.flatMap((option) => {
    const label = renderMessage(option.label, caller.language)
    const stored = storedText(field, option.value)
    return label === stored ? [] : [`WHEN ${quoteText(stored)} THEN ${quoteText(label)}`]
  })
  return cases.length === 0 ? own : `CASE ${column} ${cases.join(' ')} ELSE ${own} END`
}

/** An option's value as the text of its stored value. */
function storedText(field: FieldFeatures, value: string): string {
  const parsed = FIELD_KINDS[field.type].parse(value, field)
  if (typeof parsed !== 'number') return value
  return FIELD_KINDS[field.type].number === 'scaled' && Number.isInteger(parsed)
    ? `${parsed}.0`
    : String(parsed)
}
