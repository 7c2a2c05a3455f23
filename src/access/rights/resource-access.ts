/**
 * Resource access: the rights of a set of roles on one resource, that is, grants added up, row
 * filters and field rules per verb.
 */
import type { AuthoredCondition } from '../../model/compiled/authored-sql.ts'
import { type Role, type RowFilter, type Verb, VERBS } from '../../model/compiled/role.ts'
import type { Model } from '../../model/model.ts'
import { type Caller, SYSTEM_ROLE } from '../callers/caller.ts'

/**
 * Rows that a right reaches: OR over the roles of AND over a role's filters; undefined: every row.
 */
export type RowFilters = readonly (readonly AuthoredCondition[])[] | undefined

/** Filters that do not let every row through. */
export type RowCondition = NonNullable<RowFilters>

export interface ResourceAccess {
  readonly verbs: ReadonlySet<Verb>
  readonly capabilities: ReadonlySet<string>
  /** Row filters by verb or capability; one that is not granted is absent. */
  readonly filters: ReadonlyMap<string, RowFilters>
  /** Lower-case field names. */
  readonly hidden: ReadonlySet<string>
  readonly readOnly: ReadonlySet<string>
  /**
   * Fields that some of the rows hide: by lower-case name, the rows that show them. Empty, at no
   * cost, where the roles agree.
   */
  readonly masked: ReadonlyMap<string, RowCondition>
  /** Fields that may not be written on every row, by verb: the rows on which they may. */
  readonly guarded: Readonly<Record<'Create' | 'Update', ReadonlyMap<string, RowCondition>>>
  /** Equal signatures mean equal access: plans are cached under it. */
  readonly signature: string
}

const cache = new WeakMap<Model, Map<string, ResourceAccess>>()

/** Access of a caller's roles on a resource; computed once for each model and set of roles. */
export function findAccess(model: Model, caller: Caller, resource: string): ResourceAccess {
  let known = cache.get(model)
  if (!known) cache.set(model, (known = new Map()))
  const key = `${resource}\n${caller.roles.join('\n')}`
  let access = known.get(key)
  if (!access) known.set(key, (access = planAccess(model, caller.roles, resource, key)))
  return access
}

/** Grants add up over roles; System passes every gate (src/model/README.md, Rbac). */
export function planAccess(
  model: Model,
  roleNames: readonly string[],
  resource: string,
  signature: string,
): ResourceAccess {
  if (roleNames.includes(SYSTEM_ROLE)) return systemAccess(model, signature)
  const roles = roleNames.flatMap((name) => model.roles.get(name) ?? [])
  return addUp(roles, resource, signature)
}

/** Adds up the grants, filters and field rules of roles on a resource. */
export function addUp(all: readonly Role[], resource: string, signature: string): ResourceAccess {
  const roles = all.filter((role) => role.grants.some((grant) => grant.resource === resource))
  const verbs = new Set<Verb>()
  const capabilities = new Set<string>()
  for (const role of roles) {
    for (const grant of role.grants) {
      if (grant.resource !== resource) continue
      for (const verb of grant.verbs) verbs.add(verb)
      for (const capability of grant.capabilities) capabilities.add(capability)
    }
  }
  const filters = new Map<string, RowFilters>()
  for (const right of [...capabilities, ...verbs])
    filters.set(right, planRowFilters(roles, resource, right))
  return { verbs, capabilities, filters, ...planFieldRules(roles, resource), signature }
}

/** Returns true when a role grants a verb or capability on a resource. */
const grants = (role: Role, resource: string, right: string): boolean =>
  role.grants.some(
    (grant) =>
      grant.resource === resource &&
      (grant.verbs.has(right as Verb) || grant.capabilities.has(right)),
  )

/** Returns true when a filter narrows a right: a capability reaches what its role may read. */
export function narrows({ verbs }: Pick<RowFilter, 'verbs'>, right: string): boolean {
  if (verbs === undefined) return true
  const isVerb = VERBS.some((verb) => verb === right)
  return (isVerb ? [right as Verb] : READING).some((verb) => verbs.has(verb))
}

/**
 * Rows that a verb or capability reaches. A granting role without a filter shows all; otherwise any
 * granting role's filters let a row through. Of a report's dataset: with filters that name it. A
 * further right is one whose filters hold too.
 */
export function planRowFilters(
  roles: readonly Role[],
  resource: string,
  right: string,
  { dataSet, further = right }: { dataSet?: string | undefined; further?: string } = {},
): RowFilters {
  const alternatives: AuthoredCondition[][] = []
  for (const role of roles) {
    if (!grants(role, resource, right)) continue
    const own = role.rowFilters.filter(
      (f) =>
        f.resource === resource &&
        (f.dataSet === undefined || f.dataSet === dataSet) &&
        (narrows(f, right) || narrows(f, further)),
    )
    if (own.length === 0) return undefined
    alternatives.push(own.map((f) => f.condition))
  }
  return alternatives
}

const ofFiles = new WeakMap<ResourceAccess, ResourceAccess>()

/**
 * Returns the same access for rows that leave as a file: of the rows that the caller reads, those
 * that Export reaches. A caller without any Export takes single records by their View; then each
 * role that shows a row says which of its rows may leave.
 */
export function findFileAccess(model: Model, caller: Caller, resource: string): ResourceAccess {
  const access = findAccess(model, caller, resource)
  return ofFiles.getOrInsertComputed(access, () => planFileAccess(model, caller, resource, access))
}

function planFileAccess(
  model: Model,
  caller: Caller,
  resource: string,
  access: ResourceAccess,
): ResourceAccess {
  if (caller.isSystem) return access
  const roles = caller.roles.flatMap((name) => model.roles.get(name) ?? [])
  const filters = new Map(access.filters)
  for (const verb of READING) {
    if (!access.verbs.has(verb)) continue
    const rows = access.verbs.has('Export')
      ? intersect(access.filters.get(verb), access.filters.get('Export'))
      : planRowFilters(roles, resource, verb, { further: 'Export' })
    filters.set(verb, rows)
  }
  // Equal filters share their plans.
  const isSame = READING.every((verb) => isEqual(filters.get(verb), access.filters.get(verb)))
  return isSame ? access : { ...access, filters, signature: `${access.signature}\nfile` }
}

const isEqual = (one: RowFilters, other: RowFilters): boolean =>
  one === other ||
  (one?.length === other?.length &&
    one?.every((role, at) => Bun.deepEquals(role, other?.[at])) === true)

/** The rows that both let through. */
export function intersect(one: RowFilters, other: RowFilters): RowFilters {
  if (!one || !other) return one ?? other
  const all = one.flatMap((role) => other.map((each) => [...new Set([...role, ...each])]))
  const isWithin = (inner: RowCondition[number], outer: RowCondition[number]): boolean =>
    inner.length < outer.length && inner.every((condition) => outer.includes(condition))
  // An alternative that asks for more than another adds no row.
  return all.filter((role) => !all.some((each) => isWithin(each, role)))
}

/** Verbs that let a caller see rows. */
export const READING: readonly Verb[] = ['List', 'View']
/** Verbs that let a caller set fields. */
export const WRITING: readonly Verb[] = ['Create', 'Update']

type FieldRules = Pick<ResourceAccess, 'hidden' | 'readOnly' | 'masked' | 'guarded'>

/**
 * Plans field rules. A rule holds where every role that reaches the row has it: access adds up,
 * field by field and row by row. A role cannot lift what it does not grant: only roles that read
 * count for what is hidden, only roles that write for what is read-only.
 */
function planFieldRules(roles: readonly Role[], resource: string): FieldRules {
  const hidden = new Set<string>()
  const readOnly = new Set<string>()
  const masked = new Map<string, RowCondition>()
  const guarded = {
    Create: new Map<string, RowCondition>(),
    Update: new Map<string, RowCondition>(),
  }
  const fields = new Set(
    roles.flatMap((role) =>
      role.fieldRules.filter((r) => r.resource === resource).map((r) => r.field.toLowerCase()),
    ),
  )
  const readers = granting(roles, resource, READING)
  const writers = granting(roles, resource, WRITING)
  const reading = roles.some((role) => grants(role, resource, 'List')) ? 'List' : 'View'
  for (const field of fields) {
    const level = (role: Role) => fieldLevel(role, resource, field)
    if (readers.every((role) => level(role) === 'Hidden')) {
      hidden.add(field)
      continue
    }
    const shown = planLiftedRows(readers, resource, reading, (role) => level(role) !== 'Hidden')
    if (shown) masked.set(field, shown)
    if (writers.every((role) => level(role) !== 'Full')) {
      readOnly.add(field)
      continue
    }
    for (const verb of ['Create', 'Update'] as const) {
      const open = planLiftedRows(writers, resource, verb, (role) => level(role) === 'Full')
      if (open) guarded[verb].set(field, open)
    }
  }
  return { hidden, readOnly, masked, guarded }
}

/**
 * Plans the rows, of all that a verb reaches, that one of the lifting roles reaches; undefined
 * where that is every one of them.
 */
function planLiftedRows(
  roles: readonly Role[],
  resource: string,
  verb: Verb,
  lifts: (role: Role) => boolean,
): RowFilters {
  const own = (role: Role): readonly AuthoredCondition[] => {
    // A role that grants the other reading verb reaches the rows of that one.
    const right = verb === 'List' && !grants(role, resource, 'List') ? 'View' : verb
    return role.rowFilters
      .filter((f) => f.resource === resource && f.dataSet === undefined && narrows(f, right))
      .map(({ condition }) => condition)
  }
  const lifting = roles.filter(
    (role) => lifts(role) && (verb === 'List' || grants(role, resource, verb)),
  )
  const barring = roles.filter((role) => !lifts(role) && grants(role, resource, verb))
  const covers = (wide: Role, narrow: Role): boolean => {
    const texts = new Set(own(narrow).map(({ text }) => text))
    return own(wide).every(({ text }) => texts.has(text))
  }
  const isCovered = barring.every((bar) => lifting.some((lift) => covers(lift, bar)))
  return isCovered ? undefined : lifting.map(own)
}

/** Roles that grant any of the verbs; all of them where none does. */
function granting(roles: readonly Role[], resource: string, verbs: readonly Verb[]) {
  const found = roles.filter((role) =>
    role.grants.some((g) => g.resource === resource && verbs.some((verb) => g.verbs.has(verb))),
  )
  return found.length > 0 ? found : roles
}

function fieldLevel(role: Role, resource: string, field: string): 'Hidden' | 'ReadOnly' | 'Full' {
  const rules = role.fieldRules.filter(
    (r) => r.resource === resource && r.field.toLowerCase() === field,
  )
  if (rules.some((r) => r.access === 'Hidden')) return 'Hidden'
  return rules.length > 0 ? 'ReadOnly' : 'Full'
}

function systemAccess(model: Model, signature: string): ResourceAccess {
  return {
    verbs: new Set(VERBS),
    capabilities: new Set(model.capabilities.keys()),
    filters: new Map(VERBS.map((verb) => [verb, undefined])),
    hidden: new Set(),
    readOnly: new Set(),
    masked: new Map(),
    guarded: { Create: new Map(), Update: new Map() },
    signature,
  }
}
