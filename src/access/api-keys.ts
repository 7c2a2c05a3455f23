/**
 * API keys: bearer tokens of machines, `ak_` and 43 characters, each known by its SHA-256 alone. A
 * key acts as its user, within the roles and companies that it names, and within those that the
 * user still has.
 */
import { unauthenticated, validation } from '../kernel/failure.ts'
import { newSecret } from '../kernel/ids.ts'
import { say } from '../kernel/messages.ts'
import { DAY } from '../kernel/setting.ts'
import { allRows, getRow, insertRow } from '../store/rows.ts'
import type { Reader, Tx } from '../store/store.ts'
import type { CallerFacts } from './callers/caller-facts.ts'
import { type KeyLimits, SYSTEM_ROLE } from './callers/caller.ts'
import { apiKeys } from './engine-db.ts'
import { hashSecret } from './sessions/state-rows.ts'
import { findUserRecord } from './users/user-records.ts'

/** Prefix of every key, and of no other token. */
const PREFIX = 'ak_'

/** A key, and after a dot the code of the company that it is to act in. */
const FORM = /^(ak_[\w-]{43})(?:\.([\w-]{1,32}))?$/

/** Keys of one user that are neither revoked nor over. */
const KEYS_MAX = 50

const NAME_CHARACTERS_MAX = 100
const LIFETIME_MS = 90 * DAY
/** The furthest end that a key may be given. */
export const API_KEY_LIFETIME_MAX_MS = 366 * DAY

export type ApiKeyRow = typeof apiKeys.$inferSelect

/** Request for a new key. */
interface NewApiKey {
  name: string
  roles: readonly string[]
  companies: readonly number[]
  /** End of the key; default: 90 days from now. */
  expiresAt: Date | undefined
}

/** A key with the company that it acts in. */
interface KeyInCompany {
  key: ApiKeyRow
  companyId: number
}

/** Returns true for a bearer token in the form of an API key, `ak_…`. */
export const isApiKey = (token: string): boolean => token.startsWith(PREFIX)

/** Throws 400 for a name, an end, roles or companies that no key can have. */
function checkNewKey(key: NewApiKey, now: Date): void {
  const length = key.name.trim().length
  if (length === 0 || length > NAME_CHARACTERS_MAX || /\p{C}/u.test(key.name))
    throw validation({ Name: say`A name must have 1 to ${NAME_CHARACTERS_MAX} visible characters` })
  if (key.roles.includes(SYSTEM_ROLE))
    throw validation({
      Roles: say`An API key cannot have the role System, which applies to all companies`,
    })
  if (key.companies.length === 0)
    throw validation({ Companies: say`Choose at least one company for the key` })
  const ahead = key.expiresAt && key.expiresAt.getTime() - now.getTime()
  if (ahead !== undefined && !(ahead > 0 && ahead <= API_KEY_LIFETIME_MAX_MS))
    throw validation({
      ExpiresAt: say`A key must expire in the future, within ${API_KEY_LIFETIME_MAX_MS / DAY} days`,
    })
}

/**
 * Makes a key of a user; resolves to it and to its secret, which nothing knows afterwards. Throws
 * 400 for roles and companies that are not the user's, and for one key too many.
 */
export async function saveNewKey(
  tx: Tx,
  userId: number,
  key: NewApiKey,
  by: { now: Date; userId: number },
): Promise<{ row: ApiKeyRow; secret: string }> {
  checkNewKey(key, by.now)
  const [roles, companies] = [[...new Set(key.roles)].sort(), [...new Set(key.companies)]]
  await requireOwn(tx, userId, { roles, companies })
  const at = by.now.toISOString()
  await tx.run('DELETE FROM svc_api_keys WHERE UserId = @userId AND ExpiresAt < @at', {
    userId,
    at,
  })
  if ((await loadKeys(tx, userId)).length >= KEYS_MAX)
    throw validation({ Name: say`A user can have at most ${KEYS_MAX} keys` })
  const secret = `${PREFIX}${newSecret()}`
  const expiresAt = key.expiresAt ?? new Date(by.now.getTime() + LIFETIME_MS)
  const values = {
    UserId: userId,
    Name: key.name.trim(),
    KeyHash: hashSecret(secret),
    Roles: JSON.stringify(roles),
    Companies: JSON.stringify(companies.sort((one, other) => one - other)),
    CreatedAt: at,
    CreatedBy: by.userId,
    ExpiresAt: expiresAt.toISOString(),
  }
  const Id = await insertRow(tx, apiKeys, values)
  return { row: { Id, ...values, RevokedAt: null }, secret }
}

/** Requires that each company is the user's, and each role theirs in one of these companies. */
async function requireOwn(
  tx: Tx,
  userId: number,
  { roles, companies }: Pick<NewApiKey, 'roles' | 'companies'>,
): Promise<void> {
  const found = await findUserRecord(tx, userId)
  const own = found?.companies.filter(({ isOpen }) => isOpen).map(({ id }) => id) ?? []
  if (companies.some((id) => !own.includes(id)))
    throw validation({ Companies: say`This user does not belong to that company` })
  const held = found?.roles.filter(
    ({ companyId }) => companyId === null || companies.includes(companyId),
  )
  const missing = roles.find((role) => !held?.some((one) => one.role === role))
  if (missing !== undefined)
    throw validation({
      Roles: say`You can only give roles that the user has in these companies, not ${missing}`,
    })
}

/** The keys of a user that are not revoked, the oldest first. */
export const loadKeys = (reader: Reader, userId: number): Promise<ApiKeyRow[]> =>
  allRows(reader, apiKeys, 'WHERE UserId = @userId AND RevokedAt IS NULL ORDER BY Id', { userId })

const REVOKE = `UPDATE svc_api_keys SET RevokedAt = @now
  WHERE Id = @id AND UserId = @userId AND RevokedAt IS NULL RETURNING *`

/** Revokes a key of a user; resolves to it, or to undefined when there is none. */
export const revokeKey = (
  tx: Tx,
  { id, userId }: { id: number; userId: number },
  now: Date,
): Promise<ApiKeyRow | undefined> =>
  tx.get<ApiKeyRow>(REVOKE, { id, userId, now: now.toISOString() })

/** Returns the key with that id while it is valid. Throws the 401 of an ended one. */
export async function requireKey(reader: Reader, id: number, now: Date): Promise<ApiKeyRow> {
  const row = await getRow(reader, apiKeys, 'WHERE Id = @id', { id })
  if (!row) throw keyEnded()
  return requireLive(row, now)
}

/**
 * Returns the key that a token is, and the company that it acts in: the one that the token names,
 * else the first by code that the user still belongs to. Throws the 401 of a false or ended key.
 */
export async function requireKeyOf(
  reader: Reader,
  token: string,
  now: Date,
): Promise<KeyInCompany> {
  const [, secret, code] = FORM.exec(token) ?? []
  if (secret === undefined) throw falseKey()
  const hash = hashSecret(secret)
  const row = await getRow(reader, apiKeys, 'WHERE KeyHash = @hash', { hash })
  if (!row) throw falseKey()
  const key = requireLive(row, now)
  const ids = readCompanies(key)
  const found = await findUserRecord(reader, key.UserId)
  const company = found?.companies.find(
    (one) => one.isOpen && ids.includes(one.id) && (code === undefined || one.code === code),
  )
  if (!company) throw keyEnded()
  return { key, companyId: company.id }
}

function requireLive(row: ApiKeyRow, now: Date): ApiKeyRow {
  if (row.RevokedAt !== null) throw keyEnded()
  if (row.ExpiresAt <= now.toISOString())
    throw unauthenticated(say`The API key has expired`, 'TOKEN_EXPIRED')
  return row
}

/** The names of the roles that a key leaves of its user's. */
export const readRoles = ({ Roles }: Pick<ApiKeyRow, 'Roles'>): string[] =>
  JSON.parse(Roles) as string[]

/** The ids of the companies that a key leaves of its user's. */
export const readCompanies = ({ Companies }: Pick<ApiKeyRow, 'Companies'>): number[] =>
  JSON.parse(Companies) as number[]

/** Limits a user's facts to a key's, in a company. Throws the 401 of a key of other companies. */
export function narrowFacts(
  facts: CallerFacts,
  key: ApiKeyRow,
): { facts: CallerFacts; limits: KeyLimits } {
  const [roles, companies] = [readRoles(key), readCompanies(key)]
  if (key.UserId !== facts.userId || !companies.includes(facts.companyId)) throw keyEnded()
  const limits = { id: key.Id, name: key.Name, roles, companies }
  return { facts: { ...facts, roles: facts.roles.filter((one) => roles.includes(one)) }, limits }
}

const falseKey = () => unauthenticated(say`The API key is not valid`, 'TOKEN_INVALID')
const keyEnded = () => unauthenticated(say`The API key is no longer valid`, 'SESSION_ENDED')
