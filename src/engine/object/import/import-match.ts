/** The stored records that rows of an import are about, as far as the caller may change them. */
import type { Entity, Field } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import { Bindings } from '../bindings.ts'
import { needsOutput } from '../after-write/changes.ts'
import type { ImportRow } from './import-cells.ts'
import { composeValidated, composeValidatedOutput, listJudged } from './import-validated.ts'
import { findPermit, listKeyNames } from './import-reach.ts'
import { keyText } from '../after-write/written-row.ts'
import { composeOver } from '../read/row-forms.ts'
import { bindNames, composeCondition, findSource } from '../read/source.ts'
import { composeKeys, composeLookup, toKeyList } from '../write/stored-rows.ts'
import type { ViewAccess } from '../view-access.ts'

/** A record that a row is about. */
export interface Match {
  /** By entity column; with the output columns of the view where its rules look at them. */
  row: SqlRow
  /** In the order of the entity's keys. */
  key: SqlValue[]
  /** The view's Permit for Update holds. */
  isPermitted: boolean
  /** What the record is judged by, as `import-validated.ts` has it. */
  judged: SqlValue
  output: SqlValue
}

export interface MatchAccess extends ViewAccess {
  entity: Entity
  /** Fields that tell records apart, in the order of `ImportRow.keys`. */
  keys: readonly Field[]
}

/** For each row its records, by the text of its keys; a row with a blank key has none. */
export async function findMatches(
  scope: MatchAccess,
  rows: readonly ImportRow[],
): Promise<Map<string, Match[]>> {
  const { reader, view, entity, grant, keys } = scope
  const given = rows.filter((row) => row.keys.every((value) => value !== null))
  if (given.length === 0) return new Map()
  const names = keys.map(({ column, name }) => column?.name ?? name)
  const columns = entity.columns.map(({ name }) => quote(name)).join(', ')
  const judged = composeValidated(listJudged({ view, entity, keys }))
  const isOwn =
    entity.company && !grant.allCompanies ? `${quote(entity.company)} = @company AND ` : ''
  const stored = await reader.all(
    `SELECT ${columns}, ${judged} AS _judged FROM main.${quote(entity.table)} AS t ` +
      `WHERE ${isOwn}${composeKeys(names, 'keys')}`,
    { keys: toKeyList(given.map((row) => row.keys)), company: grant.caller.companyId },
  )
  const found = new Map<string, Match[]>()
  const seen = await loadVisible(scope, stored)
  for (const { _judged = null, ...row } of stored) {
    const key = entity.keys.map(({ name }) => row[name] ?? null)
    const output = seen.get(keyText(key))
    if (!output) continue
    const id = keyText(names.map((name) => row[name] ?? null))
    const { permitted, _output = null, ...outputs } = output
    const match: Match = {
      row: { ...outputs, ...row },
      key,
      isPermitted: permitted === 1,
      ...{ judged: _judged, output: _output },
    }
    found.set(id, [...(found.get(id) ?? []), match])
  }
  return found
}

/** What the caller may change of the stored rows, by key, with what rules look at. */
async function loadVisible(
  { reader, view, entity, grant, context }: MatchAccess,
  stored: readonly SqlRow[],
): Promise<Map<string, SqlRow>> {
  const source = findSource(view, grant, 'import')
  const permit = findPermit(view, 'Update')
  const keys = stored.map((row) => entity.keys.map(({ name }) => row[name] ?? null))
  if (view.isGenerated && source.filter === '' && !permit && !needsOutput(view)) {
    return new Map(keys.map((key) => [keyText(key), { permitted: 1, _output: '' }]))
  }
  const names = listKeyNames({ view, entity })
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  bindings.set('_keys', toKeyList(keys))
  const holds = permit ? `coalesce(${composeCondition(permit)}, 0) <> 0` : '1'
  const output = needsOutput(view) ? view.query.columns.map(({ name }) => quote(name)) : []
  const cells = [
    ...names.map((name, at) => `${quote(name)} AS _k${at}`),
    ...output,
    `(${holds}) AS permitted`,
    `${composeValidatedOutput(view)} AS _output`,
  ]
  const { sql, own } = composeOver(
    source,
    (form) => `${form.with}SELECT ${cells.join(', ')} FROM ${composeLookup(form, names, '_keys')}`,
  )
  const read = { sql, own, args: bindings.args(), quick: 'never' as const, of: source.of }
  const rows = await reader.all(read)
  return new Map(rows.map((row) => [keyText(names.map((_, at) => row[`_k${at}`] ?? null)), row]))
}
