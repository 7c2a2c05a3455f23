/** Explains why a user may do something to an object or not: grants, filters and rules. */
import { invalid, notFound } from '../../kernel/failure.ts'
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import type { AuthoredCondition } from '../../model/compiled/authored-sql.ts'
import { type Role, VERBS } from '../../model/compiled/role.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import { toWords } from '../../model/names.ts'
import { isOnSurface } from '../../model/view-index.ts'
import { loadCallerFacts } from '../../access/callers/caller-facts.ts'
import { type Caller, SYSTEM_ROLE } from '../../access/callers/caller.ts'
import { requireInScope } from '../../access/rights/admin-scope.ts'
import { listAssigners } from '../../access/rights/delegation.ts'
import { Grant } from '../../access/rights/grant.ts'
import { findAccess, narrows, READING } from '../../access/rights/resource-access.ts'
import { findScopedUser, type ScopedUser } from '../../access/users/scoped-users.ts'
import {
  evaluateRecord,
  type ExplainSource,
  type RecordEvaluation,
  type RequestedRight,
} from './evaluate-record.ts'
import { listBoardResources } from './resources.ts'
import type { ExplainedRole, ExplainRequest, Explanation } from './schema.ts'

/**
 * Decides as the engine would for that user. A record is read only if the caller can see it
 * themselves. 404 for a user, company or object outside of the caller's scope.
 */
export async function explain(
  source: ExplainSource,
  request: ExplainRequest,
): Promise<Explanation> {
  const { reader, model, scope, caller, language } = source
  const user = await findScopedUser(reader, scope, request.UserId)
  if (!user) throw notFound(say`There is no such user`)
  const companyId = request.CompanyId ?? caller.companyId
  requireInScope(scope, companyId)
  const requested = planRight(model, request.Object, request.Verb)
  const render = (reasons: readonly Message[]): string[] =>
    reasons.map((reason) => renderMessage(reason, language))
  const { Id, UserName, DisplayName, Active } = user.user
  const denied: Explanation = {
    User: { Id, UserName, DisplayName, Active },
    CompanyId: companyId,
    Object: requested.view?.name ?? null,
    Resource: requested.resource,
    Right: requested.right,
    Decision: 'denied',
    Reasons: [],
    RecordJudged: false,
    Roles: [],
    Fields: { Hidden: [], ReadOnly: [] },
    Permit: null,
  }
  const facts = await loadCallerFacts(reader, Id, companyId)
  if (!facts) return { ...denied, Reasons: render([whyOutside(user, companyId)]) }
  const subject: Caller = {
    ...facts,
    sessionId: '',
    isSystem: facts.roles.includes(SYSTEM_ROLE),
    impersonatorId: undefined,
  }
  const reasons = whyGranted(model, subject, requested)
  const grant = findGrant(model, subject, requested)
  const evaluation = grant && (await evaluateRecord(source, grant, requested, request.Keys))
  const roles = explainRoles(source, requested, { subject, user, evaluation })
  if (!grant || !evaluation) return { ...denied, Reasons: render(reasons), Roles: roles }
  return {
    ...denied,
    Decision: evaluation.decision,
    Reasons: render([...reasons, ...evaluation.reasons]),
    RecordJudged: evaluation.isEvaluated,
    Roles: roles,
    Fields: describeFields(grant, requested.view),
    Permit: requested.condition
      ? { Sql: requested.condition.text, Passes: passes(evaluation, requested.condition) }
      : null,
  }
}

/** Throws 404 for an unknown object, 400 for anything but a verb, capability or action of it. */
function planRight(model: Model, object: string, verb: string): RequestedRight {
  const view = model.viewByKey.get(object.toLowerCase())
  const known = listBoardResources(model).find(
    ({ id, kind }) => kind !== 'Role' && id.toLowerCase() === object.toLowerCase(),
  )
  const resource = view?.resource ?? known?.id
  if (resource === undefined) throw notFound(say`There is no object with this name`)
  const key = verb.toLowerCase()
  const right = [...VERBS, ...model.capabilities.keys(), ...(known?.rights ?? [])].find(
    (each) => each.toLowerCase() === key,
  )
  if (right !== undefined) {
    const permit = view?.permits.find(({ capability }) => capability === right)
    return { view, resource, right, condition: permit?.when }
  }
  const action = view?.rowActions.find(({ name }) => name.toLowerCase() === key)
  if (!action) throw invalid(say`There is no verb, capability or action with this name here`)
  return { view, resource, right: action.capability ?? 'Update', condition: action.when }
}

const passes = (evaluation: RecordEvaluation | undefined, condition: AuthoredCondition) =>
  evaluation?.passes.get(condition) ?? null

/** Names of fields that roles hide or protect; fields that no surface shows are not named. */
function describeFields({ access }: Grant, view: View | undefined): Explanation['Fields'] {
  const toNames = (keys: Iterable<string>): string[] =>
    [...keys].flatMap((key) => {
      const field = view?.fieldByName.get(key)
      return view && field && !isOnSurface(view, field) ? [] : (field?.name ?? key)
    })
  return { Hidden: toNames(access.hidden), ReadOnly: toNames(access.readOnly) }
}

/** The grant that the engine would work with; undefined where its gate refuses. */
function findGrant(model: Model, subject: Caller, requested: RequestedRight): Grant | undefined {
  const { verbs, capabilities } = findAccess(model, subject, requested.resource)
  const isHeld = [...verbs, ...capabilities].some((each) => each === requested.right)
  return subject.isSystem || isHeld
    ? Grant.requireCapability(subject, model, requested.resource, requested.right)
    : undefined
}

function whyOutside({ user, companies }: ScopedUser, companyId: number): Message {
  if (!user.Active) return say`The user is locked`
  return companies.some(({ id }) => id === companyId)
    ? say`The company is closed`
    : say`The user does not belong to this company`
}

/** The most roles that are named where none of the user's grants a right. */
const OTHERS_MAX = 5

function whyGranted(model: Model, subject: Caller, requested: RequestedRight): Message[] {
  const { right, resource } = requested
  const granting = subject.roles.filter(
    (name) => name === SYSTEM_ROLE || isGrantedBy(model.roles.get(name), requested),
  )
  if (granting.length > 0)
    return granting.map((role) => say`${role} grants ${right} on ${resource}`)
  const others = [...model.roles.values()].filter((role) => isGrantedBy(role, requested))
  return [
    say`No role of the user grants ${right} on ${resource}`,
    ...others.slice(0, OTHERS_MAX).map(({ name }) => whyAssignable(model, name)),
  ]
}

const isGrantedBy = (role: Role | undefined, { right, resource }: RequestedRight): boolean =>
  (role?.grants ?? []).some(
    (grant) =>
      grant.resource === resource &&
      [...grant.verbs, ...grant.capabilities].some((each) => each === right),
  )

/** Tells which roles could assign a role that grants the missing right. */
function whyAssignable(model: Model, role: string): Message {
  const assigners = listAssigners(model, role)
  return assigners.length === 0
    ? say`${role} would grant it, but only System can assign that role`
    : say`${role} would grant it, and can be assigned by ${assigners.join(', ')}`
}

/** The holder of the roles, and the outcome for a record. */
interface Holder {
  subject: Caller
  user: ScopedUser
  evaluation: RecordEvaluation | undefined
}

/** The roles that hold for the user now, each with its grants on the resource. */
function explainRoles(
  { model, language }: ExplainSource,
  requested: RequestedRight,
  { subject, user, evaluation }: Holder,
): ExplainedRole[] {
  const narrowing = listNarrowing(model, requested, subject)
  const isHere = ({ resource }: { resource: string }) => resource === requested.resource
  return subject.roles.map((name) => {
    const role = model.roles.get(name)
    const grants = (role?.grants ?? []).filter(isHere)
    const isGlobal = user.roles.some((held) => held.role === name && held.companyId === null)
    return {
      Role: name,
      Label: renderMessage(role?.label ?? toWords(name), language),
      CompanyId: isGlobal ? null : subject.companyId,
      Grants: name === SYSTEM_ROLE || isGrantedBy(role, requested),
      Verbs: [...new Set(grants.flatMap((grant) => [...grant.verbs]))],
      Capabilities: [...new Set(grants.flatMap((grant) => [...grant.capabilities]))],
      RowFilters: (role?.rowFilters ?? []).filter(isHere).map(({ condition, verbs, dataSet }) => ({
        Verbs: verbs ? [...verbs] : null,
        DataSet: dataSet ?? null,
        Sql: condition.text,
        Applies: dataSet === undefined && narrowing.some((each) => narrows({ verbs }, each)),
        Passes: passes(evaluation, condition),
      })),
      FieldRules: (role?.fieldRules ?? [])
        .filter(isHere)
        .map(({ field, access }) => ({ Field: field, Access: access })),
    }
  })
}

/** The rights whose filters a record must pass: reading, and the one in question. */
function listNarrowing(
  model: Model,
  { right, resource }: RequestedRight,
  subject: Caller,
): string[] {
  if (right === 'Create') return ['Create']
  const { verbs, capabilities } = findAccess(model, subject, resource)
  const read = verbs.has('List') ? ['List'] : verbs.has('View') ? ['View'] : []
  const isReading = READING.some((verb) => verb === right)
  return [...read, ...[...verbs, ...capabilities].filter((each) => each === right && !isReading)]
}
