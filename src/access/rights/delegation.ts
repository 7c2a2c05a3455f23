/**
 * Delegation: roles are given by the roles that they are assignable by; rights of roles and
 * accounts of others by callers who hold as much themselves.
 */
import { denied } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { type Role, type Verb, VERBS } from '../../model/compiled/role.ts'
import type { Model } from '../../model/model.ts'
import { ASSIGNABLE_BY_DEFAULT } from '../../model/rbac/facts.ts'
import { ACCESS_MANAGER_ROLE, ADMIN_ROLE, SYSTEM_ROLE } from '../callers/caller.ts'
import {
  addUp,
  planRowFilters,
  READING,
  type ResourceAccess,
  type RowFilters,
  WRITING,
} from './resource-access.ts'
import type { HeldRole } from './role-rows.ts'

/** The giver: the roles that they hold where the given ones are to hold. */
export interface Giver {
  readonly roles: readonly string[]
}

const ATTRIBUTE = /^User_(.+)$/

/** Built-in roles, each with the roles of the same rank or above, to whose holders it is open. */
const GIVERS: ReadonlyMap<string, readonly string[]> = new Map([
  [SYSTEM_ROLE, []],
  [ADMIN_ROLE, [ADMIN_ROLE]],
  [ACCESS_MANAGER_ROLE, [ADMIN_ROLE, ACCESS_MANAGER_ROLE]],
])

/** A caller who gives and takes roles. */
interface Assigner {
  readonly userId: number
  readonly isSystem: boolean
  /** Roles of the assigner in a company. */
  giverIn(companyId: number): Giver
}

/** A role of a user that is given or taken. */
interface Assignment {
  readonly role: string
  /** Null: in all companies of the user. */
  readonly companyId: number | null
  /** The user, with the roles held before; undefined for a user who is being made. */
  readonly user: { readonly id: number; readonly roles: readonly HeldRole[] } | undefined
}

/**
 * Checks the one rule of giving and taking a role (src/model/README.md, Rbac): the caller holds a
 * role that it is assignable by, or all that it grants; gives it in one company, not to themselves,
 * and not to users who hold there what the caller could not give. Only System gives built-in roles.
 * The caller of this function checks that the company is theirs to administer.
 * @throws denied (401) with the reason
 */
export function requireMayAssign(
  assigner: Assigner,
  model: Model,
  { role, companyId, user }: Assignment,
): void {
  if (assigner.isSystem) return
  if (GIVERS.has(role)) throw denied(say`Only System can give or remove the role ${role}`)
  if (user?.id === assigner.userId) throw denied(say`You cannot change your own roles`)
  if (companyId === null) throw denied(say`Only System can give or remove roles for all companies`)
  const giver = assigner.giverIn(companyId)
  if (!mayAssign(giver, model, role)) throw denied(explainAssigners(model, role))
  const isAbove = user?.roles
    .filter((held) => held.companyId === null || held.companyId === companyId)
    .some((held) => !isWithinRank(giver, model, held.role))
  if (isAbove)
    throw denied(say`You cannot change the roles of a user who has roles that you may not give`)
}

/** Returns true unless a role of a user ranks above the giver. */
const isWithinRank = (giver: Giver, model: Model, role: string): boolean =>
  GIVERS.has(role) ? isOfRank(giver, role) : mayAssign(giver, model, role)

/** Returns true when a role is assignable by the giver's roles, or the giver holds all of it. */
export const mayAssign = (giver: Giver, model: Model, role: string): boolean =>
  listAssigners(model, role).some((name) => giver.roles.includes(name)) ||
  mayGive(giver, model, role)

function explainAssigners(model: Model, role: string): Message {
  const assigners = listAssigners(model, role)
  return assigners.length === 0
    ? say`Only System can assign the role ${role}: it grants more than you have`
    : say`The role ${role} can be assigned by ${assigners.join(', ')}: it grants more than you have`
}

/** The built-in roles whose holders may hand a role out; none for a built-in one. */
export function listAssigners(model: Model, role: string): readonly string[] {
  if (GIVERS.has(role)) return []
  return model.roles.get(role)?.assignableBy ?? ASSIGNABLE_BY_DEFAULT
}

/** Returns true when the giver holds all that a role grants: verbs, capabilities, rows, fields. */
export function mayGive(giver: Giver, model: Model, role: string): boolean {
  if (giver.roles.includes(SYSTEM_ROLE)) return true
  if (!isOfRank(giver, role)) return false
  const declared = model.roles.get(role)
  return declared === undefined || findExcess(giver, model, declared) === undefined
}

/** Returns true unless the role is a built-in one that ranks above the giver. */
export function isOfRank(giver: Giver, role: string): boolean {
  if (giver.roles.includes(SYSTEM_ROLE)) return true
  const givers = GIVERS.get(role)
  return !givers || givers.some((name) => giver.roles.includes(name))
}

/**
 * Finds a resource on which a role, as declared or as it would be, grants more than the giver
 * holds: a verb or capability, rows that the giver's filters hide, a field that is hidden from the
 * giver or that the giver may only read. Undefined when the role grants no more.
 */
export function findExcess(giver: Giver, model: Model, role: Role): string | undefined {
  if (giver.roles.includes(SYSTEM_ROLE)) return undefined
  const resources = new Set(role.grants.map(({ resource }) => resource))
  return [...resources].find((resource) => !holdsAll(giver, model, role, resource))
}

/** The user attributes that narrow, in some filter, which rows the giver reaches. */
export function listNarrowing(giver: Giver, model: Model): ReadonlySet<string> {
  if (giver.roles.includes(SYSTEM_ROLE)) return new Set()
  const roles = giver.roles.flatMap((name) => model.roles.get(name) ?? [])
  const resources = new Set(roles.flatMap(({ grants }) => grants.map(({ resource }) => resource)))
  const filters = [...resources].flatMap((resource) =>
    [undefined, ...listDataSets(roles)].flatMap((dataSet) =>
      [...VERBS, ...model.capabilities.keys()].flatMap(
        (right) => planRowFilters(roles, resource, right, { dataSet })?.flat() ?? [],
      ),
    ),
  )
  const names = filters.flatMap(({ parameters }) => parameters)
  return new Set(names.flatMap((name) => ATTRIBUTE.exec(name)?.[1] ?? []))
}

function holdsAll(giver: Giver, model: Model, role: Role, resource: string): boolean {
  const roles = giver.roles.flatMap((name) => model.roles.get(name) ?? [])
  const own = addUp(roles, resource, '')
  const given = addUp([role], resource, '')
  return (
    [...given.verbs].every((verb) => own.verbs.has(verb)) &&
    [...given.capabilities].every((capability) => own.capabilities.has(capability)) &&
    holdsRows(roles, role, resource, [...given.verbs, ...given.capabilities]) &&
    holdsFields(own, given)
  )
}

/** Rows of views, and of each dataset of a report that the giver's filters name. */
function holdsRows(
  roles: readonly Role[],
  role: Role,
  resource: string,
  rights: readonly string[],
): boolean {
  return [undefined, ...listDataSets(roles)].every((dataSet) =>
    rights.every((right) =>
      isWithin(
        planRowFilters([role], resource, right, { dataSet }),
        planRowFilters(roles, resource, right, { dataSet }),
      ),
    ),
  )
}

const listDataSets = (roles: readonly Role[]): Set<string> =>
  new Set(roles.flatMap(({ rowFilters }) => rowFilters.flatMap(({ dataSet }) => dataSet ?? [])))

/** Returns true when each way to a row is as narrow, filter by filter, as one of the giver's. */
function isWithin(given: RowFilters, own: RowFilters): boolean {
  if (!own) return true
  if (!given) return false
  return given.every((alternative) => {
    const texts = new Set(alternative.map(({ text }) => text.trim()))
    return own.some((each) => each.every(({ text }) => texts.has(text.trim())))
  })
}

function holdsFields(own: ResourceAccess, given: ResourceAccess): boolean {
  const may = (verbs: readonly Verb[]): boolean => verbs.some((verb) => given.verbs.has(verb))
  const seesFields = may(READING) || may(WRITING) || may(['Export', 'Import'])
  const setsFields = may(WRITING) || may(['Import'])
  return (
    (!seesFields || [...own.hidden].every((field) => given.hidden.has(field))) &&
    (!setsFields ||
      [...own.readOnly].every((field) => given.hidden.has(field) || given.readOnly.has(field)))
  )
}
