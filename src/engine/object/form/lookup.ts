/**
 * Records that a reference may point to: the rows of the looked-up view that the caller may List
 * (src/model/README.md, Lookup), so that a hidden record is refused like a missing one.
 */
import type { SqlArg, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { AuthoredCondition } from '../../../model/compiled/authored-sql.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { DataSet, FieldFeatures } from '../../../model/compiled/field-features.ts'
import { type View, VIEW_TYPES } from '../../../model/compiled/view.ts'
import type { Model } from '../../../model/model.ts'
import { quote } from '../../../model/sql/quote.ts'
import { composeShadowed } from '../../../model/sql/shadow.ts'
import { listViewsOf } from '../../../model/view-index.ts'
import { Grant } from '../../../access/rights/grant.ts'
import type { ResourceAccess } from '../../../access/rights/resource-access.ts'
import { Bindings } from '../bindings.ts'
import { type Context, contextValue, isContextName } from '../context.ts'
import {
  bindNames,
  composeCondition,
  composeOnce,
  findSource,
  planSource,
  type Source,
} from '../read/source.ts'
import { type Draft, toArg } from '../value.ts'
import type { ViewAccess } from '../view-access.ts'

/** The source of a field's options. */
export interface LookupSource {
  view: View
  grant: Grant
  source: Source
  where: AuthoredCondition | undefined
}

/** A field, column or parameter that has options by reference. */
type Referring = Pick<FieldFeatures, 'lookup' | 'references'> & { dataSet?: DataSet }

/** Tells whether a value of the field is the key of a record. */
export const isReference = (field: Referring): boolean =>
  field.references !== undefined || field.lookup !== undefined

/**
 * Views in which a caller may find a field's records: the one that its Lookup names, else
 * those of the entity, in the model's order. Empty where the caller may list none.
 */
export function listLookups(field: Referring, own: Grant): LookupSource[] {
  const { caller, model, allCompanies } = own
  const where = field.lookup?.where
  return listViews(field, model).flatMap((view) => {
    const grant = Grant.find(caller, model, view.resource, 'List', { allCompanies })
    if (!grant || view.keys.length !== 1) return []
    return [{ view, grant, source: planLookup(view, grant, where), where }]
  })
}

const ofAccess = new WeakMap<ResourceAccess, Map<string, Source>>()
const numbers = new WeakMap<AuthoredCondition, number>()
let next = 0

/** Plans the source of a lookup; the tables of its Where are held to the company too. */
function planLookup(view: View, grant: Grant, where: AuthoredCondition | undefined): Source {
  if (!where) return findSource(view, grant, 'read')
  const key = `${numbers.getOrInsertComputed(where, () => ++next)} ${grant.allCompanies}`
  return ofAccess
    .getOrInsertComputed(grant.access, () => new Map<string, Source>())
    .getOrInsertComputed(key, () =>
      planSource(view, grant, [grant.readFilters()], { further: [where], isShown: true }),
    )
}

function listViews(field: Referring, model: Model): View[] {
  if (field.lookup) {
    const named = model.views.get(field.lookup.view)
    return named ? [named] : []
  }
  if (field.references === undefined) return []
  return listViewsOf(model, field.references).filter((view) => !VIEW_TYPES[view.viewType].hasSteps)
}

/**
 * Tells whether a caller's choice for a field may be labelled: they have options to choose from,
 * and any other value was refused.
 */
export function mayLabel(field: Referring, grant: Grant): boolean {
  const isUser = field.references === 'User' && !field.lookup
  return isUser || listLookups(field, grant).length > 0
}

/**
 * Tells whether a field takes every key if the caller has no view to look it up in: users, and
 * records of an entity that no view lists, so that the model does not hide them.
 */
export function isOpenReference(field: Referring, model: Model): boolean {
  if (field.references === 'User' && !field.lookup) return true
  return listViews(field, model).every((view) => view.keys.length !== 1)
}

/** The access that options are evaluated with. */
interface OptionCheck extends Omit<ViewAccess, 'view'> {
  /** The record as it would be stored: a Where may name its values. */
  draft: Draft
  /** Types of the record's values, by lower-case name. */
  features: (name: string) => Pick<FieldFeatures, 'type'> | undefined
}

/**
 * Tells whether a caller may point to a record: it is a row of a view in which they may look it up,
 * or of the field's DataSet if they may list none of these views. A caller with neither has no
 * options and points to nothing: else the label beside the key would show any record's name.
 * Active users are options by themselves.
 */
export async function isOption(
  field: Referring,
  entity: Entity,
  value: SqlValue,
  scope: OptionCheck,
): Promise<boolean> {
  const lookups = listLookups(field, scope.grant)
  if (entity.builtIn && !(await isActive(scope.reader, value))) return false
  if (lookups.length === 0)
    return isOpenReference(field, scope.grant.model) || isInDataSet(field.dataSet, value, scope)
  if (lookups.some(holdsAll)) return true
  for (const lookup of lookups) if (await isRow(lookup, value, scope)) return true
  return false
}

/** Tells whether a value is an option of a DataSet, read with the values of the record. */
async function isInDataSet(
  dataSet: DataSet | undefined,
  value: SqlValue,
  { reader, grant, context, draft, features }: OptionCheck,
): Promise<boolean> {
  if (!dataSet) return false
  const { text, parameters, reads } = dataSet.sql
  const bindings = new Bindings()
  for (const name of new Set([...parameters, 'CurrentCompanyId'])) {
    const key = name.toLowerCase()
    const given = (): SqlArg => toArg(features(key), draft.get(key) ?? null)
    bindings.set(name, isContextName(name, context.model) ? contextValue(name, context) : given())
  }
  // Options are texts on the wire.
  const isSame = `CAST("Value" AS TEXT) = CAST(${bindings.add(value)} AS TEXT)`
  const { sql, own } = composeShadowed(
    grant.model,
    reads,
    grant.allCompanies ? 'all' : 'company',
    (head) => `${head}SELECT 1 AS found FROM (\n${text}\n) WHERE ${isSame} LIMIT 1`,
  )
  return (await reader.get({ sql, own, args: bindings.args(), runs: 'lane' })) !== undefined
}

const isActive = async (reader: Reader, value: SqlValue): Promise<boolean> =>
  (await reader.get('SELECT 1 AS found FROM main.svc_users WHERE Id = @value AND Active = 1', {
    value,
  })) !== undefined

/** Tells whether every record of the entity is a row. */
export const holdsAll = ({ view, source, where }: LookupSource): boolean =>
  view.isGenerated && source.filter === '' && !where

async function isRow(
  lookup: LookupSource,
  value: SqlValue,
  { reader, context, draft, features }: OptionCheck,
): Promise<boolean> {
  const { view, source } = lookup
  const key = view.keys[0]
  if (!key) return true
  const bindings = new Bindings()
  bindLookup(lookup, bindings, context, (name) => {
    const given = draft.get(name.toLowerCase()) ?? null
    return toArg(features(name.toLowerCase()), given)
  })
  const keys = [`${quote(key.name)} = ${bindings.add(value)}`]
  const sql = composeOnce(source, 'option', (form) => {
    const rows = `${form.from} ${form.where(listConditions(lookup), keys)}`
    return `${form.with}SELECT 1 AS found FROM ${rows} LIMIT 1`
  })
  const read = { ...sql, args: bindings.args(), runs: source.runs, of: source.of }
  return (await reader.get(read)) !== undefined
}

/** Lists the conditions on the caller's rows that are options: the Where, and active users only. */
export function listConditions({ view, where }: LookupSource): string[] {
  const conditions = where ? [composeCondition(where)] : []
  if (view.entity?.builtIn && view.fieldByName.has('active')) conditions.push('"Active" = 1')
  return conditions
}

/** Binds a lookup's names: names of its Where by the record, names of its view by no request. */
export function bindLookup(
  { view, source, where }: LookupSource,
  bindings: Bindings,
  context: Context,
  find: (name: string) => SqlArg,
): void {
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  for (const name of where?.parameters ?? []) {
    bindings.set(
      name,
      isContextName(name, context.model) ? contextValue(name, context) : find(name),
    )
  }
}
