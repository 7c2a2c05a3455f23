/** Why a user may do something to an object, or not: each grant, filter and rule behind it. */
import { loadScope, requireInScope } from '../../access/admin-scope.ts'
import { ACCESS_MANAGER_ROLE, ADMIN_ROLE, SYSTEM_ROLE } from '../../access/caller.ts'
import type { Caller } from '../../access/caller.ts'
import { loadCallerFacts } from '../../access/caller-facts.ts'
import type { CallerFacts } from '../../access/caller-facts.ts'
import { Grant } from '../../access/grant.ts'
import { listAssigners } from '../../access/delegation.ts'
import { findAccess } from '../../access/resource-access.ts'
import { findRecord } from '../../access/user-records.ts'
import type { UserRecord } from '../../access/user-records.ts'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Message } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import { isOnSurface } from '../../model/view-index.ts'
import { evaluateRecord } from './evaluate-record.ts'
import type { Decision, ExplainParts, Judgement } from './evaluate-record.ts'
import { planRight } from './right.ts'
import type { RequestedRight } from './right.ts'
import { explainRoles } from './explained-roles.ts'
import type { ExplainedRole } from './explained-roles.ts'

/** Whose right to what is to be explained. */
export interface ExplainRequest {
  userId: number
  /** View by name or slug, or a resource by name. */
  object: string
  /** Verb, capability, or action of the view. */
  verb: string
  /** Of a record, by field name. */
  keys: Readonly<Record<string, unknown>> | undefined
  /** The company of whoever asks unless told. */
  companyId: number | undefined
}

export interface Explanation {
  readonly user: UserRecord
  readonly companyId: number
  readonly requested: RequestedRight
  readonly decision: Decision
  readonly reasons: readonly Message[]
  readonly roles: readonly ExplainedRole[]
  readonly hidden: readonly string[]
  readonly readOnly: readonly string[]
  /** The permit or condition of the right, and whether it holds of the record. */
  readonly permit: { sql: string; passes: boolean | null } | undefined
  /** Whether the record was looked at. */
  readonly isEvaluated: boolean
}

/**
 * Decides as the engine would for that user. A record is looked at only where whoever asks can see
 * it themselves. 404 for a user, company or object that is not theirs to ask about.
 */
export async function explain(
  parts: ExplainParts,
  caller: Caller,
  request: ExplainRequest,
): Promise<Explanation> {
  const { reader, model } = parts
  const scope = await loadScope(reader, caller, [ADMIN_ROLE, ACCESS_MANAGER_ROLE])
  const user = await findRecord(reader, scope, request.userId)
  if (!user) throw notFound(say`There is no such user`)
  const companyId = request.companyId ?? caller.companyId
  requireInScope(scope, companyId)
  const requested = planRight(model, request.object, request.verb)
  const facts = await loadCallerFacts(reader, request.userId, companyId)
  const base = { user, companyId, requested }
  if (!facts) return { ...base, ...refuse([whyOutside(user, companyId)]) }
  const subject = toSubject(facts)
  const grant = findGrant(model, subject, requested)
  const roles = explainRoles(model, requested, { subject, held: user.roles, companyId })
  const granting = roles.filter(({ grants }) => grants).map(({ role }) => role)
  const reasons = whyGranted(model, granting, requested)
  if (!grant) return { ...base, ...refuse(reasons), roles }
  const judgement = await evaluateRecord(parts, {
    asker: caller,
    grant,
    requested,
    keys: request.keys,
  })
  return { ...base, ...describe(grant, requested, judgement, { roles, reasons }) }
}

const refuse = (reasons: readonly Message[]) => ({
  decision: 'denied' as const,
  reasons,
  ...{ roles: [], hidden: [], readOnly: [], permit: undefined, isEvaluated: false },
})

function describe(
  { access }: Grant,
  { view, condition }: RequestedRight,
  judgement: Judgement,
  known: { roles: readonly ExplainedRole[]; reasons: readonly Message[] },
) {
  const name = (key: string): string[] => {
    const field = view?.fieldByName.get(key)
    if (view && field && !isOnSurface(view, field)) return []
    return [field?.name ?? key]
  }
  return {
    decision: judgement.decision,
    reasons: [...known.reasons, ...judgement.reasons],
    roles: known.roles.map((role) => ({
      ...role,
      filters: role.filters.map((filter) => ({
        ...filter,
        passes: judgement.passes.get(filter.condition) ?? null,
      })),
    })),
    hidden: [...access.hidden].flatMap(name),
    readOnly: [...access.readOnly].flatMap(name),
    permit: condition && {
      sql: condition.text,
      passes: judgement.passes.get(condition) ?? null,
    },
    isEvaluated: judgement.isEvaluated,
  }
}

/** The user as they would ask, by what holds of them now. */
const toSubject = (facts: CallerFacts): Caller => ({
  ...facts,
  sessionId: '',
  isSystem: facts.roles.includes(SYSTEM_ROLE),
  impersonatorId: undefined,
})

/** The grant that the engine would work with; undefined where its gate refuses. */
function findGrant(model: Model, subject: Caller, requested: RequestedRight): Grant | undefined {
  const { verbs, capabilities } = findAccess(model, subject, requested.resource)
  const isHeld = [...verbs, ...capabilities].some((each) => each === requested.right)
  return subject.isSystem || isHeld
    ? Grant.requireCapability(subject, model, requested.resource, requested.right)
    : undefined
}

function whyOutside({ user, companies }: UserRecord, companyId: number): Message {
  if (!user.Active) return say`The user is locked`
  return companies.some(({ id }) => id === companyId)
    ? say`The company is closed`
    : say`The user does not belong to this company`
}

/** Roles that are told of where none of the user's grants a right. */
const OTHERS_MAX = 5

function whyGranted(
  model: Model,
  granting: readonly string[],
  { right, resource }: RequestedRight,
): Message[] {
  if (granting.length === 0) {
    const others = [...model.roles.values()].filter(({ grants }) =>
      grants.some(
        (grant) =>
          grant.resource === resource &&
          [...grant.verbs, ...grant.capabilities].some((each) => each === right),
      ),
    )
    return [
      say`No role of the user grants ${right} on ${resource}`,
      ...others.slice(0, OTHERS_MAX).map(({ name }) => whyAssignable(model, name)),
    ]
  }
  return granting.map((role) => say`${role} grants ${right} on ${resource}`)
}

/** Who could give a role that grants what is missing. */
function whyAssignable(model: Model, role: string): Message {
  const assigners = listAssigners(model, role)
  return assigners.length === 0
    ? say`${role} would grant it, and is given by System alone`
    : say`${role} would grant it, and is assignable by ${assigners.join(', ')}`
}
