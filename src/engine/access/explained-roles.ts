/** What each role of a user says of a right. */
import type { HeldRole } from '../../access/role-rows.ts'
import { SYSTEM_ROLE } from '../../access/caller.ts'
import type { Caller } from '../../access/caller.ts'
import { findAccess, narrows, READING } from '../../access/resource-access.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { AuthoredCondition, FieldRule, Model, Verb } from '../../model/model.ts'
import { toWords } from '../../model/names.ts'
import type { RequestedRight } from './right.ts'

export interface ExplainedFilter {
  readonly condition: AuthoredCondition
  /** Undefined: every verb. */
  readonly verbs: ReadonlySet<Verb> | undefined
  readonly dataSet: string | undefined
  /** Whether it narrows what the right reaches. */
  readonly applies: boolean
  /** Whether the record passes; null where that was not looked at. */
  readonly passes: boolean | null
}

export interface ExplainedRole {
  readonly role: string
  readonly label: ModelText
  /** Where it is held; null: in all companies of the user. */
  readonly companyId: number | null
  /** Whether it grants the right. */
  readonly grants: boolean
  readonly verbs: readonly string[]
  readonly capabilities: readonly string[]
  readonly filters: readonly ExplainedFilter[]
  readonly fieldRules: readonly FieldRule[]
}

/** Whose roles, and where they are held. */
export interface Holder {
  subject: Caller
  held: readonly HeldRole[]
  companyId: number
}

/** The roles that hold for the user now, each with what it says of the resource. */
export function explainRoles(
  model: Model,
  requested: RequestedRight,
  holder: Holder,
): ExplainedRole[] {
  const { subject, held, companyId } = holder
  const narrowing = listNarrowing(model, requested, subject)
  return subject.roles.map((name) => {
    const role = model.roles.get(name)
    const grants = (role?.grants ?? []).filter(({ resource }) => resource === requested.resource)
    const rights = grants.flatMap((grant) => [...grant.verbs, ...grant.capabilities])
    const isGlobal = held.some((each) => each.role === name && each.companyId === null)
    return {
      role: name,
      label: role?.label ?? toWords(name),
      companyId: isGlobal ? null : companyId,
      grants: name === SYSTEM_ROLE || rights.some((right) => right === requested.right),
      verbs: [...new Set(grants.flatMap((grant) => [...grant.verbs]))],
      capabilities: [...new Set(grants.flatMap((grant) => [...grant.capabilities]))],
      filters: (role?.rowFilters ?? [])
        .filter(({ resource }) => resource === requested.resource)
        .map(({ condition, verbs: own, dataSet }) => ({
          ...{ condition, verbs: own, dataSet, passes: null },
          applies: dataSet === undefined && narrowing.some((each) => narrows({ verbs: own }, each)),
        })),
      fieldRules: (role?.fieldRules ?? []).filter(
        ({ resource }) => resource === requested.resource,
      ),
    }
  })
}

/** The rights whose filters a record must pass: reading, and the one that is asked for. */
function listNarrowing(
  model: Model,
  { right, resource }: RequestedRight,
  subject: Caller,
): string[] {
  if (right === 'Create') return ['Create']
  const { verbs, capabilities } = findAccess(model, subject, resource)
  const read = verbs.has('List') ? ['List'] : verbs.has('View') ? ['View'] : []
  const own = [...verbs, ...capabilities].filter((each) => each === right && !isReading(each))
  return [...read, ...own]
}

const isReading = (right: string): boolean => READING.some((verb) => verb === right)
