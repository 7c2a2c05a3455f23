/** Roles: grants, row filters and field rules, checked against their resources. */
import { findChild, listChildren, listGrouped, placeOf, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { CONTEXT_ONLY } from './parameters.ts'
import { listRoles } from './rbac.ts'
import { compileCondition, findMisfit, type SqlSource, textSource } from './sql.ts'
import type { FieldRule, Role, RoleGrant, RowFilter, Verb } from '../compiled/role.ts'
import type { Script } from '../compiled/script.ts'
import { type View, VIEW_TYPES } from '../compiled/view.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'
import { ASSIGNABLE_BY_DEFAULT } from '../rbac/facts.ts'
import { describeSqlRight } from '../rbac/sql-rights.ts'

/** Resources of the engine itself. */
export const ENGINE_RESOURCES: readonly string[] = [
  'ReportDefinitions',
  'WorkflowDefinitions',
  'Notifications',
  'SharedViews',
]

/** Resources by name, each with the views or the report behind it. */
interface Resources {
  views: ReadonlyMap<string, readonly View[]>
  reports: ReadonlyMap<string, Script>
  names: ReadonlySet<string>
  known: KnownRights
}

/** Parts that another model with the same views has compiled already. */
export interface KnownRights {
  /** Grants by their elements, which both models share. */
  grants: ReadonlyMap<Element, RoleGrant>
  filters: ReadonlyMap<Element, RowFilter>
  rules: ReadonlyMap<Element, FieldRule>
  /** Row filters that passed the gate, by `keyOfRowFilter`. */
  gated: () => ReadonlyMap<string, RowFilter>
}

const NOTHING_KNOWN: KnownRights = {
  grants: new Map(),
  filters: new Map(),
  rules: new Map(),
  gated: () => new Map(),
}

/** Returns the key of a RowFilter: the attributes that the gate goes by. */
export const keyOfRowFilter = (element: Element): string =>
  JSON.stringify([readText(element, 'Resource'), readText(element, 'DataSet'), element.text])

/** Compiles every declared role, in the model's order; keeps `known` parts. Needs every view. */
export function compileRoles(c: Compilation, known = NOTHING_KNOWN): Map<string, Role> {
  const resources = { ...listResources(c), known }
  const roles = new Map<string, Role>()
  for (const element of listRoles(c)) {
    const name = readText(element, 'Name') ?? ''
    roles.set(name, {
      name,
      label: c.labelOf(element, toWords(name)),
      assignableBy: readAssigners(element),
      grants: listChildren(element, 'Grant').map(
        (child) => known.grants.get(child) ?? compileGrant(c, child, resources, name),
      ),
      rowFilters: listChildren(element, 'RowFilter').map(
        (child) => known.filters.get(child) ?? compileRowFilter(c, child, resources),
      ),
      fieldRules: listChildren(element, 'FieldRule').map(
        (child) => known.rules.get(child) ?? compileFieldRule(c, child, resources),
      ),
    })
  }
  return roles
}

/** Reads the roles that may hand a role out without holding it. */
function readAssigners(role: Element): string[] {
  const words = readWords(role, 'AssignableBy')
  if (words.length === 0) return [...ASSIGNABLE_BY_DEFAULT]
  return [...new Set(words.filter((word) => word !== 'None'))]
}

function listResources(c: Compilation): Omit<Resources, 'known'> {
  const views = new Map<string, View[]>()
  for (const view of c.views.values()) {
    const bearers = views.get(view.resource)
    if (bearers) bearers.push(view)
    else views.set(view.resource, [view])
  }
  const reports = new Map(c.scriptsOf('Report').map((script) => [script.name, script]))
  const procedures = c.scriptsOf('StoredProcedure').map(resourceOf)
  const declared = c.scriptsOf('ObjectView').map(resourceOf)
  const known = [...ENGINE_RESOURCES, ...declared, ...reports.keys(), ...procedures]
  const names = new Set([...known, ...c.faulty.resources])
  return { views, reports, names }
}

function resourceOf(script: Script): string {
  return readText(script.element, 'Resource') ?? script.name
}

/** Reads the Resource of an element; warns when nothing in the model has it. */
function readResource(c: Compilation, element: Element, resources: Resources): string {
  const name = readText(element, 'Resource') ?? ''
  if (resources.names.has(name)) return name
  const nearest = suggest(name, resources.names)
  const message = `Nothing uses the resource ${name} yet${nearest}`
  c.faults.warn(placeOf(element, 'Resource'), message, { resource: name })
  return name
}

function compileGrant(
  c: Compilation,
  element: Element,
  resources: Resources,
  role: string,
): RoleGrant {
  const resource = readResource(c, element, resources)
  const capabilities = readWords(element, 'Capabilities').map((capability) =>
    c.requireCapability(capability, element),
  )
  const verbs = readWords(element, 'Verbs') as Verb[]
  if (verbs.length === 0 && capabilities.length === 0) {
    c.faults.add(element.place, 'A Grant needs Verbs or Capabilities')
  }
  warnOfSql(c, element, { role, resource, verbs })
  return { resource, verbs: new Set(verbs), capabilities: new Set(capabilities) }
}

/** The roles that may do all of that anyway. */
const ABOVE = new Set(['System', 'Admin'])

/** Warns where a role below Admin may write SQL of its own. */
function warnOfSql(
  c: Compilation,
  element: Element,
  { role, resource, verbs }: { role: string; resource: string; verbs: readonly Verb[] },
): void {
  if (ABOVE.has(role)) return
  for (const verb of verbs) {
    const meaning = describeSqlRight(resource, verb)
    if (meaning)
      c.faults.warn(placeOf(element, 'Resource'), `${role} on ${resource}: ${meaning.render()}`)
  }
}

/**
 * A row filter fits every view of its resource, and the datasets of its report that it can; the
 * others fail closed. Where nothing of the model bears the resource, nothing was there to hold it
 * against: it then lets no row through.
 */
function compileRowFilter(c: Compilation, element: Element, resources: Resources): RowFilter {
  const resource = readResource(c, element, resources)
  const source = textSource(c, element)
  const report = resources.reports.get(resource)
  checkDataSet(c, element, resource, report)
  const words = readWords(element, 'Verbs') as Verb[]
  const verbs = words.length > 0 ? new Set(words) : undefined
  const known = resources.known.gated().get(keyOfRowFilter(element))
  if (known) {
    const condition = { ...known.condition, place: source.place }
    return { ...known, verbs, condition }
  }
  const views = (resources.views.get(resource) ?? []).filter(
    (view) => !VIEW_TYPES[view.viewType].hasSteps,
  )
  const { fitting, misfits } = splitDataSets(c, element, source, report)
  const queries = [...views.map((view) => view.query.text), ...fitting]
  const conditions = queries.flatMap(
    (query) => compileCondition(c, source, query, CONTEXT_ONLY) ?? [],
  )
  const reads = new Set(conditions.flatMap((condition) => condition.reads))
  return {
    resource,
    verbs,
    dataSet: readText(element, 'DataSet'),
    misfits,
    condition: conditions[0]
      ? { ...conditions[0], reads: [...reads] }
      : { text: '0', place: element.place, parameters: [], reads: [], mayRunInline: true },
  }
}

/** The queries of a report's datasets that a row filter fits; a warning for each other. */
function splitDataSets(
  c: Compilation,
  element: Element,
  source: SqlSource,
  report: Script | undefined,
): { fitting: string[]; misfits: string[] } {
  const only = readText(element, 'DataSet')
  const dataSets = report ? listGrouped(report.element, 'DataSets', 'DataSet') : []
  const split = { fitting: [] as string[], misfits: [] as string[] }
  for (const dataSet of dataSets) {
    const name = readText(dataSet, 'Name') ?? ''
    const query = findChild(dataSet, 'Sql')
    if (!query || (only !== undefined && only !== name)) continue
    const misfit = findMisfit(c, source, query.text)
    if (misfit === undefined) {
      split.fitting.push(query.text)
      continue
    }
    split.misfits.push(name)
    c.faults.warn(element.place, `The DataSet ${name} stays empty for this role: ${misfit}`)
  }
  return split
}

function checkDataSet(
  c: Compilation,
  element: Element,
  resource: string,
  report: Script | undefined,
): void {
  const name = readText(element, 'DataSet')
  if (name === undefined) return
  const dataSets = report ? listGrouped(report.element, 'DataSets', 'DataSet') : []
  const names = dataSets.map((dataSet) => readText(dataSet, 'Name') ?? '')
  if (names.includes(name)) return
  const message = report ? `${resource} has no DataSet ${name}` : `${resource} is not a Report`
  c.faults.add(placeOf(element, 'DataSet'), `DataSet: ${message}${suggest(name, names)}`)
}

function compileFieldRule(c: Compilation, element: Element, resources: Resources): FieldRule {
  const resource = readResource(c, element, resources)
  const field = readText(element, 'Field') ?? ''
  const access = readText(element, 'Access') === 'ReadOnly' ? 'ReadOnly' : 'Hidden'
  const views = resources.views.get(resource) ?? []
  if (views.length === 0 && resources.reports.has(resource)) {
    const message = `${resource} is a report without fields: leave the column out of its DataSet`
    c.faults.add(placeOf(element, 'Resource'), message)
  }
  const key = field.toLowerCase()
  const findIn = (view: View) => listNamed(view).find((each) => each.name.toLowerCase() === key)
  const bearers = views.filter((view) => findIn(view) ?? view.fieldByName.get(key))
  if (views.length > 0 && bearers.length === 0 && !c.isBrokenResource(resource)) {
    const names = views.flatMap((view) => listNamed(view).map((each) => each.name))
    const message = `${resource} has no field ${field}${suggest(field, names)}`
    c.faults.add(placeOf(element, 'Field'), `Field: ${message}`)
  }
  const isKey = bearers.some((view) => view.keys.some((each) => each.name.toLowerCase() === key))
  if (isKey && access === 'Hidden') {
    const message = `${field} is the key: a record without it could not be opened`
    c.faults.add(placeOf(element, 'Field'), message)
  }
  const [bearer] = bearers
  const name = (bearer && (findIn(bearer) ?? bearer.fieldByName.get(key)))?.name ?? field
  return { resource, field: name, access }
}

/** Lists the fields that a rule may name: those of a view, or of the steps of a wizard. */
const listNamed = ({ listed, wizard }: View): readonly { name: string }[] =>
  wizard ? wizard.steps.flatMap(({ fields }) => fields) : listed
