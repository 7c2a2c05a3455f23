/** Labels of the records that values of a timeline refer to, of those that its reader sees now. */
import type { SqlValue } from '../../store/sql.ts'
import type { Field } from '../../model/compiled/field.ts'
import { quote } from '../../model/sql/quote.ts'
import { listViewsOf } from '../../model/view-index.ts'
import { Grant } from '../../access/rights/grant.ts'
import { Bindings } from '../object/bindings.ts'
import { composeValue, findLabel, isSeen } from '../object/read/labels.ts'
import { composeOver } from '../object/read/row-forms.ts'
import { bindNames, findSource } from '../object/read/source.ts'
import { findKeyedView, findVisible } from '../object/record/visible-keys.ts'
import { keyText } from '../object/record/written-row.ts'
import type { ViewAccess } from '../object/view-access.ts'
import type { ShownChange } from './shown-fields.ts'
import { loadUserNames } from '../workflow/user-labels.ts'

/** The label of a field's value; null for a record that the reader does not see. */
type FindReferenceLabel = (field: Field, value: SqlValue) => string | null

/** Loads the labels of all changes: two statements a field that refers to records. */
export async function loadReferenceLabels(
  access: ViewAccess,
  changes: readonly ShownChange[],
): Promise<FindReferenceLabel> {
  const labels = new Map<Field, ReadonlyMap<string, string | null>>()
  const referring = changes.filter(({ field }) => field.references !== undefined)
  for (const [field, list] of Map.groupBy(referring, (change) => change.field)) {
    const values = new Set(list.flatMap(({ from, to }) => [from, to]))
    values.delete(null)
    labels.set(field, await loadLabels(access, field, [...values]))
  }
  return (field, value) => labels.get(field)?.get(String(value)) ?? null
}

async function loadLabels(
  access: ViewAccess,
  field: Field,
  values: readonly SqlValue[],
): Promise<ReadonlyMap<string, string | null>> {
  const { reader, view, grant } = access
  if (field.references === 'User') {
    const ids = values.map(Number)
    const nameOf = await loadUserNames(reader, grant.caller.companyId, ids, grant.caller)
    return new Map(ids.map((id) => [String(id), nameOf(id)]))
  }
  const label = findLabel(view, field)
  if (!label || !isSeen(grant, label)) return new Map()
  const seen = await listSeen(access, field, values)
  if (seen.length === 0) return new Map()
  const bindings = new Bindings()
  const source = findSource(view, grant, 'read')
  bindNames(source.names, bindings, access.context, { view, parameters: new Map() })
  const name = quote(field.name)
  const rows = `SELECT value AS ${name} FROM json_each(${bindings.add(JSON.stringify(seen))})`
  const sql = composeOver(
    source,
    (form) =>
      `${form.with}SELECT CAST(${name} AS TEXT) AS Value, ${composeValue(label, grant)} AS Label
        FROM (${rows})`,
  )
  const read = { ...sql, args: bindings.args(), runs: 'measured' as const, of: source.of }
  const found = await reader.all<{ Value: string; Label: string | null }>(read)
  return new Map(found.map(({ Value, Label }) => [Value, Label]))
}

/** The values whose record the caller sees in some view of its entity. */
async function listSeen(
  { reader, grant, context }: ViewAccess,
  { references }: Field,
  values: readonly SqlValue[],
): Promise<SqlValue[]> {
  const { caller, model } = grant
  const seen: SqlValue[] = []
  let left = [...values]
  for (const view of listViewsOf(model, references ?? '')) {
    if (left.length === 0) break
    const keyed = view.wizard ? undefined : findKeyedView(view)
    const found =
      Grant.find(caller, model, view.resource, 'View') ??
      Grant.find(caller, model, view.resource, 'List')
    if (!keyed || !found || keyed.keys.length !== 1) continue
    const use = { view, grant: found, context }
    const keys = left.map((value) => [value])
    const visible = await findVisible(reader, keyed, use, keys)
    seen.push(...left.filter((value) => visible.has(keyText([value]))))
    left = left.filter((value) => !visible.has(keyText([value])))
  }
  return seen
}
