/** The stored records that rows of an import are about, as far as the caller may change them. */
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import { listConditionFields } from '../../../model/compiled/field-condition.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import { type CalledColumn, composeCalled } from './called.ts'
import type { ImportRow } from './import-cells.ts'
import { toEvenKey, type UnevenKeys } from './uneven-keys.ts'
import { composeHolds, findPermit, loadReached, reachesAll } from '../record/reached-rows.ts'
import { composeKeys, toKeyList } from '../record/stored-rows.ts'
import { keyText } from '../record/written-row.ts'
import { needsOutput } from '../rules/changes.ts'
import { STAMP } from '../rules/conflict.ts'
import type { ViewAccess } from '../view-access.ts'

/** A record that a row is about. */
export interface Match {
  /** By entity column; with the output columns of the view where its rules look at them. */
  row: SqlRow
  /** In the order of the entity's keys. */
  key: SqlValue[]
  /** The view's Permit for Update holds. */
  isPermitted: boolean
  /** The basis of its validation: columns of `listBasis`, and the view's output columns. */
  basis: SqlValue
  output: SqlValue
  /** Labels of its values, by `composeCalled`. */
  called: SqlRow
}

interface MatchAccess extends ViewAccess {
  entity: Entity
  /** Fields that tell records apart, in the order of `ImportRow.keys`. */
  keys: readonly Field[]
  uneven: UnevenKeys
  called: readonly CalledColumn[]
}

/** For each row its records, by the text of its keys; a row with a blank key has none. */
export async function findMatches(
  scope: MatchAccess,
  rows: readonly ImportRow[],
): Promise<Map<string, Match[]>> {
  const { reader, view, entity, grant, keys, uneven } = scope
  const given = rows.filter((row) => row.keys.every((value) => value !== null))
  if (given.length === 0) return new Map()
  const names = keys.map(({ column, name }) => column?.name ?? name)
  const columns = entity.columns.map(({ name }) => quote(name)).join(', ')
  const basis = composeBasis(listBasis({ view, entity, keys }))
  const isOwn =
    entity.company && !grant.allCompanies ? `${quote(entity.company)} = @company AND ` : ''
  const wanted = given.flatMap((row) => [row.keys, ...(uneven.get(keyText(row.keys)) ?? [])])
  const stored = await reader.all(
    `SELECT ${columns}, ${basis} AS _basis FROM main.${quote(entity.table)} AS t ` +
      `WHERE ${isOwn}${composeKeys(names, 'keys')}`,
    { keys: toKeyList(wanted), company: grant.caller.companyId },
  )
  const found = new Map<string, Match[]>()
  const visible = await loadVisible(scope, stored)
  for (const { _basis = null, ...row } of stored) {
    const key = entity.keys.map(({ name }) => row[name] ?? null)
    const output = visible.get(keyText(key))
    if (!output) continue
    const own = names.map((name) => row[name] ?? null)
    const id = keyText(toEvenKey(keys, own))
    const { permitted, _output = null, ...outputs } = output
    const match: Match = {
      row: { ...outputs, ...row },
      key,
      isPermitted: permitted === 1,
      basis: _basis,
      output: _output,
      called: output,
    }
    found.set(id, [...(found.get(id) ?? []), match])
  }
  return found
}

/** Stored rows that the caller may change, by key, with the columns that rules look at. */
async function loadVisible(
  access: MatchAccess,
  stored: readonly SqlRow[],
): Promise<Map<string, SqlRow>> {
  const { view, entity, called } = access
  const permit = findPermit(view, 'Update')
  const keys = stored.map((row) => entity.keys.map(({ name }) => row[name] ?? null))
  if (reachesAll(access, 'import') && !permit && !needsOutput(view) && called.length === 0) {
    return new Map(keys.map((key) => [keyText(key), { permitted: 1, _output: '' }]))
  }
  const cells = [
    ...(needsOutput(view) ? view.query.columns.map(({ name }) => quote(name)) : []),
    `(${permit ? composeHolds(permit) : '1'}) AS permitted`,
    `${composeOutput(view)} AS _output`,
    ...composeCalled(called, access),
  ]
  return loadReached(access, keys, { purpose: 'import', cells })
}

/**
 * Columns of the entity that tell which record is meant and what may be done with it; of one with a
 * stamp, that tells of all of them.
 */
export function listBasis({
  view,
  entity,
  keys,
}: Pick<MatchAccess, 'view' | 'entity' | 'keys'>): Column[] {
  if (entity.concurrency) return entity.columns.filter(({ name }) => name === STAMP)
  const names = new Set(listNamed(view, entity).map((name) => name.toLowerCase()))
  const named = [...names].flatMap(
    (name) => view.fieldByName.get(name)?.column ?? entity.columnByName.get(name) ?? [],
  )
  const all = new Set([...keys.flatMap(({ column }) => column ?? []), ...named])
  return [...all].filter((column) => !column.key)
}

/** Lists the names in fields and rules. */
function listNamed(view: View, entity: Entity): string[] {
  const fields = view.fields.flatMap(({ requiredWhen, visibleWhen, readOnlyWhen, lookup }) => [
    ...[requiredWhen, visibleWhen, readOnlyWhen].flatMap((when) =>
      when ? listConditionFields(when) : [],
    ),
    ...(lookup?.where?.parameters ?? []),
  ])
  const rules = [...view.validates, ...entity.validates].flatMap((rule) =>
    rule.kind === 'compare' ? [rule.field ?? [], rule.compare ?? []].flat() : [],
  )
  return [...fields, ...rules]
}

/** Their values in a record `t`, as one text. */
export const composeBasis = (columns: readonly Column[]): string =>
  `json_array(${columns.map(({ name }) => `t.${quote(name)}`).join(', ')})`

/** The same of the view's output columns, where its rules look at them. */
export const composeOutput = (view: View): string =>
  needsOutput(view)
    ? `json_array(${view.query.columns.map(({ name }) => quote(name)).join(', ')})`
    : "''"
