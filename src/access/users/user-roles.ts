/** Roles and companies of users, as administrators give and take them. */
import { invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { type Actor, writeAudit } from '../audit-entry.ts'
import { SYSTEM_ROLE } from '../callers/caller.ts'
import { requireCompanyById } from '../companies.ts'
import {
  type AdminScope,
  hasCompany,
  hasRole,
  requireInScope,
  requireNoSystem,
  requireWhole,
} from '../rights/admin-scope.ts'
import { requireMayAssign } from '../rights/delegation.ts'
import {
  deleteUserRole,
  type HeldRole,
  requireSystemLeft,
  saveUserRole,
} from '../rights/role-rows.ts'
import { findUserRecord, type UserRecord } from './user-records.ts'
import { requireRoles } from './users.ts'

/** The transaction, scope, model and author of a change to a user. */
export interface UserWork {
  readonly tx: Tx
  readonly scope: AdminScope
  readonly model: Model
  readonly actor: Actor
}

/**
 * Throws 401 for a role that the caller may not hand out there, 404 for a company that is not
 * theirs to administer, 400 for an unknown role. Without a user it is of one who is being made.
 */
export function requireGivable(
  { scope, model }: Pick<UserWork, 'scope' | 'model'>,
  held: HeldRole,
  target?: UserRecord,
): void {
  if (held.companyId !== null) requireInScope(scope, held.companyId)
  requireMayAssign(scope, model, { ...held, user: target && toHolder(target) })
  requireRoles([held], model.roles.keys())
}

const toHolder = ({ user, roles }: UserRecord) => ({ id: user.Id, roles })

/** Gives a user a role; does nothing where they hold it. 400 outside of their companies. */
export async function giveRole(work: UserWork, target: UserRecord, held: HeldRole): Promise<void> {
  requireReach(work.scope, target, held)
  requireGivable(work, held, target)
  if (target.roles.some((each) => isSame(each, held))) return
  if (held.companyId !== null && !isMember(target, held.companyId))
    throw invalid(say`This user does not belong to that company. Add them to it first.`)
  await saveUserRole(work.tx, { ...held, userId: target.user.Id }, work.actor)
}

/**
 * Takes a role from a user. 401 for one that the caller could not give them, 404 where they do not
 * hold it, 409 when no System user would be left.
 */
export async function takeRole(work: UserWork, target: UserRecord, held: HeldRole): Promise<void> {
  if (held.companyId !== null) requireInScope(work.scope, held.companyId)
  requireReach(work.scope, target, held)
  requireMayAssign(work.scope, work.model, { ...held, user: toHolder(target) })
  const was = await deleteUserRole(work.tx, { ...held, userId: target.user.Id }, work.actor)
  if (!was) throw notFound(say`This user does not have that role in that company`)
  if (held.role === SYSTEM_ROLE) await requireSystemLeft(work.tx)
}

/** Gives and takes what lies between the roles that the caller sees and the wanted ones. */
export async function replaceRoles(
  work: UserWork,
  target: UserRecord,
  wanted: readonly HeldRole[],
): Promise<void> {
  const present = target.roles.filter((held) => hasRole(work.scope, held))
  for (const held of wanted.filter(isFirst))
    if (!present.some((each) => isSame(each, held))) await giveRole(work, target, held)
  for (const held of present)
    if (!wanted.some((each) => isSame(each, held))) await takeRole(work, target, held)
}

const JOIN = `INSERT INTO svc_user_companies (UserId, CompanyId) VALUES (@userId, @companyId)
  ON CONFLICT DO NOTHING`

/**
 * Adds a user to a company; does nothing where they belong to it. Roles that they hold in all
 * companies hold there too: the caller must be able to hand them out there.
 */
export async function join(work: UserWork, target: UserRecord, companyId: number): Promise<void> {
  requireNoSystem(work.scope, target)
  requireInScope(work.scope, companyId)
  for (const { role, companyId: within } of target.roles)
    if (within === null || within === companyId)
      requireMayAssign(work.scope, work.model, { role, companyId, user: toHolder(target) })
  const { Code } = await requireCompanyById(work.tx, companyId)
  const added = await work.tx.run(JOIN, { userId: target.user.Id, companyId })
  if (added > 0) await auditCompany(work, target, 'join', [null, Code])
}

const LEAVE = 'DELETE FROM svc_user_companies WHERE UserId = @userId AND CompanyId = @companyId'
const TAKE_ROLES = 'DELETE FROM svc_user_roles WHERE UserId = @userId AND CompanyId = @companyId'

/**
 * Takes a user out of a company, with the roles held there. 404 where they do not belong to it, 409
 * when no System user would be left. The caller ends the sessions after the commit.
 */
export async function leave(work: UserWork, target: UserRecord, companyId: number): Promise<void> {
  requireNoSystem(work.scope, target)
  requireInScope(work.scope, companyId)
  const { Code } = await requireCompanyById(work.tx, companyId)
  const args = { userId: target.user.Id, companyId }
  if ((await work.tx.run(LEAVE, args)) === 0)
    throw notFound(say`This user does not belong to that company`)
  await work.tx.run(TAKE_ROLES, args)
  await requireSystemLeft(work.tx)
  await auditCompany(work, target, 'leave', [Code, null])
}

async function auditCompany(
  { tx, actor }: UserWork,
  { user }: UserRecord,
  action: 'join' | 'leave',
  change: readonly [string | null, string | null],
): Promise<void> {
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: user.Id,
    action,
    changes: { Company: change },
  })
}

/** Resolves to the user as they are after companies of the scope were joined and left. */
export async function replaceCompanies(
  work: UserWork,
  target: UserRecord,
  wanted: readonly number[],
): Promise<UserRecord> {
  for (const id of wanted) if (!isMember(target, id)) await join(work, target, id)
  for (const { id } of target.companies)
    if (hasCompany(work.scope, id) && !wanted.includes(id)) await leave(work, target, id)
  // A user who left every company that the caller administers is still the user of this change.
  return (await findUserRecord(work.tx, target.user.Id)) ?? target
}

const isMember = ({ companies }: UserRecord, companyId: number): boolean =>
  companies.some(({ id }) => id === companyId)

const isSame = (one: HeldRole, other: HeldRole): boolean =>
  one.role === other.role && one.companyId === other.companyId

/** Returns true for the first mention of a role that may be named twice. */
const isFirst = (held: HeldRole, at: number, all: readonly HeldRole[]): boolean =>
  all.findIndex((each) => isSame(each, held)) === at

/** Requires reach for a role: one that holds in all companies concerns the whole account. */
function requireReach(scope: AdminScope, target: UserRecord, { companyId }: HeldRole): void {
  if (companyId === null) requireWhole(scope, target)
  else requireNoSystem(scope, target)
}
