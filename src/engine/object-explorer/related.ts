/**
 * Conditions on the rows of other objects that refer to a row: customers with orders in 2026, or
 * without any. The other object answers as if the caller had listed it: with their rows and fields.
 */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { View } from '../../model/compiled/view.ts'
import { Grant } from '../../access/rights/grant.ts'
import { joinPaths } from './joined-view.ts'
import { listPaths } from './paths.ts'
import { type QueryRequest, RELATED_MAX, type RelatedRows } from './schema.ts'
import type { Bindings } from '../object/bindings.ts'
import { type Context, isContextName } from '../object/context.ts'
import { composeOperand } from '../object/read/filter.ts'
import { requireField } from '../object/read/find-view.ts'
import { composeOver } from '../object/read/row-forms.ts'
import type { Source } from '../object/read/source.ts'
import { type TableSet, toTableSet } from '../object/read/table-set.ts'
import { planConditions } from '../object/read/table.ts'

/** The view that is asked, and the caller who asks. */
interface Asked {
  view: View
  grant: Grant
  context: Context
  bindings: Bindings
}

/** A condition on the key of a row, in both forms of a statement. */
interface Kept {
  sql: string
  own: string
  tables: TableSet
}

/**
 * Holds a source to the rows that have those of `With`, and none of `Without`; values are bound.
 * @throws invalid for an object that the caller may not list, or that does not refer to the view
 */
export function keepRelated(
  source: Source,
  { With, Without }: Pick<QueryRequest, 'With' | 'Without'>,
  asked: Asked,
): Source {
  const all = [
    ...(With ?? []).map((rows) => ({ rows, member: 'With' as const })),
    ...(Without ?? []).map((rows) => ({ rows, member: 'Without' as const })),
  ]
  if (all.length === 0) return source
  if (all.length > RELATED_MAX)
    throw invalid(say`With and Without can name at most ${RELATED_MAX} objects together`)
  const key = requireKey(asked.view)
  const kept = all.map(({ rows, member }) => planKept(rows, member, key, asked))
  const composeFrom = (from: string, conditions: readonly string[]): string =>
    `(SELECT * FROM ${from} AS svc_kept WHERE ${conditions.join(' AND ')})`
  return {
    ...source,
    from: composeFrom(
      source.from,
      kept.map(({ sql }) => sql),
    ),
    fromOwn: () =>
      composeFrom(
        source.fromOwn?.() ?? source.from,
        kept.map(({ own }) => own),
      ),
    tables: toTableSet([
      ...new Set([...source.tables, ...kept.flatMap(({ tables }) => [...tables])]),
    ]),
    runs: 'lane',
  }
}

/** The one column by which other rows name a row of the view. */
function requireKey({ entity, keys, label }: View): Field {
  const [key] = keys
  if (entity && key?.column?.key && keys.length === 1) return key
  throw invalid(say`With and Without: rows of ${label} cannot be referred to`)
}

/** A list of keys, found once: no row of it is NULL, which would make every NOT IN unknown. */
function planKept(
  { ObjectName, Field: name, Filters, Preset }: RelatedRows,
  member: 'With' | 'Without',
  key: Field,
  { view, grant, context, bindings }: Asked,
): Kept {
  const other = findOther(ObjectName, grant)
  if (!other)
    throw invalid(say`${member}: there is no object '${ObjectName.slice(0, 80)}' that you may list`)
  const isOfContext = (each: string): boolean => isContextName(each, grant.model)
  if (!other.view.query.parameters.every(isOfContext))
    throw invalid(say`${member}: '${other.view.name}' needs Parameters: ask it by itself`)
  const paths = listPaths({ ObjectName, Fields: [name], Filters })
  const joined = joinPaths(other.view, other.grant, paths)
  const planned = planConditions(
    joined.view,
    { Filters, Preset },
    other.grant,
    context,
    joined.source,
    bindings,
  )
  const reference = requireField(joined.view, other.grant, name)
  if (findTarget(reference, grant) !== view.entity?.name)
    throw invalid(
      say`${member}: ${reference.name} of '${other.view.name}' names no row of ${view.label}`,
    )
  const value = composeOperand(reference, planned.scope)
  const rows = composeOver(planned.source, (form) => {
    const where = form.where([...planned.where, `${value} IS NOT NULL`])
    return `${form.with}SELECT ${value} FROM ${form.from} ${where}`
  })
  const own = composeOperand(key, { view, grant })
  const compose = (sql: string): string =>
    member === 'With' ? `${own} IN (${sql})` : `(${own} IN (${sql})) IS NOT TRUE`
  return {
    sql: compose(rows.sql),
    own: compose(rows.own?.() ?? rows.sql),
    tables: planned.source.tables,
  }
}

/** An object that the caller may list, by name or slug; others read as not there. */
function findOther(name: string, { caller, model, allCompanies }: Grant) {
  const view = model.viewByKey.get(name.toLowerCase())
  const grant =
    view && !view.wizard && Grant.find(caller, model, view.resource, 'List', { allCompanies })
  return view && grant ? { view, grant } : undefined
}

/** The entity whose row a field names. */
function findTarget({ lookup, references, multiple }: Field, { model }: Grant): string | undefined {
  if (multiple) return undefined
  return lookup ? model.views.get(lookup.view)?.entity?.name : references
}
