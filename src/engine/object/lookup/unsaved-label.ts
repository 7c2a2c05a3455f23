/** The label of a reference that stands in no stored record. */
import type { Field } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import type { SqlValue } from '../../../store/sql.ts'
import { Bindings } from '../bindings.ts'
import { composeValue, findLabel } from './labels.ts'
import { composeOver } from '../read/row-forms.ts'
import { bindNames, findSource } from '../read/source.ts'
import type { ViewAccess } from '../view-access.ts'

/**
 * What the record that a value refers to is called, by no gate of its own: for a record that the
 * caller is known to see.
 */
export async function loadLabel(
  { reader, view, grant, context }: ViewAccess,
  field: Field,
  value: SqlValue,
): Promise<string | null> {
  const label = findLabel(view, field)
  if (!label) return null
  const bindings = new Bindings()
  const source = findSource(view, grant, 'read')
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  const row = `SELECT ${bindings.add(value)} AS ${quote(field.name)}`
  const cell = `json_array(${composeValue(label, grant)})`
  const sql = composeOver(source, (form) => `${form.with}SELECT ${cell} FROM (${row})`)
  const read = { ...sql, args: bindings.args(), quick: 'earned' as const, of: source.of }
  const [text] = JSON.parse(await reader.text(read)) as [string | null]
  return text
}
