/** Changing users as a whole. */
import { hasCompany, loadScope, requireWhole, USER_ADMINS } from '../../access/admin-scope.ts'
import type { UserRecord } from '../../access/user-records.ts'
import type { Caller } from '../../access/caller.ts'
import { requireNoMore, requireOwnAttributes } from '../../access/account-takeover-guard.ts'
import { saveAttributes, saveDetails } from '../../access/user-edit.ts'
import { toEmailKey } from '../../access/user-names.ts'
import { replaceCompanies, replaceRoles } from '../../access/user-roles.ts'
import type { UserWork } from '../../access/user-roles.ts'
import { saveActive, savePassword } from '../../access/users.ts'
import { requireSystemLeft } from '../../access/system-users.ts'
import { denied } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { callerOf } from '../../server/session.ts'
import { loadUser } from './list-users.ts'
import type { AccessUser, UserChangeRequest } from './user-schema.ts'
import { requireAnother, requireMayReset, takePassword, writeUser } from './user-work.ts'
import type { GivenPassword } from './user-work.ts'

/** Changes what the body names. A lock and a new password end the user's sessions. */
export async function changeUser(
  app: AppContext,
  request: Request,
  id: number,
  body: UserChangeRequest,
): Promise<AccessUser> {
  const before = await loadUser(app, callerOf(request), id)
  const { UserName, DisplayName, Email } = { ...before, ...body }
  const change = { id, source: 'auth/users/update' }
  // First who may: what the password is like matters to nobody else.
  if (body.Password !== undefined)
    await writeUser(app, request, change, async (work, target) => requireMayReset(work, target))
  const password =
    body.Password === undefined
      ? undefined
      : await takePassword(app, request, body.Password, [UserName, DisplayName, Email])
  if (body.Companies) await endLeftOver(app, callerOf(request), before, body.Companies)
  if (body.Active) await endLocked(app, before)
  const after = await writeUser(app, request, change, (work, target) =>
    saveChange(work, target, body, password),
  )
  const { sessions } = app.identity
  if (body.Active === false) await sessions.endAll(id, 'The user was locked')
  if (password) await sessions.endAll(id, 'The password was reset')
  for (const { Id } of before.Companies)
    if (body.Companies && !body.Companies.includes(Id)) await sessions.endIn(Id, LEFT, id)
  // Who has just left the last company that the caller administers is shown as they were.
  return after ?? before
}

/** Sessions that a crash after a lock left over must not come to life again with the unlocking. */
export async function endLocked(app: AppContext, { Id, Active }: AccessUser): Promise<void> {
  if (!Active) await app.identity.sessions.endAll(Id, 'The user was locked')
}

/** Why sessions end with a membership. */
export const LEFT = 'The user does not belong to the company any more'

/**
 * Sessions that a crash after an earlier removal left over must not come to life again; only where
 * the user does not belong to the company, so that none of these sessions opens anything now.
 */
export async function endLeftOver(
  app: AppContext,
  caller: Caller,
  { Id, Companies }: AccessUser,
  joined: readonly number[],
): Promise<void> {
  const scope = await loadScope(app.store, caller, USER_ADMINS)
  for (const companyId of joined)
    if (hasCompany(scope, companyId) && !Companies.some((company) => company.Id === companyId))
      await app.identity.sessions.endIn(companyId, LEFT, Id)
}

async function saveChange(
  work: UserWork,
  target: UserRecord,
  body: UserChangeRequest,
  password: GivenPassword | undefined,
): Promise<void> {
  if (body.Active !== undefined) await setActive(work, target, body.Active)
  if (password) {
    requireMayReset(work, target)
    const given = { hash: password.hash, mustChange: false }
    await savePassword(work.tx, target.user.Id, given, work.actor)
  }
  await saveAccount(work, target, body)
  let changed = target
  if (body.Companies) changed = await replaceCompanies(work, changed, body.Companies)
  if (body.Roles) {
    const wanted = body.Roles.map(({ Role, CompanyId }) => ({
      role: Role,
      companyId: CompanyId ?? null,
    }))
    await replaceRoles(work, changed, wanted)
  }
}

async function saveAccount(
  work: UserWork,
  target: UserRecord,
  body: UserChangeRequest,
): Promise<void> {
  const { tx, scope, actor } = work
  const details = {
    userName: body.UserName,
    displayName: body.DisplayName,
    email: body.Email,
    timeZone: body.TimeZone,
  }
  if (Object.values(details).some((detail) => detail !== undefined)) {
    requireWhole(scope, target)
    // Links that set a password go there.
    if (body.Email && toEmailKey(body.Email) !== target.user.Email) requireNoMore(work, target)
    await saveDetails(tx, target.user, details, actor)
  }
  if (body.Attributes) {
    requireWhole(scope, target)
    if (target.user.Id === scope.userId && !scope.isSystem)
      throw denied(say`Attributes decide what you see: somebody else has to change yours`)
    const companies = target.companies.map(({ id }) => id)
    requireOwnAttributes(work, companies, body.Attributes, target.attributes)
    await saveAttributes(tx, target.user.Id, body.Attributes, actor)
  }
}

/** Locks or unlocks a user; does nothing where that is so already. */
export async function setActive(
  work: UserWork,
  target: UserRecord,
  active: boolean,
): Promise<void> {
  requireWhole(work.scope, target)
  if (!active) requireAnother(work, target)
  if (target.user.Active === active) return
  await saveActive(work.tx, target.user.UserName, active, work.actor)
  if (target.isSystem && !active) await requireSystemLeft(work.tx)
}
