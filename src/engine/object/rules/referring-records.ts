/**
 * What refers to a record that was to be deleted: how many records of each object, among those that
 * the caller may List. Of others a refusal says no more than that there are some.
 */
import { Failure, invalid } from '../../../kernel/failure.ts'
import { type Message, say } from '../../../kernel/messages.ts'
import { joinTerms } from '../../../store/join-terms.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { Bindings } from '../bindings.ts'
import type { Context } from '../context.ts'
import { isServed } from '../read/find-view.ts'
import { composeOver } from '../read/row-forms.ts'
import { bindNames, findSource } from '../read/source.ts'
import type { RecordAccess } from '../view-access.ts'

/** Objects that a refusal names. */
const OBJECTS_MAX = 5

/** The refusal of a delete with what refers to the record; another error as it is. */
export async function explainReferred(
  { reader, entity, context }: RecordAccess,
  key: SqlValue | undefined,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Failure) || error.code !== 'REFERENCE' || key === undefined) return error
  const named: Message[] = []
  for (const { view, grant, columns } of listReferring(entity, context)) {
    const count = await countReferring(reader, { view, grant, columns, context }, key)
    if (count > 0) named.push(say`${count} ${view.label}`)
  }
  const [first, ...others] = named.slice(0, OBJECTS_MAX)
  if (first === undefined) return error
  const list = others.reduce((before, each) => say`${before}, ${each}`, first)
  return invalid(say`Not deleted: other records refer to it (${list})`, {
    code: 'REFERENCE',
    cause: error,
  })
}

interface Referring {
  view: View
  grant: Grant
  /** Names of its fields that refer to the entity. */
  columns: readonly string[]
}

/** Of each entity that refers to it the first view, in the model's order, that shows it. */
function listReferring(entity: Entity, { caller, model }: Context): Referring[] {
  if (caller === undefined) return []
  const found = new Map<Entity, Referring>()
  for (const view of model.views.values()) {
    if (!view.entity || found.has(view.entity)) continue
    const columns = view.fields.filter(({ column }) => column && restricts(column, entity))
    if (columns.length === 0) continue
    const grant = Grant.find(caller, model, view.resource, 'List')
    if (!grant) continue
    const names = columns.filter((field) => isServed(view, grant, field)).map(({ name }) => name)
    if (names.length > 0) found.set(view.entity, { view, grant, columns: names })
  }
  return [...found.values()]
}

const restricts = ({ references, onDelete }: Column, entity: Entity): boolean =>
  references === entity.name && onDelete === 'Restrict'

async function countReferring(
  reader: Reader,
  { view, grant, columns, context }: Referring & { context: Context },
  key: SqlValue,
): Promise<number> {
  const source = findSource(view, grant, 'read')
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  bindings.set('_key', key)
  const refers = joinTerms(
    columns.map((name) => `${quote(name)} = @_key`),
    'OR',
  )
  const { sql, own } = composeOver(
    source,
    (form) =>
      `${form.with}SELECT count(*) AS Count FROM ${form.from} ${form.where([`(${refers})`])}`,
  )
  const rows = await reader.all({ sql, own, args: bindings.args(), runs: 'lane', of: source.of })
  return Number(rows[0]?.Count ?? 0)
}
