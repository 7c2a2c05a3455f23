/** Signing in: a name and a password for the tokens of a new session, or for a challenge. */
import { isMfaEnabled } from '../../access/mfa.ts'
import { requirePasswordSize, verifyPassword } from '../../access/password.ts'
import { toUserNameKey } from '../../access/user-names.ts'
import { findUser } from '../../access/users.ts'
import type { UserRow } from '../../access/users.ts'
import type { AppContext } from '../../server/context.ts'
import type { Tokens } from '../../server/token-schema.ts'
import { openChallenge } from './mfa-challenge.ts'
import type { MfaRequired } from './mfa-schema.ts'
import type { LoginRequest } from './schema.ts'
import { refusedSignIn, requireCompany, startSession } from './start-session.ts'
import type { ClientInfo } from './start-session.ts'

/**
 * Checks the password, opens a session in the company and issues its tokens; of a user with a
 * second factor it opens a challenge instead. 401 for an unknown user, a locked one and a wrong
 * password: the same answer after the same time. 429 when the user or the address has failed too
 * often, 503 when too many wait.
 */
export async function login(
  app: AppContext,
  body: LoginRequest,
  from: ClientInfo,
): Promise<Tokens | MfaRequired> {
  requirePasswordSize(body.Password)
  const user = await requireSignIn(app, body, from.address)
  const company = await requireCompany(app, user, body.CompanyId ?? undefined)
  if (await isMfaEnabled(app.store, user.Id)) return openChallenge(app, user, company.Id)
  return startSession(app, user, { companyId: company.Id, hasFactor: false }, from)
}

async function requireSignIn(
  app: AppContext,
  { UserName, Password }: LoginRequest,
  address: string,
): Promise<UserRow> {
  const attempt = { user: toUserNameKey(UserName), address }
  // Before the queue as well: who is throttled does not take the place of others.
  await app.identity.throttles.login.require(attempt)
  return app.identity.passwords.run(attempt, async () => {
    const user = await findUser(app.store, UserName)
    const hash = user?.Active ? user.PasswordHash : undefined
    const isRight = await app.identity.throttles.login.guard(attempt, () =>
      verifyPassword(Password, hash),
    )
    if (!isRight || !user) throw refusedSignIn()
    return user
  })
}
