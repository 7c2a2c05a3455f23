/** Users: sign-in accounts, with their roles and companies. */
import { normalizeText } from '../../kernel/blanks.ts'
import { conflict, notFound, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { isZone, spellZone } from '../../kernel/zones.ts'
import { getRow, insertRow, updateRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { userAttributes, userCompanies, userRoles, users } from '../../store/tables/users.ts'
import { type Actor, writeAudit } from '../audit-entry.ts'
import { ACCESS_MANAGER_ROLE, ADMIN_ROLE, SYSTEM_ROLE } from '../callers/caller.ts'
import { type CompanyRow, loadCompanies, requireCompanies } from '../companies.ts'
import { notifyOwner } from '../security-notification.ts'
import { endTaskLinks } from '../task-links.ts'
import { requireLanguage } from './spoken-language.ts'
import {
  mailboxSql,
  requireAttributes,
  requireDisplayName,
  requireEmail,
  requireUserName,
  type RoleToGive,
  toEmailKey,
  toUserNameKey,
} from './user-names.ts'

export type UserRow = typeof users.$inferSelect

/** Roles that exist in every installation. */
export const BUILT_IN_ROLES = [SYSTEM_ROLE, ADMIN_ROLE, ACCESS_MANAGER_ROLE] as const

export interface NewUser {
  userName: string
  /** Default: the user name. */
  displayName?: string | undefined
  email?: string | undefined
  /** From `hashPassword`; null for a service account, which never signs in and acts by API keys. */
  passwordHash: string | null
  /** True for a one-time password. */
  mustChangePassword?: boolean
  roles: readonly RoleToGive[]
  /**
   * Codes of companies; those of the roles come on top. With neither, the user joins the only
   * company that there is, and as System every one.
   */
  companies: readonly string[]
  attributes?: Readonly<Record<string, string>>
  /** IANA name; default: that of the company. */
  timeZone?: string | undefined
  /** A tag as `de`; default: that of the company. */
  language?: string | undefined
  /** False for one who cannot sign in yet. */
  active?: boolean | undefined
}

/**
 * Creates a user with roles, companies and attributes and resolves to the id. `knownRoles` are the
 * model's; the built-in ones are always known. 400 for a bad name, address, role or attribute, 404
 * for an unknown company, 409 for a name or address that is taken, whatever its case or Unicode
 * form.
 */
export async function saveNewUser(
  tx: Tx,
  given: NewUser,
  options: { knownRoles: Iterable<string>; actor: Actor },
): Promise<number> {
  const user = normalizeDetails(given)
  requireRoles(user.roles, options.knownRoles)
  checkDetails(user)
  requireAttributes(user.attributes ?? {})
  await requireFree(tx, user)
  const joined = await findJoined(tx, user)
  const id = await insertUser(tx, user, options.actor)
  for (const company of joined)
    await insertRow(tx, userCompanies, { UserId: id, CompanyId: company.Id })
  await insertRoles(tx, id, user.roles)
  for (const [name, value] of Object.entries(user.attributes ?? {}))
    await insertRow(tx, userAttributes, { UserId: id, Name: name, Value: value })
  await writeAudit(tx, options.actor, {
    entity: 'svc_users',
    id,
    action: 'create',
    changes: planCreated(user, joined),
  })
  return id
}

/** The user of that name, whatever its case or Unicode form. */
export const findUser = (reader: Reader, userName: string): Promise<UserRow | undefined> =>
  getRow(reader, users, 'WHERE UserNameKey = @key', { key: toUserNameKey(userName) })

/** The user with that id. */
export const findUserById = (reader: Reader, id: number): Promise<UserRow | undefined> =>
  getRow(reader, users, 'WHERE Id = @id', { id })

/**
 * Locks (false) or unlocks a user and resolves to the id. Links of mails from before act for them
 * no more. 404 for an unknown name.
 */
export async function saveActive(
  tx: Tx,
  userName: string,
  active: boolean,
  actor: Actor,
): Promise<number> {
  const user = await requireUser(tx, userName)
  const set = { Active: active, ChangedAt: actor.now.toISOString() }
  await updateRows(tx, users, 'WHERE Id = @id', { id: user.Id, set })
  await endTaskLinks(tx, user.Id)
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: user.Id,
    action: active ? 'unlock' : 'lock',
    changes: { Active: [user.Active, active] },
  })
  return user.Id
}

/**
 * Gives a user a new password, ends the links of their mails, and tells them by mail. The caller
 * ends the user's sessions: those of the old one must not go on. Resolves to whether the user still
 * had the password of `from`, when that is given: a change that was decided by the old password
 * must not undo another one.
 */
export async function savePassword(
  tx: Tx,
  userId: number,
  password: { hash: string; mustChange: boolean; from?: string | null },
  actor: Actor,
): Promise<boolean> {
  const set = {
    PasswordHash: password.hash,
    MustChangePassword: password.mustChange,
    ChangedAt: actor.now.toISOString(),
  }
  const from = password.from || null
  const stillHas = 'WHERE Id = @userId AND (@from IS NULL OR PasswordHash = @from)'
  if ((await updateRows(tx, users, stillHas, { userId, from, set })) === 0) return false
  await endTaskLinks(tx, userId)
  await writeAudit(tx, actor, { entity: 'svc_users', id: userId, action: 'password', changes: {} })
  await notifyOwner(tx, userId, 'password', actor)
  return true
}

/** Remembers the company that the user signed in to, for the next time. */
export async function saveLastCompany(tx: Tx, userId: number, companyId: number): Promise<void> {
  const set = { LastCompanyId: companyId }
  await updateRows(tx, users, 'WHERE Id = @userId', { userId, set })
}

async function requireUser(tx: Tx, userName: string): Promise<UserRow> {
  const user = await findUser(tx, userName)
  if (!user) throw notFound(say`There is no user ${userName}`)
  return user
}

const toText = ({ role, company }: RoleToGive): string =>
  company === undefined ? role : `${role}@${company}`

/** A role that is to be given, and the company that it is to hold in, if in one. */
type GivenRole = Pick<RoleToGive, 'role'> & { company?: string | undefined } & {
  companyId?: number | null
}

/**
 * Throws 400 for a role that is neither built in nor the model's, and for System in one company:
 * it passes every gate, so that it holds in all of them or not at all.
 */
export function requireRoles(roles: readonly GivenRole[], known: Iterable<string>): void {
  const names = new Set<string>([...BUILT_IN_ROLES, ...known])
  for (const { role, company, companyId } of roles) {
    if (!names.has(role))
      throw validation({
        Roles: say`There is no role ${role}. Choose one of: ${[...names].sort().join(', ')}`,
      })
    if (role === SYSTEM_ROLE && (company !== undefined || typeof companyId === 'number'))
      throw validation({ Roles: say`The role System can only be given for all companies` })
  }
}

/** Names, address, zone and language of a user; a member that is left out is not looked at. */
export interface UserDetails {
  userName?: string | undefined
  displayName?: string | undefined
  email?: string | null | undefined
  timeZone?: string | null | undefined
  language?: string | null | undefined
}

/** Names and address as they are stored: composed, and without blanks at their ends. */
export function normalizeDetails<T extends UserDetails>(details: T): T {
  const { userName, displayName, email } = details
  return {
    ...details,
    ...(userName !== undefined && { userName: normalizeText(userName) }),
    ...(displayName !== undefined && { displayName: normalizeText(displayName) }),
    ...(typeof email === 'string' && { email: normalizeText(email) }),
  }
}

/** Throws 400 for a name, address, zone or language that a user cannot have. */
export function checkDetails(details: UserDetails): void {
  const { userName, displayName, email, timeZone } = details
  requireLanguage(details.language)
  if (userName !== undefined) requireUserName(userName)
  if (displayName !== undefined) requireDisplayName(displayName)
  if (typeof email === 'string') requireEmail(email)
  if (typeof timeZone === 'string' && !isZone(timeZone))
    throw validation({ TimeZone: say`Must be an IANA time zone, such as Europe/Berlin` })
}

/**
 * Throws 409 for a name or mailbox that another user than `own` has, whatever its case or Unicode
 * form, and for one that would take the other's place where a name or an address is asked for. The
 * answer does not reveal which of these it is, or whose.
 */
export async function requireFree(tx: Tx, details: UserDetails, own = 0): Promise<void> {
  const { userName, email } = details
  const key = userName === undefined ? null : toUserNameKey(userName)
  const named =
    'SELECT 1 AS found FROM svc_users WHERE (UserNameKey = @key OR Email = @key) AND Id <> @own'
  let isTaken = key !== null && (await tx.get(named, { key, own })) !== undefined
  if (!isTaken && typeof email === 'string') {
    // Reads every user: off the serving thread.
    const sql =
      `SELECT 1 AS found FROM svc_users WHERE (${mailboxSql('Email')} = ${mailboxSql('@email')} ` +
      `OR UserNameKey = @email) AND Id <> @own LIMIT 1`
    isTaken = (await tx.authored(sql, { email: toEmailKey(email), own })).rows.length > 0
  }
  if (isTaken) throw conflict(say`This user name or email address is already taken`)
}

/** Returns the audit values of a new user: all that was given, but no password. */
function planCreated(user: NewUser, joined: readonly CompanyRow[]) {
  const { userName, displayName, email, timeZone, language, active, attributes = {} } = user
  const given = {
    UserName: userName,
    DisplayName: displayName,
    Email: email,
    TimeZone: timeZone,
    Language: language,
    ...(active === false && { Active: false }),
    ...(Object.keys(attributes).length > 0 && { Attributes: attributes }),
    Roles: [...new Set(user.roles.map(toText))],
    Companies: joined.map(({ Code }) => Code),
  }
  const values = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(values.map(([name, value]) => [name, [null, value] as const]))
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

function insertUser(tx: Tx, user: NewUser, actor: Actor): Promise<number> {
  const now = actor.now.toISOString()
  return insertRow(tx, users, {
    UserName: user.userName,
    UserNameKey: toUserNameKey(user.userName),
    DisplayName: user.displayName ?? user.userName,
    Email: user.email === undefined ? null : toEmailKey(user.email),
    TimeZone: user.timeZone === undefined ? null : spellZone(user.timeZone),
    Language: user.language ?? null,
    Active: user.active ?? true,
    PasswordHash: user.passwordHash,
    MustChangePassword: user.mustChangePassword ?? false,
    CreatedAt: now,
    ChangedAt: now,
  })
}

async function insertRoles(tx: Tx, userId: number, roles: readonly RoleToGive[]): Promise<void> {
  const byText = new Map(roles.map((grant) => [toText(grant).toLowerCase(), grant]))
  for (const { role, company } of byText.values()) {
    const [within] = company === undefined ? [] : await requireCompanies(tx, [company])
    await insertRow(tx, userRoles, { UserId: userId, Role: role, CompanyId: within?.Id ?? null })
  }
}
