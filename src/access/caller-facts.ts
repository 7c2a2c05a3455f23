/** What a caller's rights follow from, as the tables say it now. */
import { and, asc, eq, isNull, or, readDatabase } from '../store/drizzle.ts'
import type { Reader } from '../store/store.ts'
import { userAttributes, userRoles } from '../store/tables/users.ts'
import { loadCompaniesOf } from './companies.ts'
import { isMfaEnabled } from './mfa.ts'
import { findUserById } from './users.ts'

/** A user in one of their companies. */
export interface CallerFacts {
  readonly userId: number
  readonly userName: string
  readonly displayName: string
  readonly email: string | undefined
  readonly mustChangePassword: boolean
  /** Whether sign-ins ask for a second factor. */
  readonly mfaEnabled: boolean
  readonly companyId: number
  readonly companyCode: string
  readonly companyName: string
  /** Global roles and those of this company, each once, sorted. */
  readonly roles: readonly string[]
  readonly attributes: Readonly<Record<string, string | undefined>>
  /** The user's zone, else the company's. */
  readonly timeZone: string
}

/**
 * Undefined when the user is locked or unknown, the company closed, or the user no member of it.
 */
export async function loadCallerFacts(
  reader: Reader,
  userId: number,
  companyId: number,
): Promise<CallerFacts | undefined> {
  const user = await findUserById(reader, userId)
  const company = (await loadCompaniesOf(reader, userId)).find(({ Id }) => Id === companyId)
  if (!user?.Active || !company) return undefined
  return {
    userId,
    userName: user.UserName,
    displayName: user.DisplayName,
    email: user.Email ?? undefined,
    mustChangePassword: user.MustChangePassword,
    mfaEnabled: await isMfaEnabled(reader, userId),
    companyId,
    companyCode: company.Code,
    companyName: company.Name,
    roles: await loadRoles(reader, userId, companyId),
    attributes: await loadAttributes(reader, userId),
    timeZone: user.TimeZone ?? company.TimeZone,
  }
}

async function loadRoles(reader: Reader, userId: number, companyId: number): Promise<string[]> {
  const rows = await readDatabase(reader)
    .selectDistinct({ role: userRoles.Role })
    .from(userRoles)
    .where(
      and(
        eq(userRoles.UserId, userId),
        or(isNull(userRoles.CompanyId), eq(userRoles.CompanyId, companyId)),
      ),
    )
    .orderBy(asc(userRoles.Role))
  return rows.map(({ role }) => role)
}

async function loadAttributes(reader: Reader, userId: number): Promise<Record<string, string>> {
  const rows = await readDatabase(reader)
    .select()
    .from(userAttributes)
    .where(eq(userAttributes.UserId, userId))
  // A name may be anything an operator typed, `__proto__` too: no prototype stands behind these.
  const attributes: Record<string, string> = Object.create(null)
  for (const { Name, Value } of rows) attributes[Name] = Value
  return attributes
}
