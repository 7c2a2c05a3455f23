/** What every change to users has around it: who may, in one transaction, and who hears of it. */
import { ACCESS_ADMINS, renewScope, USER_ADMINS } from '../../access/admin-scope.ts'
import { loadWholeUser } from '../../access/scoped-users.ts'
import type { UserRecord } from '../../access/user-records.ts'
import { actorOf } from '../../access/audit-entry.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { newOneTimePassword } from '../../access/one-time-password.ts'
import { requireGoodPassword } from '../../access/password-rules.ts'
import type { PasswordRules } from '../../access/password-rules.ts'
import { hashPassword, requirePasswordSize } from '../../access/password.ts'
import { requireNoMore } from '../../access/account-takeover-guard.ts'
import { toUserNameKey } from '../../access/user-names.ts'
import type { UserWork } from '../../access/user-roles.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { callerOf, networkOf, traceIdOf } from '../../server/session.ts'
import { findUserIn, requireSeen } from './list-users.ts'
import type { AccessUser, RoleHolder } from './user-schema.ts'
import { systemScope } from '../../store/store.ts'
import { LANGUAGE } from '../../server/floor.ts'
import { PASSWORD_MIN_LENGTH } from '../../access/floor.ts'

const ALL = systemScope('users belong to no one company')

/**
 * Runs a change in one transaction with the caller's scope as it is then, by the roles that open
 * the change. 401 for a caller who acts as somebody else.
 */
export async function write<T>(
  app: AppContext,
  request: Request,
  { source, by = USER_ADMINS }: { source: string; by?: readonly string[] },
  work: (work: UserWork) => Promise<T>,
): Promise<T> {
  const caller = callerOf(request)
  requireNotImpersonated(caller)
  const language = app.settings.get(LANGUAGE)
  const way = { now: app.clock.now(), source, traceId: traceIdOf(request), language }
  const actor = actorOf(caller, way)
  return app.store.write(async (tx) => {
    const scope = await renewScope(tx, caller, by)
    return work({ tx, scope, model: app.models.get(), actor })
  }, ALL)
}

/**
 * The same about one user, who is judged anew by the next request. Resolves to the user as whoever
 * made the change saw them, also when it took the right to see them away; undefined when they are
 * in none of the caller's companies any more.
 */
export async function writeUser(
  app: AppContext,
  request: Request,
  change: { id: number; source: string; by?: readonly string[] },
  work: (work: UserWork, target: UserRecord) => Promise<unknown>,
): Promise<AccessUser | undefined> {
  const scope = await write(app, request, change, async (begun) => {
    await work(begun, await loadWholeUser(begun.tx, begun.scope, change.id))
    app.callers.forgetUserWith(begun.tx, change.id)
    return begun.scope
  })
  return findUserIn(app, scope, change.id)
}

/**
 * Gives or takes a role of a user. Who manages access alone is answered what the access board shows
 * them of a user, and no more.
 */
export async function writeRole(
  app: AppContext,
  request: Request,
  change: { id: number; source: string },
  work: (work: UserWork, target: UserRecord) => Promise<unknown>,
): Promise<RoleHolder> {
  const opened = { ...change, by: ACCESS_ADMINS }
  const user = requireSeen(await writeUser(app, request, opened, work))
  const { roles, isSystem } = callerOf(request)
  if (isSystem || roles.some((role) => USER_ADMINS.includes(role))) return user
  const { Id, UserName, DisplayName, Active, Roles } = user
  return { Id, UserName, DisplayName, Active, Roles }
}

/** Throws 400 for the caller themselves. */
export function requireAnother({ scope }: UserWork, { user }: UserRecord): void {
  if (user.Id === scope.userId) throw invalid(say`Nobody locks or deletes themselves`)
}

/** Throws unless the user may be given a password: one’s own is changed by the present one. */
export function requireMayReset(work: UserWork, target: UserRecord): void {
  requireNoMore(work, target)
  if (target.user.Id === work.scope.userId)
    throw invalid(say`Change your own password where the present one is asked for`)
}

/** A hash for a password, or for a one-time one where none is given. */
export interface GivenPassword {
  hash: string
  /** Told once. */
  oneTime: string | undefined
}

/** Checks and hashes a password, or makes a one-time one. 400 for one that is not good enough. */
export async function takePassword(
  app: AppContext,
  request: Request,
  password: string | undefined,
  own: PasswordRules['own'],
): Promise<GivenPassword> {
  if (password !== undefined) {
    requirePasswordSize(password)
    const lengthMin = app.settings.get(PASSWORD_MIN_LENGTH)
    requireGoodPassword(password, { lengthMin, own }, 'Password')
  }
  const oneTime = password === undefined ? newOneTimePassword() : undefined
  const text = password ?? oneTime ?? ''
  const by = { user: toUserNameKey(callerOf(request).userName), address: networkOf(request) }
  return { hash: await app.identity.passwords.run(by, () => hashPassword(text)), oneTime }
}
