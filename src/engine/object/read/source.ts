/**
 * The source of a view's rows: the authored query on lines of its own, held to the company
 * by shadows and to the caller by row filters. Nothing authored is ever edited.
 */
import { Lru } from '../../../kernel/lru.ts'
import { joinTerms } from '../../../store/join-terms.ts'
import type { ReadPlace } from '../../../store/sql.ts'
import type { AuthoredCondition } from '../../../model/compiled/authored-sql.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Model } from '../../../model/model.ts'
import { planShadows, type Shadowed, withShadows } from '../../../model/sql/shadow.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { ResourceAccess, RowFilters } from '../../../access/rights/resource-access.ts'
import type { Bindings } from '../bindings.ts'
import { type Context, contextValue, isContextName } from '../context.ts'
import { type Named, parseParameter } from '../parameters.ts'
import { listLabelParts } from './labels.ts'
import { composeMasked, composeRaw, listMasks, listRowRules } from './masked.ts'
import { composeOver, type FormRowSource, type RowForm } from './row-forms.ts'
import { type TableSet, toTableSet } from './table-set.ts'
import { parseDeclared } from './view-parameters.ts'

/** Filters can be combined without end; a filter that is in use comes back at once. */
const TEXTS_MAX = 500

/** A view's rows for one kind of access: the parts that every request shares. */
export interface Source extends FormRowSource {
  /** `@` names in `with`, `from` and `filter`. */
  names: readonly string[]
  /** Tables that rows, conditions and labels are read from. */
  tables: TableSet
  runs: ReadPlace
  /** The view, where any of it is authored. */
  of: string | undefined
  /** Statements composed from it, by the key that sets them apart. */
  texts: Lru<string, Shadowed>
}

/**
 * The purpose of an access, whose filters a row must pass: filters of reading, and of the verb that
 * is about to act on the row; or, after a save, the filters that the record must pass.
 */
export type Purpose =
  | (
      | 'read'
      | 'export'
      | 'update'
      | 'delete'
      | 'updated'
      | 'created'
      | 'import'
      | 'imported'
      | 'all'
    )
  | `with ${string}`

/** The rows that a verb or capability reaches, when it is about to act on one of them. */
export function purposeOf(right: string): Purpose {
  if (right === 'Update') return 'update'
  return right === 'Delete' ? 'delete' : `with ${right}`
}

type Sources = Map<View, Map<Purpose, Source>>

const ofAccess = new WeakMap<ResourceAccess, { own: Sources; all: Sources }>()
const newSources = () => ({ own: new Map() as Sources, all: new Map() as Sources })

/** The source of a view for a grant and a purpose: one for each access. */
export function findSource(view: View, grant: Grant, purpose: Purpose): Source {
  const cached = ofAccess.getOrInsertComputed(grant.access, newSources)
  return (grant.allCompanies ? cached.all : cached.own)
    .getOrInsertComputed(view, () => new Map<Purpose, Source>())
    .getOrInsertComputed(purpose, () =>
      planSource(view, grant, findFilters(grant, purpose), { isShown: isShown(purpose) }),
    )
}

/** Tells whether a caller gets cells of the rows; the other purposes only look at them. */
const isShown = (purpose: Purpose): boolean =>
  purpose === 'read' || purpose === 'export' || purpose === 'created' || purpose === 'updated'

const WITH = 'with '

/** A caller who may write but see nothing is held to the verb's own rows. */
function findFilters(grant: Grant, purpose: Purpose): RowFilters[] {
  if (purpose === 'all') return []
  if (purpose === 'updated') return grant.checkFilters()
  if (purpose === 'export') return [grant.readFilters(), grant.filters('Export')]
  if (purpose === 'created') return [...grant.checkFilters(), grant.filters('Create')]
  if (purpose === 'imported') return [...grant.checkFilters(), ...listImporting(grant, 'Create')]
  if (purpose === 'import') return [...grant.checkFilters(), ...listImporting(grant, 'Update')]
  const read = grant.reads || purpose === 'read' ? [grant.readFilters()] : []
  if (purpose === 'update') return [...read, grant.filters('Update')]
  if (purpose === 'delete') return [...read, grant.filters('Delete')]
  return purpose.startsWith(WITH) ? [...read, grant.filters(purpose.slice(WITH.length))] : read
}

/** Import suffices to write; the rows of the verb itself hold for those who have both. */
const listImporting = (grant: Grant, verb: 'Create' | 'Update'): RowFilters[] =>
  grant.may(verb) ? [grant.filters('Import'), grant.filters(verb)] : [grant.filters('Import')]

/** Further uses of a source. */
interface SourceOptions {
  /** Conditions that its statements will have. */
  further?: readonly AuthoredCondition[]
  /** A caller gets cells of its rows: then some rows hide fields. */
  isShown?: boolean
}

/**
 * Composes the source of a view (src/model/README.md, How a query is composed); filters are joined
 * by AND. Tables of further conditions are held to the company too.
 */
export function planSource(
  view: View,
  grant: Grant,
  filters: readonly RowFilters[],
  { further = [], isShown = false }: SourceOptions = {},
): Source {
  const labels = listLabelParts(view)
  const masks = isShown ? listMasks(view, grant) : []
  const parts = [
    view.query,
    ...labels.queries,
    ...further,
    ...filters.flatMap((alternatives) => alternatives?.flat() ?? []),
    ...view.permits.flatMap(({ when, capability }) => [when, ...listReach(grant, capability)]),
    ...view.presets.map((preset) => preset.where),
    ...listRowRules(view, grant),
    ...view.rowActions.flatMap((action) => (action.when ? [action.when] : [])),
  ]
  const tables = new Set(parts.flatMap((part) => part.reads))
  const scope = grant.allCompanies ? 'all' : 'company'
  const shadowText = withShadows(planShadows(grant.model, tables, scope))
  const names = new Set(parts.flatMap((part) => part.parameters))
  const isHeld = labels.tables.length > 0 || shadowText.includes('@CurrentCompanyId')
  if (isHeld) names.add('CurrentCompanyId')
  const filter = [...new Set(filters.map(composeFilters).filter((text) => text !== ''))]
  const held = filter.length > 1 ? `(${filter.join(') AND (')})` : (filter[0] ?? '')
  return {
    with: shadowText,
    materialized: () => withShadows(planShadows(grant.model, tables, scope, 'materialized')),
    from: composeMasked(view, masks, `(\n${view.query.text}\n)`),
    filter: masks.length > 0 ? composeRaw(view, grant, held) : held,
    names: [...names],
    tables: toTableSet([...tables, ...labels.tables]),
    runs: parts.every((part) => mayRunInline(part, grant.model)) ? 'measured' : 'lane',
    of: view.isGenerated && parts.length === 1 ? undefined : view.name,
    texts: new Lru(TEXTS_MAX),
  }
}

/** The statement of a source under a name that sets it apart, composed at its first use. */
export const composeOnce = (
  source: Source,
  name: string,
  compose: (form: RowForm) => string,
): Shadowed => source.texts.find(name) ?? source.texts.keep(name, composeOver(source, compose))

const listReach = (grant: Grant, right: string): readonly AuthoredCondition[] =>
  grant.holds(right) ? (grant.filters(right)?.flat() ?? []) : []

/**
 * Composes the condition for the rows that a right reaches among the rows that the caller reads;
 * '' if it reaches all of them.
 */
export function composeRightRows(grant: Grant, right: string): string {
  const rows = composeFilters(grant.filters(right))
  return grant.reads && rows === composeFilters(grant.readFilters()) ? '' : rows
}

/** Functions that take as long as a request's value makes them, in one step that nothing ends. */
const BY_VALUE = /\b(?:json_each|json_tree)\b/i

/**
 * Tells whether its record of times may bring a statement to the serving thread: not if the values
 * of the next request can change its time.
 */
export function mayRunInline(
  part: Pick<AuthoredCondition, 'text' | 'parameters' | 'mayRunInline'>,
  model: Model,
): boolean {
  if (!part.mayRunInline) return false
  return !BY_VALUE.test(part.text) || part.parameters.every((name) => isContextName(name, model))
}

/** OR over roles of AND over a role's filters; '' when every row is reached. */
export function composeFilters(filters: RowFilters): string {
  if (!filters) return ''
  if (filters.length === 0) return '0'
  const roles = filters.map(
    (role) =>
      `(${joinTerms(
        role.map((condition) => composeCondition(condition)),
        'AND',
      )})`,
  )
  return joinTerms(roles, 'OR')
}

/** An authored condition in brackets of its own, on a line of its own. */
export function composeCondition(condition: AuthoredCondition): string {
  return `(\n${condition.text}\n)`
}

/**
 * Binds the `@` names of a statement: context parameters from the caller, the rest from the
 * request's Parameters by name without regard to case; an absent one is its Default, else NULL.
 * @throws invalid for a value that does not fit its Parameter or field
 */
export function bindNames(
  names: Iterable<string>,
  bindings: Bindings,
  context: Context,
  request: { view: Named; parameters: ReadonlyMap<string, unknown> },
): void {
  for (const name of names) {
    if (isContextName(name, context.model)) {
      bindings.set(name, contextValue(name, context))
      continue
    }
    const key = name.toLowerCase()
    const given = request.parameters.get(key)
    const declared = request.view.parameters?.get(key)
    bindings.set(
      name,
      declared
        ? parseDeclared(declared, given, context)
        : parseParameter(name, request.view, given),
    )
  }
}
