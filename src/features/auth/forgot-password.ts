/** Asking for a link that sets a new password. */
import { NOBODY, RESET_LIFETIME_MS } from '../../access/password-reset.ts'
import { findUserByEmail } from '../../access/recipients.ts'
import { toUserNameKey } from '../../access/user-names.ts'
import { findUser } from '../../access/users.ts'
import type { Mail } from '../../engine/mail/mail.ts'
import type { AppContext } from '../../server/context.ts'
import { writeResetEmail } from './emails.ts'
import type { PasswordForgotRequest } from './schema.ts'
import { RESET } from '../../server/floor.ts'
import { text } from '../../kernel/setting.ts'

export const RESET_PATH = text(
  'Svc:Mail:ResetPath',
  'Page under the base address that sets a new password, given ?token=',
  '/reset-password',
  { pattern: /^\/[^\s?\\]*$/, expected: 'a path like /reset-password' },
)

/**
 * Counts the asking, for a name that nobody has as well, and leaves all else for after the answer:
 * status, words and time are the same for every name. 429 when a name or an address asked too
 * often.
 */
export async function forgotPassword(
  app: AppContext,
  { UserName }: PasswordForgotRequest,
  way: { address: string; language: string },
): Promise<void> {
  const attempt = { user: toUserNameKey(UserName), address: way.address }
  await app.identity.throttles.reset.spend(attempt)
  app.mailer.send({
    topic: 'password reset',
    write: () => writeReset(app, UserName, way.language),
    withinMs: RESET_LIFETIME_MS,
  })
}

/** The same steps for every name; for one that nobody has they lead to a link that nobody gets. */
async function writeReset(
  app: AppContext,
  name: string,
  language: string,
): Promise<Mail | undefined> {
  const { resets } = app.identity
  const [named, mailed] = await Promise.all([
    findUser(app.store, name),
    findUserByEmail(app.store, name),
  ])
  const user = named ?? mailed
  const reachable = user?.Active && user.Email !== null ? user : undefined
  // A name and an address may lead to the same user, and be asked for alternately.
  const isOften =
    (await resets.count(reachable?.Id ?? NOBODY)) >= app.settings.get(RESET.userAttempts)
  const told = isOften ? undefined : reachable
  const token = await resets.open(told?.Id ?? NOBODY)
  if (!told) return undefined
  const link = app.links.to(app.settings.get(RESET_PATH), { token })
  return writeResetEmail(told, link, language)
}
