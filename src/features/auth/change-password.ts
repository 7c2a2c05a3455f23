/** A user's own change of password, the one-time password's included. */
import { actorOf } from '../../access/audit-entry.ts'
import type { Caller } from '../../access/caller.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { requireGoodPassword } from '../../access/password-rules.ts'
import { hashPassword, requirePasswordSize, verifyPassword } from '../../access/password.ts'
import { scopeOf } from '../../access/caller-validity.ts'
import { toUserNameKey } from '../../access/user-names.ts'
import { findUserById, savePassword } from '../../access/users.ts'
import { conflict, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import type { PasswordChangeRequest } from './schema.ts'
import { PASSWORD_MIN_LENGTH } from '../../access/floor.ts'

export interface PasswordChange {
  caller: Caller
  address: string
  language: string
  traceId: string
}

/**
 * Replaces the caller's password, ends their other sessions and links that would set another one,
 * and tells them by mail. Refused while somebody acts as them. 400 with `fieldErrors` for a wrong
 * present password (which counts as a failed sign-in) or a new one that is not good enough; 409
 * when another change came first.
 */
export async function changePassword(
  app: AppContext,
  body: PasswordChangeRequest,
  origin: PasswordChange,
): Promise<void> {
  requireNotImpersonated(origin.caller)
  requirePasswordSize(body.Password)
  requirePasswordSize(body.NewPassword)
  requireGood(app, body, origin.caller)
  const by = { user: toUserNameKey(origin.caller.userName), address: origin.address }
  const change = await app.identity.passwords.run(by, () => checkAndHash(app, body, origin))
  const { userId, sessionId } = origin.caller
  const { store, clock, callers } = app
  const actor = actorOf(origin.caller, {
    now: clock.now(),
    source: 'auth/password/change',
    traceId: origin.traceId,
    language: origin.language,
  })
  const end = { userId, because: 'The password changed', except: sessionId }
  const isChanged = await app.identity.sessions.endAround(end, () =>
    store.write(
      (tx) => savePassword(tx, userId, { ...change, mustChange: false }, actor),
      scopeOf(origin.caller, 'users belong to no one company'),
    ),
  )
  callers.forgetUser(userId)
  if (!isChanged) throw conflict(say`The password was changed by someone else`)
  await app.identity.resets.endAll(userId)
}

function requireGood(
  app: AppContext,
  { Password, NewPassword }: PasswordChangeRequest,
  { userName, email }: Caller,
): void {
  if (NewPassword === Password)
    throw validation({ NewPassword: say`The new password is the present one` })
  const lengthMin = app.settings.get(PASSWORD_MIN_LENGTH)
  requireGoodPassword(NewPassword, { lengthMin, own: [userName, email] }, 'NewPassword')
}

async function checkAndHash(
  app: AppContext,
  body: PasswordChangeRequest,
  { caller, address }: PasswordChange,
): Promise<{ hash: string; from: string | null }> {
  const from = (await findUserById(app.store, caller.userId))?.PasswordHash ?? null
  const attempt = { user: toUserNameKey(caller.userName), address }
  if (
    !(await app.identity.throttles.login.guard(attempt, () => verifyPassword(body.Password, from)))
  )
    throw validation({ Password: say`The password is wrong` })
  return { hash: await hashPassword(body.NewPassword), from }
}
