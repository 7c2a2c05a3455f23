/** A user's own password: changed by the present one, or set again by the link of a mail. */
import { conflict, invalid, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { text } from '../../kernel/setting.ts'
import { systemScope } from '../../store/store.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { PASSWORD_MIN_LENGTH } from '../../access/floor.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { NOBODY, RESET_LIFETIME_MS } from '../../access/passwords/password-reset.ts'
import { type PasswordRules, requireGoodPassword } from '../../access/passwords/password-rules.ts'
import {
  hashPassword,
  requirePasswordSize,
  verifyPassword,
} from '../../access/passwords/password.ts'
import { findUserToSignIn } from '../../access/users/recipients.ts'
import { findUserLanguage, LANGUAGE } from '../../access/users/spoken-language.ts'
import { toUserNameKey } from '../../access/users/user-names.ts'
import { findUserById, savePassword, type UserRow } from '../../access/users/users.ts'
import type { Mail } from '../../engine/mail/mail.ts'
import { authorOf, type ClientInfo, type OwnRequest } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import { RESET } from '../../server/floor.ts'
import { writeResetEmail } from './emails.ts'
import type {
  PasswordChangeRequest,
  PasswordForgotRequest,
  PasswordResetRequest,
} from './schema.ts'

/**
 * Replaces the caller's password, ends their other sessions and links that would set another one,
 * and tells them by mail. Refused to an impersonator. 400 with `fieldErrors` for a wrong present
 * password (which counts as a failed sign-in) or a new one that is not good enough; 409 when
 * another change came first.
 */
export async function changePassword(
  app: AppContext,
  body: PasswordChangeRequest,
  from: OwnRequest,
): Promise<void> {
  const { caller, address } = from
  const { userId, sessionId, userName, email } = caller
  requireNotImpersonated(caller)
  requirePasswordSize(body.Password)
  requirePasswordSize(body.NewPassword)
  if (body.NewPassword === body.Password)
    throw validation({ NewPassword: say`The new password must differ from the current one` })
  requireGood(app, body.NewPassword, [userName, email])
  const by = { user: toUserNameKey(userName), address }
  const change = await app.identity.passwords.run(by, () => checkAndHash(app, body, from))
  const { store, callers } = app
  const actor = authorOf(app, from, 'auth/password/change')
  const end = { userId, because: 'The password changed', except: sessionId }
  const isChanged = await app.identity.sessions.endAround(end, () =>
    store.write(
      (tx) => savePassword(tx, userId, { ...change, mustChange: false }, actor),
      scopeOf(caller, 'users belong to no one company'),
    ),
  )
  callers.forgetUser(userId)
  if (!isChanged) throw conflict(say`The password was changed in the meantime. Please try again.`)
  await app.identity.resets.endAll(userId)
}

function requireGood(app: AppContext, password: string, own: PasswordRules['own']): void {
  const lengthMin = app.settings.get(PASSWORD_MIN_LENGTH)
  requireGoodPassword(password, { lengthMin, own }, 'NewPassword')
}

async function checkAndHash(
  app: AppContext,
  body: PasswordChangeRequest,
  { caller, address }: OwnRequest,
): Promise<{ hash: string; from: string | null }> {
  const user = await findUserById(app.store, caller.userId)
  const from = user?.PasswordHash ?? null
  const attempt = { user: toUserNameKey(caller.userName), address }
  const { login } = app.identity.throttles
  const isRight = await login.guard(attempt, () => verifyPassword(body.Password, from))
  if (!isRight) throw validation({ Password: say`The password is wrong` })
  return { hash: await hashPassword(body.NewPassword), from }
}

export const RESET_PATH = text(
  'Svc:Mail:ResetPath',
  'Page under the base address that sets a new password, given ?token=',
  '/reset-password',
  { pattern: /^\/[^\s?\\]*$/, expected: 'a path like /reset-password' },
)

/**
 * Counts the request, for an unknown name as well, and leaves all else for after the answer:
 * status, words and time are the same for every name. 429 when a name or an address asked too
 * often.
 */
export async function forgotPassword(
  app: AppContext,
  { UserName }: PasswordForgotRequest,
  from: ClientInfo,
): Promise<void> {
  const attempt = { user: toUserNameKey(UserName), address: from.address }
  await app.identity.throttles.reset.spend(attempt)
  app.mailer.send({
    topic: 'password reset',
    write: () => writeReset(app, UserName),
    withinMs: RESET_LIFETIME_MS,
  })
}

/** Takes the same steps for every name; for an unknown one they make a link that is never sent. */
async function writeReset(app: AppContext, name: string): Promise<Mail | undefined> {
  const { resets } = app.identity
  const user = await findUserToSignIn(app.store, name)
  const candidate = user?.Active && user.Email !== null ? user : undefined
  // A name and an address may lead to the same user, and be asked for alternately.
  const isOften =
    (await resets.count(candidate?.Id ?? NOBODY)) >= app.settings.get(RESET.userAttempts)
  const owner = isOften ? undefined : candidate
  const token = await resets.open(owner?.Id ?? NOBODY)
  if (!owner) return undefined
  const own = await findUserLanguage(app.store, owner.Id, null)
  const language = own ?? app.settings.get(LANGUAGE)
  const link = app.links.to(app.settings.get(RESET_PATH), { token })
  return writeResetEmail(owner, link, language)
}

/**
 * Sets the password, ends every session of the user and uses up all links; a second factor stays in
 * force, and the user is not signed in by it. 400 `RESET_INVALID` for a link that is unknown, used
 * or expired, 400 with `fieldErrors` for a password that is not good enough, for which the link
 * stays. 429 for an address that tried too many links.
 */
export async function resetPassword(
  app: AppContext,
  { Token, NewPassword }: PasswordResetRequest,
  from: ClientInfo,
): Promise<void> {
  requirePasswordSize(NewPassword)
  const user = await requireOwner(app, Token, from.address)
  requireGood(app, NewPassword, [user.UserName, user.Email])
  const by = { user: toUserNameKey(user.UserName), address: from.address }
  const hash = await app.identity.passwords.run(by, () => hashPassword(NewPassword))
  const { resets, sessions } = app.identity
  if (!(await resets.use(Token))) throw refused()
  const actor = {
    now: app.clock.now(),
    source: 'auth/password/reset',
    userId: user.Id,
    traceId: from.traceId,
    language: app.settings.get(LANGUAGE),
  }
  const change = { hash, mustChange: false, from: user.PasswordHash }
  const end = { userId: user.Id, because: 'The password was reset' }
  const isChanged = await sessions.endAround(end, () =>
    app.store.write(
      (tx) => savePassword(tx, user.Id, change, actor),
      systemScope('users belong to no one company'),
    ),
  )
  app.callers.forgetUser(user.Id)
  await resets.endAll(user.Id)
  if (!isChanged) throw refused()
}

const refused = () =>
  invalid(say`This link is no longer valid. Please request a new one.`, { code: 'RESET_INVALID' })

/**
 * Whose link it is, while they may sign in at all and nothing of them has changed since: the
 * address that it went to, say. What fails counts against the caller's address.
 */
async function requireOwner(app: AppContext, token: string, address: string): Promise<UserRow> {
  const { resets, throttles } = app.identity
  const attempt = { user: undefined, address }
  await throttles.reset.require(attempt)
  const link = await resets.find(token)
  const user = link && (await findUserById(app.store, link.userId))
  if (link && user?.Active && user.ChangedAt <= link.createdAt) return user
  await throttles.reset.fail(attempt)
  throw refused()
}
