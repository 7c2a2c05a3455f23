/** Columns of files: fields under heads that an import reads back as the same fields. */
import { renderMessage } from '../../../kernel/messages.ts'
import type { Option } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import {
  composeLongHead,
  hasLabels,
  Heads,
  isAmbiguous,
  type Said,
  type SaidField,
  toHeadKey,
} from './heads.ts'
import { findOptionsOf } from './option-labels.ts'
import { tellsOptions } from './option-texts.ts'
import type { ViewUse } from '../view-access.ts'
import type { SheetColumn } from '../../sheets/format.ts'

/** The columns of fields, in their order, under heads that an import reads as the same fields. */
export function planSheetColumns(
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  fields: readonly Field[],
): SheetColumn[] {
  const headers = planHeaders({ view, grant }, fields)
  return fields.map((field, at) => ({
    name: field.name,
    label: headers[at] ?? field.name,
    type: field.link ? 'Json' : field.column?.kind === 'stamp' ? 'Text' : field.type,
    scale: field.scale,
    format: field.format,
    options: listOptions({ view, grant }, field),
  }))
}

/** Lists the options in the cells below a head; for a label, by the labels of the options. */
function listOptions({ view, grant }: Pick<ViewUse, 'view' | 'grant'>, field: Field): Option[] {
  const labelled = findOptionsOf(view, field)
  return (labelled ?? field).options.map(({ value, label }) => {
    const text = renderMessage(label, grant.caller.language)
    return { value: labelled ? text : value, label: text }
  })
}

/**
 * Keys and values that have labels get their names as heads, all else gets labels. A head that an
 * import would take for something else, or that is there already, has the name behind the label.
 */
function planHeaders(
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  fields: readonly Field[],
): string[] {
  const heads = new Heads(view, grant)
  const planned = fields.map(() => '')
  const taken = new Set<string>()
  const columns = fields.map((field, at) => ({ at, field, said: toSaid(view, field) }))
  const isNamed = ({ said }: { said: SaidField }) => !said.isLabel && hasLabels(said.field)
  const [byName, byLabel] = [columns.filter(isNamed), columns.filter((each) => !isNamed(each))]
  for (const { at, field, said } of [...byName, ...byLabel]) {
    const label = renderMessage(field.label, grant.caller.language)
    const long = composeLongHead(label, field.name)
    const first = isNamed({ said }) ? field.name : label
    const head = [first, long].find(
      (each) => !taken.has(toHeadKey(each)) && isSaidBy(heads.find(each), said, grant),
    )
    planned[at] = head ?? long
    taken.add(toHeadKey(planned[at]))
  }
  return planned
}

/** Returns the field that an import is to take a column for. */
function toSaid(view: View, field: Field): SaidField {
  const key = field.labelOf?.toLowerCase()
  const own =
    key === undefined
      ? undefined
      : (view.fieldByName.get(key) ?? view.linked.find(({ name }) => name.toLowerCase() === key))
  return own ? { field: own, isLabel: true } : { field, isLabel: false }
}

/** Labels of options may replace values, if none of them is the value of another option. */
function isSaidBy(found: Said, { field, isLabel }: SaidField, grant: Grant): boolean {
  if (found === undefined || isAmbiguous(found) || found.field !== field) return false
  if (found.isLabel === isLabel || !hasLabels(field)) return true
  return isLabel && field.options.length > 0 && tellsOptions(grant, field, false)
}
