/**
 * Nobody hands out what they do not hold: the one place that judges whether who gives a role, or a
 * right to a role, has as much as they give.
 */
import { denied } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { VERBS } from '../model/model.ts'
import type { Model, Role, Verb } from '../model/model.ts'
import { ACCESS_MANAGER_ROLE, ADMIN_ROLE, SYSTEM_ROLE } from './caller.ts'
import { addUp, planRowFilters, READING, WRITING } from './resource-access.ts'
import type { ResourceAccess, RowFilters } from './resource-access.ts'

/** Who gives: the roles that they hold where what they give is to hold. */
export interface Giver {
  readonly roles: readonly string[]
}

const ATTRIBUTE = /^User_(.+)$/

/** Built-in roles, each with those whose holders may give it: what it opens is open to them. */
const GIVERS: ReadonlyMap<string, readonly string[]> = new Map([
  [SYSTEM_ROLE, []],
  [ADMIN_ROLE, [ADMIN_ROLE]],
  [ACCESS_MANAGER_ROLE, [ADMIN_ROLE, ACCESS_MANAGER_ROLE]],
])

/** @throws denied (401) for a role that grants more than the giver holds. */
export function requireMayGive(giver: Giver, model: Model, role: string): void {
  if (!mayGive(giver, model, role))
    throw denied(say`Nobody hands out what they do not hold: this role grants more than you have`)
}

/** Whether the giver holds all that the role grants: verbs, capabilities, rows and fields. */
export function mayGive(giver: Giver, model: Model, role: string): boolean {
  if (giver.roles.includes(SYSTEM_ROLE)) return true
  if (!isOfRank(giver, role)) return false
  const declared = model.roles.get(role)
  return declared === undefined || findExcess(giver, model, declared) === undefined
}

/** Whether a role is not a built-in one that stands above the giver. */
export function isOfRank(giver: Giver, role: string): boolean {
  if (giver.roles.includes(SYSTEM_ROLE)) return true
  const givers = GIVERS.get(role)
  return !givers || givers.some((name) => giver.roles.includes(name))
}

/**
 * A resource on which a role, as declared or as it would be, grants more than the giver holds:
 * a verb or capability, rows that the giver's filters hide, a field that is hidden from the giver
 * or that the giver may only read. Undefined when there is none.
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
        (right) => planRowFilters(roles, resource, right, dataSet)?.flat() ?? [],
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
        planRowFilters([role], resource, right, dataSet),
        planRowFilters(roles, resource, right, dataSet),
      ),
    ),
  )
}

const listDataSets = (roles: readonly Role[]): Set<string> =>
  new Set(roles.flatMap(({ rowFilters }) => rowFilters.flatMap(({ dataSet }) => dataSet ?? [])))

/** Each way to a row must be as narrow, filter by filter, as one that the giver has. */
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
