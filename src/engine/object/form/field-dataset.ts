/**
 * POST /field-dataset: values a field may be given. Rows of a DataSet, of a looked-up view that the
 * caller may List, of the company's users, static options; or the default that depends on others.
 */
import { invalid } from '../../../kernel/failure.ts'
import { renderMessage, say } from '../../../kernel/messages.ts'
import { listBoundFields } from '../../../model/bound-fields.ts'
import type { RowAction } from '../../../model/compiled/action.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { Report } from '../../../model/compiled/report.ts'
import type { Verb } from '../../../model/compiled/role.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Model } from '../../../model/model.ts'
import { quote } from '../../../model/sql/quote.ts'
import { isOnSurface } from '../../../model/view-index.ts'
import type { Caller } from '../../../access/callers/caller.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { Bindings } from '../bindings.ts'
import type { Context } from '../context.ts'
import { listLookups } from './lookup.ts'
import { type AskedParameters, loadPresent, ownerOf } from './option-depends.ts'
import {
  findOption,
  loadOptions,
  type OptionQuery,
  type OptionRows,
  toText,
} from './option-query.ts'
import { type FieldAccess, planDataSet, planLookupRows, planUsers } from './option-rows.ts'
import { findPick } from './pick.ts'
import { takePresent } from './present-values.ts'
import { parseParameter, readParameters } from '../parameters.ts'
import { loadDefault } from '../read/defaults.ts'
import { isServed, namesRecord, requireRowAction, requireView } from '../read/find-view.ts'
import { composeValue, findLabel, isSeen } from '../read/labels.ts'
import { isStepHidden, mayGiveStep } from '../read/permissions.ts'
import { projectField } from '../read/projection.ts'
import type { QueryCache } from '../read/query-cache.ts'
import { composeOver } from '../read/row-forms.ts'
import { requireSearchText } from '../read/search-text.ts'
import { bindNames, findSource } from '../read/source.ts'
import { isSameText, matchesText } from '../read/text-match.ts'
import { type FieldDataSetRequest, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../schema.ts'
import { parseValue, toWire } from '../value.ts'

/** An entry: `Value`, `Label`, and the query's other columns, every value a string. */
export type OptionEntry = Record<string, string>

/** The parts that options are loaded with. */
interface OptionParts {
  reader: QueryCache
  caller: Caller
  model: Model
  context: Context
}

const VERBS_OF_FORMS: readonly Verb[] = ['View', 'List', 'Update', 'Create']

/**
 * The options of a field as this caller may see them; none for one who may not see the form, or may
 * not run the action whose parameter it is.
 * @throws notFound for an unknown form, invalid for an unknown field.
 */
export async function loadFieldDataSet(
  { reader, caller, model, context }: OptionParts,
  request: FieldDataSetRequest,
): Promise<OptionEntry[]> {
  const view = requireView(model, request.FormName)
  const action = findAsked(view, request)
  const query = readQuery(request)
  const grant = findGrant(caller, model, { view, action }, request.AllCompanies ?? false)
  const field = requireOptionField({ view, action }, grant, request.FieldName)
  const isStatic = field.options.length > 0 && !field.dataSet && !field.lookup
  if (!grant) return isStatic && !request.Default ? pickOptions(field, query, caller) : []
  const given = readParameters(request.Parameters)
  const scope = { reader, view, action, field, grant, context }
  const isDefault = isDefaultRequested(field, request)
  const parameters = await loadPresent(scope, given, isDefault)
  const requested = { ...scope, view: ownerOf(scope), parameters }
  if (isDefault) return loadDefaultOption(requested)
  const rows = findRows(requested)
  const options = rows ? await loadOptions(reader, rows, query) : pickOptions(field, query, caller)
  if (!query.isFirst) return options
  const stored = await loadStoredOption({ ...scope, parameters: given }, rows, options)
  return stored ? [stored, ...options] : options
}

/**
 * The options of a filter of a report as a caller who may List the report sees them; the filters
 * beside it are the caller's to give.
 * @throws invalid for an unknown filter.
 */
export async function loadFilterOptions(
  { reader, caller, model, context }: OptionParts,
  report: Report,
  request: FieldDataSetRequest,
): Promise<OptionEntry[]> {
  const { name, filters } = report
  const fieldByName = new Map(filters.map((filter) => [filter.name.toLowerCase(), filter]))
  const field = fieldByName.get(request.FieldName.toLowerCase())
  if (!field) throw unknownField(request.FieldName)
  const query = readQuery(request)
  const options = { allCompanies: request.AllCompanies ?? false }
  const grant = Grant.find(caller, model, name, 'List', options)
  const isStatic = field.options.length > 0 && !field.dataSet && !field.lookup
  if (!grant) return isStatic && !request.Default ? pickOptions(field, query, caller) : []
  const scope = { reader, view: { name, fieldByName }, grant, context }
  const present = { ...scope, mayGive: () => true, parents: undefined, stored: new Map() }
  const { values: parameters } = await takePresent(present, readParameters(request.Parameters))
  const requested = { ...scope, field, parameters }
  if (isDefaultRequested(field, request)) return loadDefaultOption(requested)
  const rows = findRows(requested)
  return rows ? loadOptions(reader, rows, query) : pickOptions(field, query, caller)
}

const unknownField = (name: string) =>
  invalid(say`Unknown field '${name.slice(0, 80)}'`, { code: 'UNKNOWN_FIELD' })

/** A DataSet and a reference have rows of their own; elsewhere a dependent default is all. */
function isDefaultRequested(field: FieldFeatures, request: FieldDataSetRequest): boolean {
  if (request.Default) return true
  const hasRows = field.dataSet !== undefined || field.lookup !== undefined
  return !hasRows && field.references === undefined && field.default?.kind === 'query'
}

/** A form, one of its actions, or a step of a wizard. */
interface Form {
  view: View
  action: Asked | undefined
}

/** An action or step that asks for parameters, with the right to give them. */
interface Asked extends AskedParameters, Pick<RowAction, 'capability'> {
  /** Lower-case names of the parameters whose options may be asked for, if not all. */
  own?: ReadonlySet<string>
}

/** Undefined for a form. The fields of a step may depend on those of other steps. */
function findAsked(view: View, { ActionName, StepName }: FieldDataSetRequest): Asked | undefined {
  if (ActionName) return requireRowAction(view, ActionName)
  if (!StepName || !view.wizard) return undefined
  const key = StepName.toLowerCase()
  const step = view.wizard.steps.find(({ name }) => name.toLowerCase() === key)
  const fields = new Set([...listBoundFields(view.wizard), ...(step?.fields ?? [])])
  const own = new Set(step?.fields.map(({ name }) => name.toLowerCase()))
  const mayGive = (grant: Grant, { name }: FieldFeatures): boolean => {
    const field = [...fields].find((each) => each.name === name)
    return field !== undefined && mayGiveStep(grant, field)
  }
  return { parameters: [...fields], capability: 'Create', own, mayGive }
}

/** The gate of an action is that of running it. */
function findGrant(
  caller: Caller,
  model: Model,
  { view, action }: Form,
  allCompanies: boolean,
): Grant | undefined {
  const { resource } = view
  if (action) {
    const right = action.capability ?? 'Update'
    return Grant.findCapability(caller, model, resource, right, { allCompanies })
  }
  for (const verb of VERBS_OF_FORMS) {
    const grant = Grant.find(caller, model, resource, verb, { allCompanies })
    if (grant) return grant
  }
  return undefined
}

/** A field of the form, a list of keys, or a parameter of one of its actions. */
function requireOptionField(
  { view, action }: Form,
  grant: Grant | undefined,
  name: string,
): FieldFeatures {
  const key = name.toLowerCase()
  const isNamed = (each: { name: string }) => each.name.toLowerCase() === key
  const isHidden = grant !== undefined && isStepHidden(grant, key)
  const isAsked = action?.own ? action.own.has(key) && !isHidden : true
  const parameter = isAsked ? action?.parameters.find(isNamed) : undefined
  const field = action ? undefined : (view.fieldByName.get(key) ?? view.linked.find(isNamed))
  const isThere = field && isOnSurface(view, field) && (!grant || isSeen(grant, field))
  const found = isThere ? field : parameter
  if (!found) throw unknownField(name)
  return found
}

function readQuery({ Page, PageSize, SearchText }: FieldDataSetRequest): OptionQuery {
  const page = Page ?? 1
  const size = PageSize ?? PAGE_SIZE_DEFAULT
  if (page < 1) throw invalid(say`Page must be 1 or more`)
  if (size < 1 || size > PAGE_SIZE_MAX)
    throw invalid(say`PageSize must be between 1 and ${PAGE_SIZE_MAX}`)
  if (page * size > Number.MAX_SAFE_INTEGER) throw invalid(say`Page is too large`)
  const searchText = requireSearchText(SearchText)
  return {
    searchText,
    skip: (page - 1) * size,
    size,
    isFirst: page === 1 && searchText === undefined,
  }
}

/** Finds the rows that options come from; undefined for options that the model lists. */
function findRows(requested: FieldAccess): OptionRows | undefined {
  const { field, grant } = requested
  if (field.dataSet) return planDataSet(requested, field.dataSet)
  if (!field.lookup && field.references === undefined) return undefined
  const [lookup] = listLookups(field, grant)
  if (lookup) return planLookupRows(requested, lookup)
  return field.references === 'User' && !field.lookup ? planUsers(requested) : undefined
}

/** The model's own options, an exact match alone. */
function pickOptions(
  field: FieldFeatures,
  { searchText, skip, size }: OptionQuery,
  { language }: Caller,
): OptionEntry[] {
  const all = field.options.map(({ value, label }) => ({
    Value: value,
    Label: renderMessage(label, language),
  }))
  if (searchText === undefined) return all.slice(skip, skip + size)
  const wanted = searchText.normalize('NFC')
  const exact = all.filter(({ Value, Label }) =>
    [Value, Label].some((text) => isSameText(text, wanted)),
  )
  if (exact.length === 1) return skip === 0 ? exact : []
  const found = all.filter(({ Value, Label }) =>
    [Value, Label].some((text) => matchesText(text, wanted, 'contains')),
  )
  return found.slice(skip, skip + size)
}

/** The default that the record's present values give, as one entry; none where it gives none. */
async function loadDefaultOption(requested: FieldAccess): Promise<OptionEntry[]> {
  const { field, grant } = requested
  const value = await loadDefault(field, requested)
  if (value === null) return []
  const wire = toWire(field, value)
  const text = typeof wire === 'object' ? JSON.stringify(wire) : String(wire)
  const option = field.options.find((each) => each.value === text)
  const label = option && renderMessage(option.label, grant.caller.language)
  return [{ Value: text, Label: label ?? (await findPick(requested, value)) ?? text }]
}

/** A field of a view, requested with the request's own Parameters: they hold the record's key. */
type RequestedOption = Omit<FieldAccess, 'view'> & { view: View }

/**
 * The entry of the value that Parameters hold, else of the stored record's, unless it is on the
 * page already. A value that is not an option is labelled only if a record that the caller may
 * see has it, so that no label of a hidden record can be found by its key.
 */
async function loadStoredOption(
  requested: RequestedOption,
  rows: OptionRows | undefined,
  options: readonly OptionEntry[],
): Promise<OptionEntry | undefined> {
  const own = requested.view.fieldByName.get(requested.field.name.toLowerCase())
  const stored = own && (await loadStored(requested, own))
  const wanted = readGiven(requested) ?? stored?.Value
  if (wanted === undefined || wanted === '') return undefined
  if (options.some(({ Value }) => Value === wanted)) return undefined
  const option = rows && (await findOption(requested.reader, rows, wanted))
  return option ?? (stored?.Value === wanted ? stored : undefined)
}

function readGiven({ field, parameters }: RequestedOption): string | undefined {
  const given = parameters.get(field.name.toLowerCase())
  if (given === undefined || given === null || Array.isArray(given)) return undefined
  const parsed = parseValue(field, given)
  if (parsed.fault !== undefined || parsed.value === null) return undefined
  return String(toWire(field, parsed.value))
}

/** The field of the record that Parameters name, through the caller's rows. */
async function loadStored(
  requested: RequestedOption,
  own: Field,
): Promise<OptionEntry | undefined> {
  const { reader, view, grant, context, parameters } = requested
  const isAsked = view.keys.length > 0 && namesRecord(view, parameters)
  if (requested.field !== own || !isAsked || !grant.reads || !isServed(view, grant, own)) {
    return undefined
  }
  const source = findSource(view, grant, 'read')
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters })
  const keys = view.keys.map((key) => {
    const value = parseParameter(key.name, view, parameters.get(key.name.toLowerCase()))
    return `${quote(key.name)} = ${bindings.add(value)}`
  })
  const value = toText(projectField(own, view, grant))
  const label = findLabel(view, own)
  const shown = label ? composeValue(label, grant) : value
  const entry = `json_object('Value',coalesce(${value},''),'Label',coalesce(${shown},${value},''))`
  const sql = composeOver(
    source,
    (form) => `${form.with}SELECT ${entry} FROM ${form.from} ${form.where([], keys)} LIMIT 1`,
  )
  const { runs, of } = source
  const found = await reader.text({ ...sql, args: bindings.args(), runs, of })
  return found === '' ? undefined : (JSON.parse(found) as OptionEntry)
}
