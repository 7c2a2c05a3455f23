/**
 * Counts the records that refer to one to be deleted, by object, among those that the caller may
 * List. Of others a refusal says no more than that there are some.
 */
import { Failure } from '../../../kernel/failure.ts'
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
import { UnexplainedFailure } from '../unexplained-failure.ts'
import type { RecordAccess } from '../view-access.ts'

/** Objects that a refusal names. */
const OBJECTS_MAX = 5

/** Milliseconds for all counts of a refusal; where they take longer it goes out without them. */
const COUNT_MS = 1000

/** The refusal of a delete with what could be told of it; another error as it is. */
export function explainReferred(
  { entity, context }: RecordAccess,
  key: SqlValue | undefined,
  error: unknown,
): unknown {
  if (!(error instanceof Failure) || error.code !== 'REFERENCE' || key === undefined) return error
  return new UnexplainedFailure(error, (reader) => nameReferring(reader, { entity, context }, key))
}

async function nameReferring(
  reader: Reader,
  { entity, context }: Pick<RecordAccess, 'entity' | 'context'>,
  key: SqlValue,
): Promise<Message | undefined> {
  const signal = AbortSignal.timeout(COUNT_MS)
  const named: Message[] = []
  for (const { view, grant, columns } of listReferring(entity, context)) {
    const count = await countReferring(reader, { view, grant, columns, context, signal }, key)
    if (count > 0) named.push(say`${count} ${view.label}`)
  }
  const [first, ...others] = named.slice(0, OBJECTS_MAX)
  if (first === undefined) return undefined
  const list = others.reduce((before, each) => say`${before}, ${each}`, first)
  return say`Not deleted: other records refer to it (${list})`
}

interface Referring {
  view: View
  grant: Grant
  /** Names of its fields that refer to the entity. */
  columns: readonly string[]
}

/** Lists for each entity that refers to it the first view, in the model's order, that shows it. */
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
  { view, grant, columns, context, signal }: Referring & { context: Context; signal: AbortSignal },
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
  const args = bindings.args()
  const rows = await reader.all({ sql, own, args, runs: 'lane', of: source.of, signal })
  return Number(rows[0]?.Count ?? 0)
}
