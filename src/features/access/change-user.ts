/** Changing users: as a whole, and actions on an account alone. */
import { denied } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { deleteMfa } from '../../access/mfa/mfa.ts'
import { requireNoMore, requireOwnAttributes } from '../../access/rights/account-takeover-guard.ts'
import {
  ACCESS_ADMINS,
  hasCompany,
  requireWhole,
  USER_ADMINS,
} from '../../access/rights/admin-scope.ts'
import { requireSystemLeft } from '../../access/rights/role-rows.ts'
import { forgetFailures } from '../../access/throttle.ts'
import {
  deleteUser,
  requireUnreferenced,
  saveAttributes,
  saveDetails,
} from '../../access/users/user-edit.ts'
import { toEmailKey } from '../../access/users/user-names.ts'
import type { UserRecord } from '../../access/users/user-records.ts'
import {
  giveRole,
  join,
  leave,
  replaceCompanies,
  replaceRoles,
  takeRole,
  type UserWork,
} from '../../access/users/user-roles.ts'
import { saveActive, savePassword } from '../../access/users/users.ts'
import { noteRenamedUser } from '../../engine/object/after-write/keep-search.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { AccessUser, RoleHolder, UserChangeRequest, UserRole } from './user-schema.ts'
import {
  type GivenPassword,
  openUser,
  type OpenUser,
  requireAnother,
  requireMayReset,
  requireVisible,
  takePassword,
  writeUser,
} from './users.ts'

/** Changes the named members. A lock and a new password end the user's sessions. */
export async function changeUser(
  call: RequestCall,
  id: number,
  body: UserChangeRequest,
): Promise<AccessUser> {
  const { app } = call
  const { scope, user: before } = await openUser(call, id)
  const { UserName, DisplayName, Email } = { ...before, ...body }
  const change = { id, source: 'auth/users/update' }
  // Rights first: other callers do not learn what a password must be like.
  if (body.Password !== undefined)
    await writeUser(call, change, async (work, target) => requireMayReset(work, target))
  const password =
    body.Password === undefined
      ? undefined
      : await takePassword(call, body.Password, [UserName, DisplayName, Email])
  if (body.Companies) await endLeftOver(app, { scope, user: before }, body.Companies)
  if (body.Active) await endLocked(app, before)
  const after = await writeUser(call, change, (work, target) =>
    saveChange(work, target, body, password),
  )
  const { sessions } = app.identity
  if (body.Active === false) await endOfLocked(app, id)
  if (password) await sessions.endAll(id, 'The password was reset')
  for (const { Id } of before.Companies)
    if (body.Companies && !body.Companies.includes(Id)) await sessions.endIn(Id, LEFT, id)
  // A user who has just left the caller's last common company is shown as they were.
  return after ?? before
}

/** Sessions that a crash after a lock left over must not come to life again with the unlocking. */
async function endLocked(app: AppContext, { Id, Active }: AccessUser): Promise<void> {
  if (!Active) await endOfLocked(app, Id)
}

/** Neither a session nor a sign-in that waits for its code outlives a lock. */
async function endOfLocked({ identity }: AppContext, id: number): Promise<void> {
  await identity.challenges.endAll(id)
  await identity.sessions.endAll(id, 'The user was locked')
}

/** Reason of sessions that end with a membership. */
const LEFT = 'The user does not belong to the company any more'

/**
 * Ends sessions that a crash after an earlier removal left over, so that they do not come to life
 * again; only for companies that the user is outside of, where these sessions open nothing now.
 */
async function endLeftOver(
  app: AppContext,
  { scope, user: { Id, Companies } }: OpenUser,
  joined: readonly number[],
): Promise<void> {
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
    language: body.Language,
  }
  if (Object.values(details).some((detail) => detail !== undefined)) {
    requireWhole(scope, target)
    // Links that set a password go there.
    if (body.Email && toEmailKey(body.Email) !== target.user.Email) requireNoMore(work, target)
    await saveDetails(tx, target.user, details, actor)
    if (body.UserName !== undefined || body.DisplayName !== undefined)
      await noteRenamedUser(tx, work.model, target.user.Id)
  }
  if (body.Attributes) {
    requireWhole(scope, target)
    if (target.user.Id === scope.userId && !scope.isSystem)
      throw denied(say`You cannot change your own attributes, because they decide what you see`)
    const companies = target.companies.map(({ id }) => id)
    requireOwnAttributes(work, companies, body.Attributes, target.attributes)
    await saveAttributes(tx, target.user.Id, body.Attributes, actor)
  }
}

/** Locks or unlocks a user; does nothing where that is so already. */
async function setActive(work: UserWork, target: UserRecord, active: boolean): Promise<void> {
  requireWhole(work.scope, target)
  if (!active) requireAnother(work, target)
  if (target.user.Active === active) return
  await saveActive(work.tx, target.user.UserName, active, work.actor)
  if (target.isSystem && !active) await requireSystemLeft(work.tx)
}

/**
 * Gives or takes a role of a user. A caller who only manages access gets the user as the access
 * board shows them, and no more.
 */
export async function changeRole(
  call: RequestCall,
  id: number,
  { act, Role: role, CompanyId }: UserRole & { act: 'give' | 'take' },
): Promise<RoleHolder> {
  const change = { id, source: `auth/users/${act}-role`, by: ACCESS_ADMINS }
  const save = act === 'give' ? giveRole : takeRole
  const held = { role, companyId: CompanyId ?? null }
  const user = requireVisible(
    await writeUser(call, change, (work, target) => save(work, target, held)),
  )
  const { roles, isSystem } = call.caller
  if (isSystem || roles.some((name) => USER_ADMINS.includes(name))) return user
  const { Id, UserName, DisplayName, Active, Roles } = user
  return { Id, UserName, DisplayName, Active, Roles }
}

/** Adds a user to a company; see `join`. */
export async function joinCompany(
  call: RequestCall,
  id: number,
  companyId: number,
): Promise<AccessUser> {
  const { app } = call
  await endLeftOver(app, await openUser(call, id), [companyId])
  const change = { id, source: 'auth/users/join' }
  const user = await writeUser(call, change, (work, target) => join(work, target, companyId))
  return requireVisible(user)
}

/** Takes a user out of a company, where their sessions end; see `leave`. */
export async function leaveCompany(
  call: RequestCall,
  id: number,
  companyId: number,
): Promise<void> {
  const { app } = call
  await writeUser(call, { id, source: 'auth/users/leave' }, (work, target) =>
    leave(work, target, companyId),
  )
  await app.identity.sessions.endIn(companyId, LEFT, id)
}

/** Locks a user, whose sessions end, or unlocks them. */
export async function saveLock(
  call: RequestCall,
  id: number,
  active: boolean,
): Promise<AccessUser> {
  const { app } = call
  const source = active ? 'auth/users/unlock' : 'auth/users/lock'
  const change = { id, source }
  if (active) await endLocked(app, (await openUser(call, id)).user)
  const user = await writeUser(call, change, (work, target) => setActive(work, target, active))
  if (!active) await endOfLocked(app, id)
  const shown = requireVisible(user)
  if (active) await forgetFailures(app.state, shown)
  return shown
}

/** Gives a user a one-time password, which is shown this once, and ends their sessions. */
export async function resetPassword(
  call: RequestCall,
  id: number,
): Promise<{ OneTimePassword: string }> {
  const { app } = call
  const change = { id, source: 'auth/users/reset-password' }
  await writeUser(call, change, async (work, target) => requireMayReset(work, target))
  const { hash, oneTime = '' } = await takePassword(call, undefined, [])
  await app.identity.sessions.endAround({ userId: id, because: 'The password was reset' }, () =>
    writeUser(call, change, (work, target) => {
      requireMayReset(work, target)
      return savePassword(work.tx, id, { hash, mustChange: true }, work.actor)
    }),
  )
  return { OneTimePassword: oneTime }
}

/** Takes a user's second factor away and ends their sessions. */
export async function resetMfa(call: RequestCall, id: number): Promise<void> {
  const { app } = call
  await writeUser(call, { id, source: 'auth/users/reset-mfa' }, (work, target) => {
    requireMayReset(work, target)
    return deleteMfa(work.tx, id, 'mfa-reset', work.actor)
  })
  await app.identity.sessions.endAll(id, 'The second factor was reset')
}

/** Deletes a user without references from records. */
export async function removeUser(call: RequestCall, id: number): Promise<void> {
  const { app } = call
  await openUser(call, id)
  const source = 'auth/users/delete'
  // Rights first: other callers do not learn which records refer to the user.
  await writeUser(call, { id, source }, async (work, target) => {
    requireWhole(work.scope, target)
    requireAnother(work, target)
  })
  await requireUnreferenced(app.store, app.models.get(), id)
  await writeUser(call, { id, source }, (work, target) => {
    requireAnother(work, target)
    return deleteUser(work, target)
  })
  await app.identity.sessions.endAll(id, 'The user was deleted')
}
