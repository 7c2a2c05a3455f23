/**
 * What a reference may point to: the rows of the looked-up view that the caller may List (model
 * language, Lookup), so that a hidden record is refused as one that is not there.
 */
import { Grant } from '../../access/grant.ts'
import type { AuthoredCondition, Entity, Field, Model, View } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { Bindings } from './bindings.ts'
import { contextValue, isContextName, type Context } from './context.ts'
import { bindNames, composeCondition, findSource, planSource } from './source.ts'
import type { Draft } from './wire-condition.ts'

/** Where a field's options are. */
export interface LookupSource {
  view: View
  grant: Grant
  where: AuthoredCondition | undefined
}

/**
 * The looked-up view of a reference: the one that it names, else the entity's first that the caller
 * may List; undefined where the caller may list none.
 */
export function findLookup(field: Field, entity: Entity, own: Grant): LookupSource | undefined {
  const { caller, model, allCompanies } = own
  const where = field.lookup?.where
  for (const view of listViews(field, entity, model)) {
    const grant = Grant.find(caller, model, view.resource, 'List', { allCompanies })
    if (grant && view.keys.length === 1) return { view, grant, where }
  }
  return undefined
}

function listViews(field: Field, entity: Entity, model: Model): View[] {
  const named = field.lookup && model.views.get(field.lookup.view)
  return named ? [named] : [...model.views.values()].filter((view) => view.entity === entity)
}

/** Whether a key is among the options; `draft` is the record whose values the Where may name. */
export async function isOption(
  tx: Tx,
  { view, grant, where }: LookupSource,
  value: SqlValue,
  { draft, context }: { draft: Draft; context: Context },
): Promise<boolean> {
  const key = view.keys[0]
  const source = where
    ? planSource(view, grant, [grant.readFilters()], [where])
    : findSource(view, grant, 'read')
  if (!key || (view.isGenerated && source.filter === '' && !where)) return true
  const bindings = new Bindings()
  const parameters = new Map([[key.name.toLowerCase(), value]])
  bindNames(source.names, bindings, context, { view, parameters })
  for (const name of where?.parameters ?? []) {
    const given = isContextName(name) ? contextValue(name, context) : draft.get(name.toLowerCase())
    bindings.set(name, given ?? null)
  }
  const conditions = [`${quote(key.name)} = ${bindings.add(value)}`]
  if (source.filter !== '') conditions.push(source.filter)
  if (where) conditions.push(composeCondition(where))
  const sql = `${source.with}SELECT 1 FROM ${source.from} WHERE (${conditions.join(') AND (')})`
  return (await tx.authored(`${sql} LIMIT 1`, bindings.args())).rows.length > 0
}
