/**
 * Account takeover guard. A caller who sets a password, removes a second factor or changes a mail
 * address can act as that user: through an account that they administer, or make, no caller gains
 * more than they hold or may hand out to others.
 */
import { denied } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { requireWhole } from './admin-scope.ts'
import { listNarrowing, mayAssign } from './delegation.ts'
import type { UserRecord } from '../users/user-records.ts'
import type { UserWork } from '../users/user-roles.ts'

type TakeoverCheck = Pick<UserWork, 'scope' | 'model'>

/**
 * Throws 401 unless the caller could give, in each company of a user, the roles that the user holds
 * there: an admin who hires a clerk also gives the clerk a new password.
 */
export function requireNoMore(check: TakeoverCheck, target: UserRecord): void {
  const { scope, model } = check
  requireWhole(scope, target)
  for (const { id } of target.companies)
    for (const { role, companyId } of target.roles)
      if ((companyId ?? id) === id && !mayAssign(scope.giverIn(id), model, role))
        throw denied(say`This user has more permissions than you`)
  const companies = target.companies.map(({ id }) => id)
  requireOwnAttributes(check, companies, target.attributes)
}

/**
 * Throws 401 for an attribute by which the caller sees fewer rows, with another value than their
 * own. A value that was so before may stay, and one that is absent shows nothing.
 */
export function requireOwnAttributes(
  { scope, model }: TakeoverCheck,
  companies: Iterable<number>,
  given: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>> = {},
): void {
  for (const id of companies) {
    const narrowing = listNarrowing(scope.giverIn(id), model)
    for (const [name, value] of Object.entries(given))
      if (narrowing.has(name) && value !== before[name] && value !== scope.attributes[name])
        throw denied(say`You can only give the attribute ${name} the value that you have yourself`)
  }
}
