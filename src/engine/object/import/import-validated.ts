/** The values of stored records by which an import judges them: those that rules look at. */
import type { Column, Entity, Field, View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import { needsOutput } from '../after-write/changes.ts'
import { STAMP } from '../write/conflict.ts'

/** Whose values are looked at. */
interface ValidatedScope {
  view: View
  entity: Entity
  /** Fields that tell records apart. */
  keys: readonly Field[]
}

/**
 * Columns of the entity that tell which record is meant and what may be done with it; of one with a
 * stamp, that tells of all of them.
 */
export function listJudged({ view, entity, keys }: ValidatedScope): Column[] {
  if (entity.concurrency) return entity.columns.filter(({ name }) => name === STAMP)
  const names = new Set(listNamed(view, entity).map((name) => name.toLowerCase()))
  const named = [...names].flatMap(
    (name) => view.fieldByName.get(name)?.column ?? entity.columnByName.get(name) ?? [],
  )
  const all = new Set([...keys.flatMap(({ column }) => column ?? []), ...named])
  return [...all].filter((column) => !column.key)
}

/** What fields and rules name. */
function listNamed(view: View, entity: Entity): string[] {
  const fields = view.fields.flatMap(({ requiredWhen, visibleWhen, readOnlyWhen, lookup }) => [
    ...[requiredWhen, visibleWhen, readOnlyWhen].flatMap((when) => when?.field ?? []),
    ...(lookup?.where?.parameters ?? []),
  ])
  const rules = [...view.validates, ...entity.validates].flatMap((rule) =>
    rule.kind === 'compare' ? [rule.field ?? [], rule.compare ?? []].flat() : [],
  )
  return [...fields, ...rules]
}

/** Their values in a record `t`, as one text. */
export const composeValidated = (columns: readonly Column[]): string =>
  `json_array(${columns.map(({ name }) => `t.${quote(name)}`).join(', ')})`

/** The same of the view's output columns, where its rules look at them. */
export const composeValidatedOutput = (view: View): string =>
  needsOutput(view)
    ? `json_array(${view.query.columns.map(({ name }) => quote(name)).join(', ')})`
    : "''"
