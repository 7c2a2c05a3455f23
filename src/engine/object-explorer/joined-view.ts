/**
 * A view with fields along its references: `CustomerId.Region` is the Region of the row that
 * CustomerId names, through the first view of that entity, in the order of the model, that the
 * caller may list and that serves the field to them. A row that they do not see gives no values:
 * its row filter, company and masks are those of that view.
 */
import { invalid } from '../../kernel/failure.ts'
import { Lru } from '../../kernel/lru.ts'
import { Message, say } from '../../kernel/messages.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { View } from '../../model/compiled/view.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import { quote } from '../../model/sql/quote.ts'
import { listViewsOf } from '../../model/view-index.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { ResourceAccess } from '../../access/rights/resource-access.ts'
import { JOINS_MAX, PATH_STEPS_MAX, PATHS_MAX } from './paths.ts'
import { isContextName } from '../object/context.ts'
import { composeOperand } from '../object/read/filter.ts'
import { findField, isServed } from '../object/read/find-view.ts'
import { findLabel, isSeen } from '../object/read/labels.ts'
import { composeOver, type RowForm } from '../object/read/row-forms.ts'
import { findSource, type Source } from '../object/read/source.ts'
import { toTableSet } from '../object/read/table-set.ts'

/** A view of a query, and where its rows come from. */
interface JoinedView {
  view: View
  source: Source
}

/** Queries name paths in few combinations; those in use come back at once. */
const JOINED_MAX = 200

const ofAccess = new WeakMap<ResourceAccess, WeakMap<View, Lru<string, JoinedView>>>()

/**
 * The view with those paths that lead to a field that the caller gets; other paths are unknown.
 * @throws invalid for more of them than one statement takes
 */
export function joinPaths(view: View, grant: Grant, paths: readonly string[]): JoinedView {
  if (paths.length === 0) return { view, source: findSource(view, grant, 'read') }
  if (paths.length > PATHS_MAX)
    throw invalid(say`A query can use at most ${PATHS_MAX} fields of referenced records`)
  const known = ofAccess
    .getOrInsertComputed(grant.access, () => new WeakMap<View, Lru<string, JoinedView>>())
    .getOrInsertComputed(view, () => new Lru<string, JoinedView>(JOINED_MAX))
  const key = `${grant.allCompanies} ${paths.join()}`
  return known.find(key) ?? known.keep(key, planJoined(view, grant, paths))
}

/** True for a field along a reference. Names of columns have no dot. */
export const isJoined = (field: Field): boolean => field.name.includes('.')

/** The rows behind a reference, joined once for all paths that lead through it. */
interface Join {
  alias: string
  /** The reference, as SQL over the joins before it. */
  from: string
  view: View
  grant: Grant
  /** The cells of its row: the SQL, by the name that the joined row has it under. */
  cells: Map<string, string>
}

interface Joining {
  joins: Map<string, Join>
  fields: Map<string, Field>
  /** Columns of the joined row: the path, and its SQL over the joins. */
  columns: Map<string, string>
}

function planJoined(view: View, grant: Grant, paths: readonly string[]): JoinedView {
  const source = findSource(view, grant, 'read')
  const joining: Joining = { joins: new Map(), fields: new Map(), columns: new Map() }
  for (const path of paths) followPath(joining, { view, grant }, path)
  if (joining.fields.size === 0) return { view, source }
  if (joining.joins.size > JOINS_MAX)
    throw invalid(say`A query can follow at most ${JOINS_MAX} references`)
  const fieldByName = new Map([...view.fieldByName, ...joining.fields])
  return { view: { ...view, fieldByName }, source: composeSource(source, joining, grant.model) }
}

/** A row on the way: its view, and how its columns are written there. */
interface Place {
  view: View
  grant: Grant
  join?: Join
  /** The names up to here, as they are shown. */
  name?: string
  label?: ModelText
}

function followPath(joining: Joining, start: Place, path: string): void {
  const [last, ...steps] = path.split('.').reverse()
  if (last === undefined || steps.length > PATH_STEPS_MAX) return
  let place: Place | undefined = start
  for (const [at, step] of steps.reverse().entries())
    place &&= findNext(joining, place, step, steps[at + 1] ?? last)
  const field = place && findServed(place.view, place.grant, last)
  if (place?.join && field) addField(joining, place, field)
}

/** The row that a reference leads to, for the field that is wanted there. */
function findNext(joining: Joining, place: Place, step: string, wanted: string): Place | undefined {
  const reference = findServed(place.view, place.grant, step)
  const found = reference && findTarget(reference, place.grant, wanted)
  if (!found) return undefined
  const from = place.join
    ? readCell(place.join, reference, place.grant)
    : `svc_base.${quote(reference.name)}`
  const key = `${from} ${found.view.name}`
  const alias = `svc_join${joining.joins.size + 1}`
  const join = joining.joins.getOrInsertComputed(key, () => ({
    alias,
    from,
    ...found,
    cells: new Map<string, string>(),
  }))
  const name = place.name === undefined ? reference.name : `${place.name}.${reference.name}`
  const { label } = reference
  return { ...found, join, name, label: place.label ? within(place.label, label) : label }
}

/** A field with one value a row that the caller gets; a label of one, too. */
function findServed(view: View, grant: Grant, name: string): Field | undefined {
  const field = findField(view, grant, name)
  return field && !field.link && isServed(view, grant, field) ? field : undefined
}

/** A view that answers by the key alone, that the caller lists, and that serves the field. */
function findTarget(reference: Field, { caller, model, allCompanies }: Grant, wanted: string) {
  const entity = reference.lookup
    ? model.views.get(reference.lookup.view)?.entity?.name
    : reference.references
  if (entity === undefined || reference.multiple) return undefined
  const isOfContext = (name: string): boolean => isContextName(name, model)
  for (const view of listViewsOf(model, entity)) {
    const isKeyed = view.keys.length === 1 && view.keys[0]?.column?.key === true
    if (!isKeyed || view.wizard || !view.query.parameters.every(isOfContext)) continue
    const grant = Grant.find(caller, model, view.resource, 'List', { allCompanies })
    if (grant && findServed(view, grant, wanted)) return { view, grant }
  }
  return undefined
}

/** Reads the value that a field shows, as SQL over the join. */
function readCell({ alias, cells, view }: Join, field: Field, grant: Grant): string {
  cells.set(field.name, composeOperand(field, { view, grant }))
  return `${alias}.${quote(field.name)}`
}

function addField({ fields, columns }: Joining, place: Place, field: Field): void {
  const { join, grant, view, name = '', label = '' } = place
  if (!join) return
  const add = (each: Field, labelOf: string | undefined): void => {
    const path = `${name}.${each.name}`
    if (fields.has(path.toLowerCase())) return
    columns.set(path, readCell(join, each, grant))
    const labelled = labelOf === undefined ? undefined : readsAs(path)
    fields.set(path.toLowerCase(), {
      ...each,
      name: path,
      label: within(label, each.label),
      searchable: false,
      labelOf,
      labelSql: labelled,
    })
  }
  add(field, undefined)
  const named = findLabel(view, field)
  if (named && isSeen(grant, named)) add(named, `${name}.${field.name}`)
}

/** `Customer: Region`, in the language of both. */
const within = (outer: ModelText, inner: ModelText): Message =>
  new Message('{0}: {1}', [outer, inner])

/** A label that the row has already. */
const readsAs = (path: string): NonNullable<Field['labelSql']> => ({
  company: quote(path),
  all: quote(path),
  reads: [],
  steps: [],
  query: undefined,
  join: undefined,
})

/** The rows of the view with the joined values; no row is left out or doubled. */
function composeSource(source: Source, { joins, columns }: Joining, model: Model): Source {
  const isOfContext = (name: string): boolean => isContextName(name, model)
  const targets = [...joins.values()].map((join) => ({
    join,
    source: findSource(join.view, join.grant, 'read'),
  }))
  const cells = [...columns].map(([path, sql]) => `${sql} AS ${quote(path)}`)
  const composeFrom = (isOwn: boolean): string => {
    const joined = targets.map(({ join, source: target }) => {
      const rows = composeOver(target, (form) => composeTarget(join, form))
      const { alias, from, view } = join
      const key = quote(view.keys[0]?.name ?? '')
      const sql = isOwn ? (rows.own?.() ?? rows.sql) : rows.sql
      return `LEFT JOIN (${sql}) AS ${alias} ON ${alias}.${key} = ${from}`
    })
    const all = ['svc_base.*', ...cells].join(', ')
    return `(SELECT ${all} FROM ${source.from} AS svc_base ${joined.join(' ')})`
  }
  const own = [...targets.map((target) => target.source), source]
  return {
    ...source,
    from: composeFrom(false),
    fromOwn: () => composeFrom(true),
    names: [
      ...new Set(
        own.flatMap(({ names }, at) => (at < targets.length ? names.filter(isOfContext) : names)),
      ),
    ],
    tables: toTableSet([...new Set(own.flatMap(({ tables }) => [...tables]))]),
    runs: 'lane',
  }
}

/** One row for each key, whatever the view's own query does. */
function composeTarget({ view, cells }: Join, form: RowForm): string {
  const key = quote(view.keys[0]?.name ?? '')
  const shown = [...cells].filter(([name]) => quote(name) !== key)
  const list = [key, ...shown.map(([name, sql]) => `${sql} AS ${quote(name)}`)]
  const once = view.isGenerated ? '' : ` GROUP BY ${key}`
  return `${form.with}SELECT ${list.join(', ')} FROM ${form.from} ${form.where([])}${once}`
}
