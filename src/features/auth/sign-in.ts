/** Signing in: a name and a password for the tokens of a new session, or for a challenge. */
import { Failure, unauthenticated } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { systemScope } from '../../store/store.ts'
import type { ChallengeRow } from '../../access/mfa/challenges.ts'
import { type CodeOutcome, isMfaEnabled, spendCode } from '../../access/mfa/mfa.ts'
import { requirePasswordSize, verifyPassword } from '../../access/passwords/password.ts'
import { findUserToSignIn } from '../../access/users/recipients.ts'
import { toUserNameKey } from '../../access/users/user-names.ts'
import { findUserById, type UserRow } from '../../access/users/users.ts'
import type { ClientInfo } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import { MFA } from '../../server/floor.ts'
import type { Tokens } from '../../server/token-schema.ts'
import {
  type LoginRequest,
  METHODS,
  type MfaChallenge,
  type MfaChallengeRequest,
  type MfaRequired,
  type MfaVerifyRequest,
} from './schema.ts'
import { refusedSignIn, requireCompany, startSession } from './start-session.ts'

/**
 * Checks the password, opens a session in the company and issues its tokens; of a user with a
 * second factor it opens a challenge instead. The name may be the user's mail address. 401 for an
 * unknown user, a locked one and a wrong password: the same answer after the same time. 429 when
 * the user or the address has failed too often, 503 when too many wait.
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
  // By a name and by an address the same user's failures are counted.
  const named = await findUserToSignIn(app.store, UserName)
  const attempt = { user: named?.UserNameKey ?? toUserNameKey(UserName), address }
  // Before the queue as well: a throttled user does not take the place of others.
  await app.identity.throttles.login.require(attempt)
  return app.identity.passwords.run(attempt, async () => {
    const user = await findUserToSignIn(app.store, UserName)
    const hash = user?.Active ? user.PasswordHash : undefined
    const isRight = await app.identity.throttles.login.guard(attempt, () =>
      verifyPassword(Password, hash),
    )
    if (!isRight || !user) throw refusedSignIn()
    return user
  })
}

/** Asks the user, whose password was right, for a code. */
async function openChallenge(
  app: AppContext,
  user: UserRow,
  companyId: number,
): Promise<MfaRequired> {
  const lifetime = app.settings.get(MFA.challengeLifetime)
  return {
    MfaRequired: true,
    ChallengeId: await app.identity.challenges.open(user, companyId),
    Methods: [...METHODS],
    ExpiresIn: Math.floor(lifetime / 1000),
  }
}

/**
 * Chooses the method that a challenge will be met by. No method of ours sends anything, so that the
 * answer only shows that the challenge still waits. 401 when it does not.
 */
export async function chooseMethod(
  app: AppContext,
  { ChallengeId, Method }: MfaChallengeRequest,
): Promise<MfaChallenge> {
  const challenge = await app.identity.challenges.findWaiting(ChallengeId)
  if (!challenge) throw challengeOver()
  const left = Date.parse(challenge.ExpiresAt) - app.clock.now().getTime()
  return { ChallengeId, Method, ExpiresIn: Math.floor(left / 1000) }
}

/**
 * Takes the code that a challenge asks for, opens the session and issues its tokens. 401 for a
 * challenge that is unknown or over and for a wrong code or one that was taken before; when the
 * user's codes were wrong too often also for the right one, with `Retry-After`. 429 for an address
 * that has failed too often.
 */
export async function verifyChallenge(
  app: AppContext,
  body: MfaVerifyRequest,
  from: ClientInfo,
): Promise<Tokens> {
  const { challenges } = app.identity
  const challenge = await challenges.findWaiting(body.ChallengeId)
  if (!challenge) throw challengeOver()
  // First and last: an ended sign-in tries no code, and one that ended meanwhile stays ended.
  await requireOpen(app, challenge)
  await takeCode(app, challenge, body.Code, from)
  const user = await requireOpen(app, challenge)
  const company = await requireCompany(app, user, challenge.CompanyId)
  if (!(await challenges.end(challenge))) throw challengeOver()
  return startSession(app, user, { companyId: company.Id, hasFactor: true }, from)
}

async function requireOpen(app: AppContext, challenge: ChallengeRow): Promise<UserRow> {
  const user = await findUserById(app.store, challenge.UserId)
  if (!user || !app.identity.challenges.isOf(challenge, user)) throw challengeOver()
  return user
}

const challengeOver = () =>
  unauthenticated(say`This sign-in has expired. Please sign in again.`, 'MFA_CHALLENGE_INVALID')

const codeRefused = () => unauthenticated(say`The code is wrong`, 'MFA_CODE_INVALID')

/** Returns when the code was right and is used up; throws the 401 or the 429 else. */
async function takeCode(
  app: AppContext,
  challenge: ChallengeRow,
  code: string,
  from: ClientInfo,
): Promise<void> {
  const { challenges, throttles } = app.identity
  const { address } = from
  const user = String(challenge.UserId)
  // The address's limit answers as any; the user's must not show whether the code is right.
  await throttles.mfa.require({ user: undefined, address })
  const spend = () => spendOnce(app, challenge, code, from)
  const isRight = await throttles.mfa.guard({ user, address }, spend).catch(toRefusal)
  if (isRight) return
  await challenges.fail(challenge)
  if (await throttles.mfa.isReached({ user, address })) await challenges.endAll(challenge.UserId)
  throw codeRefused()
}

/** Throws for a code that was taken before: that is refused, and counted as no guess. */
async function spendOnce(
  app: AppContext,
  challenge: ChallengeRow,
  code: string,
  { traceId, language }: ClientInfo,
): Promise<boolean> {
  const owner = { userId: challenge.UserId, sealKey: app.keys.sealKey }
  const actor = {
    now: app.clock.now(),
    source: 'auth/mfa/verify',
    userId: challenge.UserId,
    companyId: challenge.CompanyId,
    traceId,
    language,
  }
  const outcome: CodeOutcome = await app.store.write(
    (tx) => spendCode(tx, owner, code, actor),
    systemScope('users belong to no one company'),
  )
  if (outcome === 'repeated') throw codeRefused()
  if (outcome === 'none') throw challengeOver()
  return outcome === 'taken'
}

/** Turns the user's limit into the 401 of a wrong code, which ends the sign-in. */
function toRefusal(thrown: unknown): never {
  if (!(thrown instanceof Failure) || thrown.kind !== 'tooMany') throw thrown
  throw new Failure('unauthorized', say`Too many wrong codes. Try again later.`, {
    code: 'MFA_LOCKED',
    headers: { ...thrown.headers, 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}
