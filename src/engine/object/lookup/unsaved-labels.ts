/** Labels of values that stand in no stored record: defaults of a new one. */
import type { Grant } from '../../../access/grant.ts'
import type { Field, View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import { Bindings } from '../bindings.ts'
import type { Context } from '../context.ts'
import { findLabel, isSeen } from './labels.ts'
import { composeJsonObject, projectPair } from '../read/projection.ts'
import { composeOver } from '../read/own-rows.ts'
import { bindNames, findSource } from '../read/source.ts'

/** What labels are loaded with. */
export interface LabelScope {
  reader: Pick<Reader, 'text'>
  view: View
  grant: Grant
  context: Context
}

/** What the values of a record that is not stored are called, by label field. */
export async function loadLabels(
  { reader, view, grant, context }: LabelScope,
  values: ReadonlyMap<Field, SqlValue>,
): Promise<Record<string, unknown>> {
  const bindings = new Bindings()
  const columns: string[] = []
  const pairs: string[] = []
  for (const [field, value] of values) {
    const label = value === null ? undefined : findLabel(view, field)
    if (!label || !isSeen(grant, label)) continue
    columns.push(`${bindings.add(value)} AS ${quote(field.name)}`)
    pairs.push(projectPair(label, view, grant))
  }
  if (pairs.length === 0) return {}
  const source = findSource(view, grant, 'read')
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  const row = `${composeJsonObject(pairs)} FROM (SELECT ${columns.join(', ')})`
  const sql = composeOver(source, (form) => `${form.with}SELECT ${row}`)
  const read = { ...sql, args: bindings.args(), quick: 'earned' as const, of: source.of }
  return JSON.parse(await reader.text(read)) as Record<string, unknown>
}
