/**
 * Proofs that a table, as a dataset of the designer reads it, has for every reader the rows and
 * cells of one view: what cannot be shown here becomes no widget. `Svc:Designer:Sql` decides how
 * datasets read (`report-pages/held-report.ts`).
 */
import { type Token, tokenize } from '../../../store/gate/tokenize.ts'
import type { AuthoredCondition } from '../../../model/compiled/authored-sql.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { Role, RowFilter } from '../../../model/compiled/role.ts'
import { type View, VIEW_TYPES } from '../../../model/compiled/view.ts'
import type { Model } from '../../../model/model.ts'
import { isFieldOf, isOnSurface, listViewsOf } from '../../../model/view-index.ts'
import { narrows } from '../../../access/rights/resource-access.ts'
import { namesTwice } from '../../object/read/listed-rows.ts'

/** The tables of datasets: `All` of the company, or held to the `Views` of the reader. */
export interface Reading {
  model: Model
  sql: 'All' | 'Views'
}

/** Tells whether each reader who may List the view finds its rows, all and only, in the table. */
export function hasRowsOf({ model, sql }: Reading, view: View, entity: Entity): boolean {
  if (entity.builtIn || !keepsRows(view, entity)) return false
  const roles = [...model.roles.values()]
  if (sql === 'All') return roles.every((role) => filtersOf(role, view).length === 0)
  const others = listViewsOf(model, entity.name).filter(
    (other) => other !== view && !VIEW_TYPES[other.viewType].hasSteps && other.keys.length > 0,
  )
  return others.every((other) =>
    roles.every((role) => !lists(role, other) || isWithin(role, other, view, entity)),
  )
}

/** Tells whether every role that lists the view sees a field of it, which is a column. */
export function isShownToAll({ model }: Reading, view: View, field: Field): boolean {
  const { entity } = view
  const { column } = field
  if (!entity || !column || column.kind === 'stamp' || field.link || field.multiple) return false
  if (!isFieldOf(view, field, { entity, column }) || !isOnSurface(view, field)) return false
  const name = field.name.toLowerCase()
  return [...model.roles.values()].every((role) =>
    role.fieldRules.every(
      (rule) =>
        rule.access !== 'Hidden' ||
        rule.resource !== view.resource ||
        rule.field.toLowerCase() !== name,
    ),
  )
}

/** Tells whether a role lists the rows of a view. */
export const lists = ({ grants }: Role, { resource }: View): boolean =>
  grants.some((grant) => grant.resource === resource && grant.verbs.has('List'))

const filtersOf = (role: Role, view: View): readonly RowFilter[] =>
  lists(role, view)
    ? role.rowFilters.filter((each) => each.resource === view.resource && narrows(each, 'List'))
    : []

/** The rows that a role sees by one view are among those that it sees by the other. */
function isWithin(role: Role, other: View, view: View, entity: Entity): boolean {
  if (!lists(role, view)) return false
  const wanted = filtersOf(role, view)
  if (wanted.length === 0) return true
  const given = new Set(filtersOf(role, other).map(({ condition }) => condition.text.trim()))
  return (
    !namesTwice(other, entity) &&
    wanted.every(
      ({ condition }) =>
        condition.reads.length === 0 &&
        given.has(condition.text.trim()) &&
        meansSame(condition.text, [view, other], entity),
    )
  )
}

/** Tells whether a condition of a view reads columns of its table alone. */
export const meansOwn = (
  { text, reads }: Pick<AuthoredCondition, 'text' | 'reads'>,
  view: View,
  entity: Entity,
): boolean => reads.length === 0 && meansSame(text, [view, view], entity)

/** Every name of a condition is the same column of the table in both views. */
function meansSame(condition: string, views: readonly View[], entity: Entity): boolean {
  return tokenize(condition).every(({ kind, key }) => {
    if (kind !== 'word' && kind !== 'name') return true
    const named = views.map((view) => view.query.columns.find((each) => sameName(each.name, key)))
    if (named.every((each) => each === undefined)) return true
    const [one, other] = named.map((each) =>
      each?.table?.toLowerCase() === entity.table.toLowerCase() ? each.column : undefined,
    )
    return one !== undefined && one.toLowerCase() === other?.toLowerCase()
  })
}

const sameName = (name: string, key: string): boolean => name.toLowerCase() === key

const AGGREGATES = new Set([
  ...['avg', 'count', 'group_concat', 'max', 'min', 'string_agg', 'sum', 'total', 'median'],
  ...['json_group_array', 'json_group_object', 'jsonb_group_array', 'jsonb_group_object'],
  ...['percentile', 'percentile_cont', 'percentile_disc'],
])

/**
 * Tells whether a view has each row of its table once: a generated one, or an authored query of the
 * form `SELECT … FROM table alias` with nothing behind it and no aggregate.
 */
function keepsRows(view: View, { table }: Entity): boolean {
  if (view.isGenerated) return true
  const tokens = tokenize(view.query.text)
  const outer = listOuter(tokens)
  const at = outer.findIndex(({ key, kind }) => kind === 'word' && key === 'from')
  const [first, second] = outer
  const rest = outer.slice(at + 1)
  const [from, ...alias] = rest.filter(({ kind, key }) => kind !== 'word' || key !== 'as')
  const calls = new Set(
    tokens.flatMap(({ end }, nth) => (tokens[nth + 1]?.value === '(' ? [end] : [])),
  )
  const isPlain = (token: Token | undefined): boolean =>
    token !== undefined && (token.kind === 'word' || token.kind === 'name')
  return (
    first?.key === 'select' &&
    second?.key !== 'distinct' &&
    at > 0 &&
    !outer.some(({ key, end }) => AGGREGATES.has(key) && calls.has(end)) &&
    from?.key === table.toLowerCase() &&
    alias.length <= 1 &&
    alias.every(isPlain)
  )
}

/** The tokens that stand in no query in brackets. */
function listOuter(tokens: readonly Token[]): Token[] {
  const outer: Token[] = []
  const inQuery: boolean[] = []
  for (const [at, token] of tokens.entries()) {
    const before = inQuery.at(-1) ?? false
    if (token.value === '(') {
      const next = tokens[at + 1]?.key
      inQuery.push(before || next === 'select' || next === 'with' || next === 'values')
    } else if (token.value === ')') inQuery.pop()
    else if (!before) outer.push(token)
  }
  return outer
}
