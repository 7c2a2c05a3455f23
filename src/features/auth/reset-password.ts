/** Setting a new password by the link of a mail. */
import { requireGoodPassword } from '../../access/password-rules.ts'
import { hashPassword, requirePasswordSize } from '../../access/password.ts'
import { toUserNameKey } from '../../access/user-names.ts'
import { findUserById, savePassword } from '../../access/users.ts'
import type { UserRow } from '../../access/users.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import type { PasswordResetRequest } from './schema.ts'
import { systemScope } from '../../store/store.ts'
import { PASSWORD_MIN_LENGTH } from '../../access/floor.ts'

/**
 * Sets the password, ends every session of the user and uses up all links; a second factor stays in
 * force, and nobody is signed in by it. 400 `RESET_INVALID` for a link that is unknown, used or
 * expired, 400 with `fieldErrors` for a password that is not good enough, for which the link stays.
 * 429 for an address that tried too many links.
 */
export async function resetPassword(
  app: AppContext,
  { Token, NewPassword }: PasswordResetRequest,
  way: { address: string; language: string; traceId: string },
): Promise<void> {
  requirePasswordSize(NewPassword)
  const user = await requireOwner(app, Token, way.address)
  requireGood(app, NewPassword, user)
  const by = { user: toUserNameKey(user.UserName), address: way.address }
  const hash = await app.identity.passwords.run(by, () => hashPassword(NewPassword))
  const { resets, sessions } = app.identity
  if (!(await resets.use(Token))) throw refused()
  const actor = {
    now: app.clock.now(),
    source: 'auth/password/reset',
    userId: user.Id,
    traceId: way.traceId,
    language: way.language,
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
  invalid(say`The link is not valid any more; ask for another one`, { code: 'RESET_INVALID' })

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

function requireGood(app: AppContext, password: string, { UserName, Email }: UserRow): void {
  const lengthMin = app.settings.get(PASSWORD_MIN_LENGTH)
  requireGoodPassword(password, { lengthMin, own: [UserName, Email] }, 'NewPassword')
}
