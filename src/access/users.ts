/** Users: who may sign in, as whom, with which roles in which companies. */
import { conflict, notFound, validation } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { and, eq, ne, readDatabase, txDatabase } from '../store/drizzle.ts'
import type { Reader, Tx } from '../store/store.ts'
import { userAttributes, userCompanies, userRoles, users } from '../store/tables/users.ts'
import { writeAudit } from './audit-entry.ts'
import type { Actor } from './audit-entry.ts'
import { ACCESS_MANAGER_ROLE, ADMIN_ROLE, SYSTEM_ROLE } from './caller.ts'
import { loadCompanies, requireCompanies } from './companies.ts'
import type { CompanyRow } from './companies.ts'
import { requireAttributeName, requireEmail, requireUserName } from './user-names.ts'
import { toEmailKey, toUserNameKey } from './user-names.ts'
import type { RoleGrant } from './user-names.ts'

export type UserRow = typeof users.$inferSelect

/** Roles that exist in every installation. */
export const BUILT_IN_ROLES = [SYSTEM_ROLE, ADMIN_ROLE, ACCESS_MANAGER_ROLE] as const

export interface NewUser {
  userName: string
  /** The user name unless told. */
  displayName?: string | undefined
  email?: string | undefined
  /** From `hashPassword`. */
  passwordHash: string
  /** Whether the password is a one-time one. */
  mustChangePassword?: boolean
  roles: readonly RoleGrant[]
  /**
   * Codes of companies; those of the roles come on top. With neither, the user joins the only
   * company that there is, and as System every one.
   */
  companies: readonly string[]
  attributes?: Readonly<Record<string, string>>
}

/**
 * Creates a user with roles, companies and attributes and resolves to the id. `knownRoles` are the
 * model's; the built-in ones are always known. 400 for a bad name, address, role or attribute, 404
 * for an unknown company, 409 for a name or address that is taken, whatever its case or Unicode
 * form.
 */
export async function saveNewUser(
  tx: Tx,
  user: NewUser,
  options: { knownRoles: Iterable<string>; actor: Actor },
): Promise<number> {
  const roles = requireRoles(user.roles, options.knownRoles)
  requireUserName(user.userName)
  if (user.email !== undefined) requireEmail(user.email)
  await requireFree(tx, user)
  const joined = await findJoined(tx, user)
  const id = await insertUser(tx, user, options.actor)
  for (const company of joined)
    await txDatabase(tx).insert(userCompanies).values({ UserId: id, CompanyId: company.Id })
  await insertRoles(tx, id, roles)
  for (const [name, value] of Object.entries(user.attributes ?? {})) {
    requireAttributeName(name)
    await txDatabase(tx).insert(userAttributes).values({ UserId: id, Name: name, Value: value })
  }
  await writeAudit(tx, options.actor, {
    entity: 'svc_users',
    id,
    action: 'create',
    changes: {
      UserName: [null, user.userName],
      Roles: [null, user.roles.map(toText)],
      Companies: [null, joined.map(({ Code }) => Code)],
    },
  })
  return id
}

/** The user of that name, whatever its case or Unicode form. */
export async function findUser(reader: Reader, userName: string): Promise<UserRow | undefined> {
  const [row] = await readDatabase(reader)
    .select()
    .from(users)
    .where(eq(users.UserNameKey, toUserNameKey(userName)))
  return row
}

/** The user with that id. */
export async function findUserById(reader: Reader, id: number): Promise<UserRow | undefined> {
  const [row] = await readDatabase(reader).select().from(users).where(eq(users.Id, id))
  return row
}

/** Locks (false) or unlocks a user and resolves to the id. 404 for an unknown name. */
export async function saveActive(
  tx: Tx,
  userName: string,
  active: boolean,
  actor: Actor,
): Promise<number> {
  const user = await requireUser(tx, userName)
  await txDatabase(tx)
    .update(users)
    .set({ Active: active, ChangedAt: actor.now.toISOString() })
    .where(eq(users.Id, user.Id))
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: user.Id,
    action: active ? 'unlock' : 'lock',
    changes: { Active: [user.Active, active] },
  })
  return user.Id
}

/**
 * Gives a user a new password. The caller ends the user's sessions: those of the old one must not
 * go on. Resolves to whether the user still had the password of `from`, when that is given: a
 * change that was decided by the old password must not undo another one.
 */
export async function savePassword(
  tx: Tx,
  userId: number,
  password: { hash: string; mustChange: boolean; from?: string | null },
  actor: Actor,
): Promise<boolean> {
  const changed = await txDatabase(tx)
    .update(users)
    .set({
      PasswordHash: password.hash,
      MustChangePassword: password.mustChange,
      ChangedAt: actor.now.toISOString(),
    })
    .where(
      and(eq(users.Id, userId), password.from ? eq(users.PasswordHash, password.from) : undefined),
    )
    .returning({ id: users.Id })
  if (changed.length === 0) return false
  await writeAudit(tx, actor, { entity: 'svc_users', id: userId, action: 'password', changes: {} })
  return true
}

/** Remembers the company that the user signed in to, for the next time. */
export async function saveLastCompany(tx: Tx, userId: number, companyId: number): Promise<void> {
  await txDatabase(tx).update(users).set({ LastCompanyId: companyId }).where(eq(users.Id, userId))
}

async function requireUser(tx: Tx, userName: string): Promise<UserRow> {
  const [row] = await txDatabase(tx)
    .select()
    .from(users)
    .where(eq(users.UserNameKey, toUserNameKey(userName)))
  if (!row) throw notFound(say`There is no user ${userName}`)
  return row
}

const toText = ({ role, company }: RoleGrant): string =>
  company === undefined ? role : `${role}@${company}`

function requireRoles(roles: readonly RoleGrant[], known: Iterable<string>): readonly RoleGrant[] {
  const names = new Set<string>([...BUILT_IN_ROLES, ...known])
  for (const { role } of roles)
    if (!names.has(role))
      throw validation({
        Roles: say`There is no role ${role}; there are ${[...names].sort().join(', ')}`,
      })
  return roles
}

async function requireFree(tx: Tx, user: NewUser): Promise<void> {
  const database = txDatabase(tx)
  const key = toUserNameKey(user.userName)
  const [named] = await database.select().from(users).where(eq(users.UserNameKey, key))
  if (named) throw conflict(say`There is a user with this name`)
  if (user.email === undefined) return
  const email = toEmailKey(user.email)
  const [mailed] = await database
    .select()
    .from(users)
    .where(and(eq(users.Email, email), ne(users.UserNameKey, key)))
  if (mailed) throw conflict(say`There is a user with this mail address`)
}

async function findJoined(tx: Tx, user: NewUser): Promise<CompanyRow[]> {
  const codes = [...user.companies, ...user.roles.flatMap(({ company }) => company ?? [])]
  if (codes.length > 0) {
    const found = await requireCompanies(tx, codes)
    return [...new Map(found.map((company) => [company.Id, company])).values()]
  }
  const all = await loadCompanies(tx)
  return all.length === 1 || user.roles.some(({ role }) => role === SYSTEM_ROLE) ? all : []
}

async function insertUser(tx: Tx, user: NewUser, actor: Actor): Promise<number> {
  const now = actor.now.toISOString()
  const [row] = await txDatabase(tx)
    .insert(users)
    .values({
      UserName: user.userName,
      UserNameKey: toUserNameKey(user.userName),
      DisplayName: user.displayName ?? user.userName,
      Email: user.email === undefined ? null : toEmailKey(user.email),
      PasswordHash: user.passwordHash,
      MustChangePassword: user.mustChangePassword ?? false,
      CreatedAt: now,
      ChangedAt: now,
    })
    .returning({ id: users.Id })
  if (!row) throw new Error('The new user has no id')
  return row.id
}

async function insertRoles(tx: Tx, userId: number, roles: readonly RoleGrant[]): Promise<void> {
  for (const { role, company } of roles) {
    const [within] = company === undefined ? [] : await requireCompanies(tx, [company])
    await txDatabase(tx)
      .insert(userRoles)
      .values({ UserId: userId, Role: role, CompanyId: within?.Id ?? null })
  }
}
