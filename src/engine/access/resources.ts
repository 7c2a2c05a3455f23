/** Resources that rights are granted on: those of the model and of the engine, and its roles. */
import { ENGINE_RESOURCES } from '../../model/compile/roles.ts'
import { DOCUMENT_VERBS, type RoleGrant, VERBS } from '../../model/compiled/role.ts'
import type { Script } from '../../model/compiled/script.ts'
import type { View } from '../../model/compiled/view.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import { toWords } from '../../model/names.ts'
import { BUILT_IN_ROLES } from '../../access/users/users.ts'
import type { ResourceKind } from './board-schema.ts'

export interface BoardResource {
  id: string
  kind: ResourceKind
  label: ModelText
  /** Verbs and capabilities that mean something here, verbs first. */
  rights: readonly string[]
}

/** The verb of a membership; its resource is `Role:<Name>`. */
export const MEMBER = 'Member'

const VERB_NAMES: readonly string[] = VERBS
const ENGINE_RIGHTS: Readonly<Record<string, readonly string[]>> = { Notifications: ['Send'] }
const KINDS: readonly ResourceKind[] = ['View', 'Report', 'Procedure', 'Engine', 'Other', 'Role']

type Found = Map<string, { kind: ResourceKind; label: ModelText; rights: Set<string> }>

const resourcesOf = new WeakMap<Model, readonly BoardResource[]>()

/** Resources by the views of a model: a change of rights alone leaves them as they are. */
const bearersOf = new WeakMap<Model['views'], ReadonlyMap<string, BoardResource>>()

/** Every resource, by kind and name; a resource that roles grant but nothing bears is `Other`. */
export function listBoardResources(model: Model): readonly BoardResource[] {
  let resources = resourcesOf.get(model)
  if (!resources) resourcesOf.set(model, (resources = planResources(model)))
  return resources
}

function planResources(model: Model): BoardResource[] {
  let bearers = bearersOf.get(model.views)
  if (!bearers) bearersOf.set(model.views, (bearers = planBearers(model)))
  const found = new Map(bearers)
  for (const { grants } of model.roles.values())
    for (const grant of grants) {
      const known = found.get(grant.resource)
      if (!known || !holdsAll(known, grant)) found.set(grant.resource, withGrant(known, grant))
    }
  const roles = listBoardRoles(model).map(({ name, label }) => ({
    id: `Role:${name}`,
    kind: 'Role' as const,
    label,
    rights: [MEMBER],
  }))
  return [...[...found.values()].sort(compare), ...roles]
}

const holdsAll = ({ rights }: BoardResource, { verbs, capabilities }: RoleGrant): boolean =>
  [...verbs, ...capabilities].every((right) => rights.includes(right))

/** The resource with the rights that a grant adds to it. */
const withGrant = (
  known: BoardResource | undefined,
  { resource, verbs, capabilities }: RoleGrant,
): BoardResource => ({
  id: resource,
  kind: known?.kind ?? 'Other',
  label: known?.label ?? toWords(resource),
  rights: sortRights(new Set([...(known?.rights ?? []), ...verbs, ...capabilities])),
})

/** Lists the resources by name, in the order of the board. */
function planBearers(model: Model): Map<string, BoardResource> {
  const found: Found = new Map()
  for (const view of model.views.values())
    add(found, view.resource, 'View', view.label, [...VERBS, ...capabilitiesOf(view)])
  for (const script of model.scripts) addScript(found, script, model)
  for (const name of ENGINE_RESOURCES)
    add(found, name, 'Engine', toWords(name), ENGINE_RIGHTS[name] ?? DOCUMENT_VERBS)
  const bearers = [...found].map(([id, { kind, label, rights }]) => ({
    id,
    kind,
    label,
    rights: sortRights(rights),
  }))
  return new Map(bearers.sort(compare).map((bearer) => [bearer.id, bearer]))
}

function add(
  found: Found,
  id: string,
  kind: ResourceKind,
  label: ModelText,
  rights: Iterable<string>,
): void {
  const known = found.get(id)
  if (!known) found.set(id, { kind, label, rights: new Set(rights) })
  else for (const right of rights) known.rights.add(right)
}

function addScript(found: Found, { type, name, element }: Script, model: Model): void {
  const report = type === 'Report' ? model.reports.get(name) : undefined
  if (report !== undefined) add(found, name, 'Report', report.label, ['View', 'List', 'Export'])
  const procedure = type === 'StoredProcedure' && model.procedures.get(name.toLowerCase())
  if (procedure) add(found, procedure.resource, 'Procedure', procedure.label, ['Execute'])
  const object = type === 'Workflow' ? (element.attributes.Object ?? '') : undefined
  const view = object === undefined ? undefined : model.viewByKey.get(object.toLowerCase())
  if (!view) return
  const transitions = element.children.flatMap((child) => [child, ...child.children])
  const capabilities = transitions.flatMap(({ attributes }) => attributes.Capability ?? [])
  add(found, view.resource, 'View', view.label, capabilities)
}

const capabilitiesOf = (view: View): string[] => [
  ...view.rowActions.flatMap(({ capability }) => capability ?? []),
  ...view.permits.map(({ capability }) => capability),
]

function sortRights(rights: ReadonlySet<string>): string[] {
  const capabilities = [...rights].filter((right) => !VERB_NAMES.includes(right)).sort()
  return [...VERB_NAMES.filter((verb) => rights.has(verb)), ...capabilities]
}

const compare = (a: BoardResource, b: BoardResource): number =>
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.id < b.id ? -1 : 1)

/** A role of the board: the built-in ones first, then those of the model. */
export interface BoardRole {
  name: string
  label: ModelText
  isBuiltIn: boolean
}

/** The roles of the board. */
export function listBoardRoles(model: Model): BoardRole[] {
  const builtIn: readonly string[] = BUILT_IN_ROLES
  const names = new Set([...builtIn, ...model.roles.keys()])
  return [...names].map((name) => ({
    name,
    label: model.roles.get(name)?.label ?? toWords(name),
    isBuiltIn: builtIn.includes(name),
  }))
}
