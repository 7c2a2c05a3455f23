/** Signing in: a name and a password for the tokens of a new session. */
import { loadCompaniesOf } from '../../access/companies.ts'
import type { CompanyRow } from '../../access/companies.ts'
import { requirePasswordSize, verifyPassword } from '../../access/password.ts'
import { toUserNameKey } from '../../access/user-names.ts'
import { findUser, findUserById, saveLastCompany } from '../../access/users.ts'
import type { UserRow } from '../../access/users.ts'
import { denied, unauthenticated } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { issueTokens } from './identity.ts'
import type { Identity } from './identity.ts'
import type { LoginRequest, Tokens } from './schema.ts'

/** Where a sign-in comes from. */
export interface Origin {
  address: string
  client: string | undefined
}

/**
 * Checks the password, opens a session in the company and issues its tokens. 401 for an unknown
 * user, a locked one and a wrong password: the same answer after the same time. 429 when the user
 * or the address has failed too often, 503 when too many wait.
 */
export async function login(
  identity: Identity,
  body: LoginRequest,
  origin: Origin,
): Promise<Tokens> {
  requirePasswordSize(body.Password)
  const user = await requireSignIn(identity, body, origin.address)
  const company = await requireCompany(identity, user, body.CompanyId ?? undefined)
  const session = await identity.sessions.open({
    userId: user.Id,
    companyId: company.Id,
    client: origin.client,
    address: origin.address,
  })
  await requireUnchanged(identity, user, session.id)
  if (user.LastCompanyId !== company.Id)
    await identity.app.store.write((tx) => saveLastCompany(tx, user.Id, company.Id), {
      company: 'all',
    })
  return issueTokens(identity, session)
}

const refused = () => unauthenticated(say`The user name or the password is wrong`, 'SIGN_IN_FAILED')

async function requireSignIn(
  identity: Identity,
  { UserName, Password }: LoginRequest,
  address: string,
): Promise<UserRow> {
  const attempt = { userNameKey: toUserNameKey(UserName), address }
  // Before the queue as well: who is throttled does not take the place of others.
  await identity.throttle.require(attempt)
  return identity.passwords.run(async () => {
    const user = await findUser(identity.app.store, UserName)
    const hash = user?.Active ? user.PasswordHash : undefined
    const isRight = await identity.throttle.guard(attempt, () => verifyPassword(Password, hash))
    if (!isRight || !user) throw refused()
    return user
  })
}

/** The company asked for, else the one of the last sign-in, else the first by code. */
async function requireCompany(
  { app }: Identity,
  user: UserRow,
  wanted: number | undefined,
): Promise<CompanyRow> {
  const companies = await loadCompaniesOf(app.store, user.Id)
  const named = companies.find(({ Id }) => Id === (wanted ?? user.LastCompanyId))
  const company = wanted === undefined ? (named ?? companies[0]) : named
  if (company) return company
  throw denied(
    companies.length === 0
      ? say`This user belongs to no company; an administrator can add one`
      : say`This user does not belong to that company`,
  )
}

/**
 * A lock or a new password that came between the check and the session has not seen this session
 * yet, so that the session itself looks once more; whatever comes later ends it.
 */
async function requireUnchanged(
  { app, sessions }: Identity,
  user: UserRow,
  sessionId: string,
): Promise<void> {
  const now = await findUserById(app.store, user.Id)
  if (now?.Active && now.PasswordHash === user.PasswordHash) return
  await sessions.end(sessionId, 'The user changed while signing in')
  throw refused()
}
