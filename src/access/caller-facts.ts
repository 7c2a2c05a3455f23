/** What a caller is judged by, as the tables say it now. */
import { and, asc, eq, isNull, or, readDatabase } from '../store/drizzle.ts'
import type { Reader } from '../store/store.ts'
import {
  companies,
  userAttributes,
  userCompanies,
  userRoles,
  users,
} from '../store/tables/users.ts'

/** A user in one of their companies. */
export interface CallerFacts {
  readonly userId: number
  readonly userName: string
  readonly displayName: string
  readonly email: string | undefined
  readonly mustChangePassword: boolean
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
  const database = readDatabase(reader)
  const [member] = await database
    .select({ user: users, company: companies })
    .from(users)
    .innerJoin(userCompanies, eq(userCompanies.UserId, users.Id))
    .innerJoin(companies, eq(companies.Id, userCompanies.CompanyId))
    .where(and(eq(users.Id, userId), eq(companies.Id, companyId)))
  if (!member?.user.Active || !member.company.Active) return undefined
  const { user, company } = member
  return {
    userId,
    userName: user.UserName,
    displayName: user.DisplayName,
    email: user.Email ?? undefined,
    mustChangePassword: user.MustChangePassword,
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
