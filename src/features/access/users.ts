/** Reading users, and what every change to them has around it: those of the caller's companies. */
import { invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { systemScope } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { PASSWORD_MIN_LENGTH } from '../../access/floor.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { type PasswordRules, requireGoodPassword } from '../../access/passwords/password-rules.ts'
import {
  hashPassword,
  newOneTimePassword,
  requirePasswordSize,
} from '../../access/passwords/password.ts'
import { requireNoMore } from '../../access/rights/account-takeover-guard.ts'
import {
  type AdminScope,
  hasCompany,
  loadScope,
  renewScope,
  USER_ADMINS,
} from '../../access/rights/admin-scope.ts'
import {
  countUsers,
  findScopedUser,
  loadUsers,
  loadWholeUser,
  type ScopedUser,
} from '../../access/users/scoped-users.ts'
import { LANGUAGE } from '../../access/users/spoken-language.ts'
import { toUserNameKey } from '../../access/users/user-names.ts'
import type { UserRecord } from '../../access/users/user-records.ts'
import type { UserWork } from '../../access/users/user-roles.ts'
import { planTextPattern } from '../../engine/object/read/text-match.ts'
import type { RequestCall } from '../../server/call.ts'
import { authorOf, ownRequestOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import { networkOf } from '../../server/session.ts'
import { readSearch } from './open-access.ts'
import type { AccessUser, UserPage, UsersQuery } from './user-schema.ts'

const PAGE_SIZE = 50

/** A page of users, by name. */
export async function listUsers(
  app: AppContext,
  caller: Caller,
  query: UsersQuery,
): Promise<UserPage> {
  const scope = await loadScope(app.store, caller, USER_ADMINS)
  const search = readSearch(query.search)
  const page = { number: Number(query.page ?? 1), size: Number(query.pageSize ?? PAGE_SIZE) }
  const requested = {
    pattern: search === '' ? undefined : planTextPattern(search, 'anywhere'),
    byEmail: true,
    roles: query.role === undefined ? undefined : [query.role],
    companyId: companyOf(query, scope),
    active: query.active === undefined ? undefined : query.active === 'true',
  }
  const offset = (page.number - 1) * page.size
  const users = await loadUsers(app.store, scope, requested, { limit: page.size, offset })
  const total = await countUsers(app.store, scope, requested)
  const pages = Math.ceil(total / page.size)
  return {
    Rows: users.map(toAccessUser),
    Pagination: {
      Page: page.number,
      PageSize: page.size,
      TotalRows: total,
      TotalPages: pages,
      TotalIsExact: true,
      HasNext: page.number < pages,
    },
  }
}

/** No company has the id 0: one that the caller does not administer is as good as none. */
function companyOf({ company }: UsersQuery, scope: AdminScope): number | undefined {
  const id = company === undefined ? undefined : Number(company)
  return id === undefined || hasCompany(scope, id) ? id : 0
}

/** A user, and the scope of the caller that they are in. */
export interface OpenUser {
  readonly scope: AdminScope
  readonly user: AccessUser
}

/** Finds one user. 404 alike for users of other companies and for unknown ones. */
export async function openUser(call: RequestCall, id: number): Promise<OpenUser> {
  const { app } = call
  const scope = await loadScope(app.store, call.caller, USER_ADMINS)
  return { scope, user: requireVisible(await findUserIn(app, scope, id)) }
}

/** One user of a scope. */
async function findUserIn(
  app: AppContext,
  scope: AdminScope,
  id: number,
): Promise<AccessUser | undefined> {
  const found = await findScopedUser(app.store, scope, id)
  return found && toAccessUser(found)
}

/** Throws the 404 of a user who is not there. */
export function requireVisible(user: AccessUser | undefined): AccessUser {
  if (!user) throw notFound(say`There is no such user`)
  return user
}

function toAccessUser(record: ScopedUser): AccessUser {
  const { user, roles, companies, attributes, hasMfa } = record
  return {
    Id: user.Id,
    UserName: user.UserName,
    DisplayName: user.DisplayName,
    Email: user.Email,
    Active: user.Active,
    MustChangePassword: user.MustChangePassword,
    MfaEnabled: hasMfa,
    TimeZone: user.TimeZone,
    Language: user.Language,
    Roles: roles.map(({ role, companyId }) => ({ Role: role, CompanyId: companyId })),
    Companies: companies.map(({ id, code, name }) => ({ Id: id, Code: code, Name: name })),
    Attributes: { ...attributes },
    CreatedAt: user.CreatedAt,
    ChangedAt: user.ChangedAt,
  }
}

const ALL = systemScope('users belong to no one company')

/**
 * Runs a change in one transaction with the caller's scope as it is then, by the roles that open
 * the change. 401 for an impersonator.
 */
export async function write<T>(
  call: RequestCall,
  { source, by = USER_ADMINS }: { source: string; by?: readonly string[] },
  work: (work: UserWork) => Promise<T>,
): Promise<T> {
  const { app, caller } = call
  requireNotImpersonated(caller)
  const language = app.settings.get(LANGUAGE)
  const actor = authorOf(app, { ...ownRequestOf(call), language }, source)
  return app.store.write(async (tx) => {
    const scope = await renewScope(tx, caller, by)
    return work({ tx, scope, model: app.models.get(), actor })
  }, ALL)
}

/**
 * Runs the same about one user, whose rights the next request loads again. Resolves to the user as
 * the caller saw them, also when the change took that away; undefined when they are in none of the
 * caller's companies any more.
 */
export async function writeUser(
  call: RequestCall,
  change: { id: number; source: string; by?: readonly string[] },
  work: (work: UserWork, target: UserRecord) => Promise<unknown>,
): Promise<AccessUser | undefined> {
  const { app } = call
  const scope = await write(call, change, async (begun) => {
    await work(begun, await loadWholeUser(begun.tx, begun.scope, change.id))
    app.callers.forgetUserWith(begun.tx, change.id)
    return begun.scope
  })
  return findUserIn(app, scope, change.id)
}

/** Throws 400 for the caller themselves. */
export function requireAnother({ scope }: UserWork, { user }: UserRecord): void {
  if (user.Id === scope.userId) throw invalid(say`You cannot lock or delete your own account`)
}

/** Throws unless the user may be given a password: one’s own is changed by the present one. */
export function requireMayReset(work: UserWork, target: UserRecord): void {
  requireNoMore(work, target)
  if (target.user.Id === work.scope.userId)
    throw invalid(say`To change your own password, use the form that asks for your current one`)
}

/** A hash for a password, or for a one-time one where none is given. */
export interface GivenPassword {
  hash: string
  /** Shown once. */
  oneTime: string | undefined
}

/** Checks and hashes a password, or makes a one-time one. 400 for one that is not good enough. */
export async function takePassword(
  call: RequestCall,
  password: string | undefined,
  own: PasswordRules['own'],
): Promise<GivenPassword> {
  const { app } = call
  if (password !== undefined) {
    requirePasswordSize(password)
    const lengthMin = app.settings.get(PASSWORD_MIN_LENGTH)
    requireGoodPassword(password, { lengthMin, own }, 'Password')
  }
  const oneTime = password === undefined ? newOneTimePassword() : undefined
  const text = password ?? oneTime ?? ''
  const by = { user: toUserNameKey(call.caller.userName), address: networkOf(call) }
  return { hash: await app.identity.passwords.run(by, () => hashPassword(text)), oneTime }
}
