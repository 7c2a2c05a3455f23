/** A user's own change of password, the one-time password's included. */
import type { Caller } from '../../access/caller.ts'
import { findPasswordFault } from '../../access/password-rules.ts'
import { hashPassword, requirePasswordSize, verifyPassword } from '../../access/password.ts'
import { toUserNameKey } from '../../access/user-names.ts'
import { findUserById, savePassword } from '../../access/users.ts'
import { conflict, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Identity } from './identity.ts'
import type { PasswordChangeRequest } from './schema.ts'

export interface ChangeOrigin {
  caller: Caller
  address: string
  traceId: string
}

/**
 * Replaces the caller's password and ends their other sessions. 400 with `fieldErrors` for a wrong
 * present password (which counts as a failed sign-in) or a new one that is not good enough; 409
 * when another change came first.
 */
export async function changePassword(
  identity: Identity,
  body: PasswordChangeRequest,
  origin: ChangeOrigin,
): Promise<void> {
  requirePasswordSize(body.Password)
  requirePasswordSize(body.NewPassword)
  requireGood(identity, body, origin.caller)
  const change = await identity.passwords.run(() => checkAndHash(identity, body, origin))
  const { userId, sessionId, companyId } = origin.caller
  const endOthers = () => identity.sessions.endAll(userId, 'The password changed', sessionId)
  // Before as well as after: a crash between the two files leaves no session of the old password.
  await endOthers()
  const { store, clock, callers } = identity.app
  const actor = {
    now: clock.now(),
    source: 'auth/password/change',
    userId,
    companyId,
    traceId: origin.traceId,
  }
  const isChanged = await store.write(
    (tx) => savePassword(tx, userId, { ...change, mustChange: false }, actor),
    { company: 'all' },
  )
  callers.forgetUser(userId)
  await endOthers()
  if (!isChanged) throw conflict(say`The password was changed by someone else`)
}

function requireGood(
  { app }: Identity,
  { Password, NewPassword }: PasswordChangeRequest,
  { userName, email }: Caller,
): void {
  const rules = {
    lengthMin: app.settings.get('Svc:Password:MinLength'),
    own: [userName, ...(email === undefined ? [] : [email.replace(/@.*/, '')])],
  }
  const fault =
    NewPassword === Password
      ? say`The new password is the present one`
      : findPasswordFault(NewPassword, rules)
  if (fault !== undefined) throw validation({ NewPassword: fault })
}

async function checkAndHash(
  { app, throttle }: Identity,
  body: PasswordChangeRequest,
  { caller, address }: ChangeOrigin,
): Promise<{ hash: string; from: string | null }> {
  const from = (await findUserById(app.store, caller.userId))?.PasswordHash ?? null
  const attempt = { userNameKey: toUserNameKey(caller.userName), address }
  if (!(await throttle.guard(attempt, () => verifyPassword(body.Password, from))))
    throw validation({ Password: say`The password is wrong` })
  return { hash: await hashPassword(body.NewPassword), from }
}
