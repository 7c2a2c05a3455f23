/** Creating users. */
import { validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { requireCompanyById } from '../../access/companies.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { requireOwnAttributes } from '../../access/rights/account-takeover-guard.ts'
import { requireInScope } from '../../access/rights/admin-scope.ts'
import { requireGivable, type UserWork } from '../../access/users/user-roles.ts'
import { saveNewUser } from '../../access/users/users.ts'
import type { RequestCall } from '../../server/call.ts'
import type { CreatedUser, NewUserRequest } from './user-schema.ts'
import { openUser, takePassword, write } from './users.ts'

/**
 * Creates a user in companies of the caller's, with roles that the caller may hand out; without a
 * company, in the caller's own. Without a password the answer has a one-time one, but for a service
 * account, which has none.
 */
export async function createUser(call: RequestCall, body: NewUserRequest): Promise<CreatedUser> {
  const { caller } = call
  requireNotImpersonated(caller)
  const own = [body.UserName, body.DisplayName, body.Email]
  const isMachine = body.ServiceAccount === true
  if (isMachine && typeof body.Password === 'string')
    throw validation({ Password: say`A service account cannot have a password` })
  const password = isMachine
    ? { hash: null, oneTime: undefined }
    : await takePassword(call, body.Password ?? undefined, own)
  const id = await write(call, { source: 'auth/users/create' }, (work) =>
    saveUser(work, body, { password, companyId: caller.companyId }),
  )
  const { user } = await openUser(call, id)
  return { ...user, ...(password.oneTime && { OneTimePassword: password.oneTime }) }
}

async function saveUser(
  work: UserWork,
  body: NewUserRequest,
  made: { password: { hash: string | null; oneTime: string | undefined }; companyId: number },
): Promise<number> {
  const roles = (body.Roles ?? []).map(({ Role, CompanyId }) => ({
    role: Role,
    companyId: CompanyId ?? null,
  }))
  for (const held of roles) requireGivable(work, held)
  const named = [...(body.Companies ?? []), ...roles.flatMap(({ companyId }) => companyId ?? [])]
  const isNone = named.length === 0 && !work.scope.isSystem
  const companies = new Map<number, string>()
  for (const id of isNone ? [made.companyId] : named) {
    requireInScope(work.scope, id)
    companies.set(id, (await requireCompanyById(work.tx, id)).Code)
  }
  const attributes = body.Attributes ?? {}
  requireOwnAttributes(work, companies.keys(), attributes)
  const user = {
    userName: body.UserName,
    displayName: body.DisplayName ?? undefined,
    email: body.Email ?? undefined,
    passwordHash: made.password.hash,
    mustChangePassword: made.password.oneTime !== undefined,
    roles: roles.map(({ role, companyId }) => ({
      role,
      company: companyId === null ? undefined : companies.get(companyId),
    })),
    companies: [...companies.values()],
    attributes,
    timeZone: body.TimeZone ?? undefined,
    language: body.Language ?? undefined,
    active: body.Active ?? undefined,
  }
  const options = { knownRoles: work.model.roles.keys(), actor: work.actor }
  return saveNewUser(work.tx, user, options)
}
