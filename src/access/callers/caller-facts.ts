/** Facts that a caller's rights follow from, as the tables have them now. */
import { firstZone } from '../../kernel/zones.ts'
import type { Reader } from '../../store/store.ts'
import { findUserRecord } from '../users/user-records.ts'

/** A user in one of their companies. */
export interface CallerFacts {
  readonly userId: number
  readonly userName: string
  readonly displayName: string
  readonly email: string | undefined
  readonly mustChangePassword: boolean
  /** True when sign-ins ask for a second factor. */
  readonly mfaEnabled: boolean
  readonly companyId: number
  readonly companyCode: string
  readonly companyName: string
  /** Global roles and those of this company, each once, sorted. */
  readonly roles: readonly string[]
  readonly attributes: Readonly<Record<string, string | undefined>>
  /** The user's zone, else the company's. */
  readonly timeZone: string
  /** The user's own language, for mails to them; undefined: the company's. */
  readonly language: string | undefined
}

/**
 * Loads the facts of a user in a company; undefined for a locked or unknown user, a closed company
 * and a user who is not a member of it.
 */
export async function loadCallerFacts(
  reader: Reader,
  userId: number,
  companyId: number,
): Promise<CallerFacts | undefined> {
  const found = await findUserRecord(reader, userId)
  const company = found?.companies.find(({ id }) => id === companyId)
  if (!found?.user.Active || !company?.isOpen) return undefined
  const { user, roles, attributes, hasMfa } = found
  const here = roles.filter((held) => held.companyId === null || held.companyId === companyId)
  return {
    userId,
    userName: user.UserName,
    displayName: user.DisplayName,
    email: user.Email ?? undefined,
    mustChangePassword: user.MustChangePassword,
    mfaEnabled: hasMfa,
    companyId,
    companyCode: company.code,
    companyName: company.name,
    roles: [...new Set(here.map(({ role }) => role))],
    // A name may be anything an operator typed, `__proto__` too: the object has no prototype.
    attributes: Object.assign(Object.create(null) as object, attributes),
    timeZone: firstZone(user.TimeZone, company.timeZone),
    language: user.Language ?? undefined,
  }
}
