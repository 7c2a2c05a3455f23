/**
 * Compiles rights alone: they change often, and the rest of a model does not change with them.
 * Views, tables and SQL are those of the model that serves.
 */
import { listChildren, readText } from '../../compile/attributes.ts'
import { Compilation } from '../../compile/compilation.ts'
import { hashScripts } from '../../compile/compile.ts'
import { declareRbac, listRoles } from '../../compile/rbac.ts'
import { compileRoles, keyOfRowFilter, type KnownRights } from '../../compile/roles.ts'
import type { FieldRule, Role, RoleGrant, RowFilter } from '../../compiled/role.ts'
import type { Script } from '../../compiled/script.ts'
import { listRecordScripts } from '../../deploy/document-versions.ts'
import type { ModelText } from '../../model-text.ts'
import type { Model } from '../../model.ts'
import type { Diagnostic, Element } from '../../parse/element.ts'

/** Roles by their names, in the order of the model. */
export type Roles = ReadonlyMap<string, Role>

/**
 * The roles of other Rbac scripts over the views of `model`. Undefined where that is not all that
 * differs (capabilities, attributes, roles and their labels are named elsewhere, a row filter has
 * to pass the gate), and where there is a fault: then the whole model is compiled.
 */
export function compileRights(
  model: Model,
  scripts: readonly Script[],
): { roles: Roles; warnings: Diagnostic[] } | undefined {
  const c = new Compilation(scripts)
  declareRbac(c)
  const isDeclaredSame =
    isSame(c.capabilities, model.capabilities) && isSame(c.attributes, model.attributes)
  if (!isDeclaredSame || c.renamed.size > 0) return undefined
  const known = listKnown(model)
  const filters = listRoles(c).flatMap((role) => listChildren(role, 'RowFilter'))
  const isGated = (filter: Element): boolean =>
    known.filters.has(filter) || known.gated().has(keyOfRowFilter(filter))
  if (!filters.every(isGated)) return undefined
  for (const [name, view] of model.views) c.views.set(name, view)
  const roles = compileRoles(c, known)
  const isNamedSame = isSame(listLabels(roles), listLabels(model.roles))
  if (!isNamedSame || c.faults.faults().length > 0) return undefined
  return { roles: withLabels(roles, model), warnings: c.faults.warnings() }
}

type Texts = ReadonlyMap<string, ModelText>

const isSame = (one: Texts, other: Texts): boolean =>
  one.size === other.size &&
  [...one].every(([key, text]) => String(other.get(key)) === String(text))

const listLabels = (roles: Roles): Map<string, ModelText> =>
  new Map([...roles].map(([name, { label }]) => [name, label]))

/** Roles with the labels that a model has for them, in all of its languages. */
function withLabels(roles: Roles, model: Model): Roles {
  const labelled = [...roles].map(([name, role]): [string, Role] => {
    return [name, { ...role, label: model.roles.get(name)?.label ?? role.label }]
  })
  return new Map(labelled)
}

/** Collects the elements that the roles of a model were compiled from. */
function listKnown({ scripts, roles }: Model): KnownRights {
  const c = new Compilation(scripts.filter(({ type }) => type === 'Rbac'))
  const grants = new Map<Element, RoleGrant>()
  const filters = new Map<Element, RowFilter>()
  const rules = new Map<Element, FieldRule>()
  for (const element of listRoles(c)) {
    const role = roles.get(readText(element, 'Name') ?? '')
    note(grants, listChildren(element, 'Grant'), role?.grants)
    note(filters, listChildren(element, 'RowFilter'), role?.rowFilters)
    note(rules, listChildren(element, 'FieldRule'), role?.fieldRules)
  }
  let gated: ReadonlyMap<string, RowFilter> | undefined
  const byText = () =>
    new Map([...filters].map(([element, filter]) => [keyOfRowFilter(element), filter]))
  return { grants, filters, rules, gated: () => (gated ??= byText()) }
}

function note<T>(
  known: Map<Element, T>,
  elements: readonly Element[],
  compiled: readonly T[] = [],
): void {
  for (const [at, element] of elements.entries()) {
    const own = compiled[at]
    if (own !== undefined) known.set(element, own)
  }
}

/** The members that a model with other rights has of its own. */
interface ServedRights extends Pick<Model, 'hash' | 'recordHash'> {
  roles: Roles
  /** Loads the scripts when they are needed. */
  scripts: () => readonly Script[]
}

/** Returns the served rights of a model whose scripts are at hand. */
export const toRights = (roles: Roles, scripts: readonly Script[]): ServedRights => ({
  roles,
  scripts: () => scripts,
  hash: hashScripts(scripts),
  recordHash: hashScripts(listRecordScripts(scripts)),
})

/**
 * Returns the model with the roles of other Rbac scripts. Parts that a model snapshot reads on
 * demand stay so.
 */
export function withRights(
  model: Model,
  { roles, scripts, hash, recordHash }: ServedRights,
): Model {
  let read: readonly Script[] | undefined
  const own: Pick<Model, 'roles' | 'hash' | 'recordHash' | 'scripts'> = {
    roles,
    hash,
    recordHash,
    get scripts() {
      return (read ??= scripts())
    },
  }
  const properties = {
    ...Object.getOwnPropertyDescriptors(model),
    ...Object.getOwnPropertyDescriptors(own),
  }
  return Object.freeze(Object.defineProperties({}, properties)) as Model
}
