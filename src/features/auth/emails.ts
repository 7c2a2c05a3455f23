/** The mails of `/api/v1/auth`. */
import { say } from '../../kernel/messages.ts'
import { RESET_LIFETIME_MS } from '../../access/passwords/password-reset.ts'
import { toLocal } from '../../access/security-notification.ts'
import type { UserRow } from '../../access/users/users.ts'
import { type EmailTemplate, renderEmail } from '../../engine/mail/email-template.ts'
import type { Mail } from '../../engine/mail/mail.ts'

/** Recipient of a mail, with the zone of its times. */
type Recipient = Pick<UserRow, 'UserName' | 'DisplayName' | 'Email' | 'TimeZone'>

const IF_NOT_YOU = say`If this was not you, change your password now and end all sessions.`

/** The link that sets a new password. */
export function writeResetEmail(user: Recipient, link: string, language: string): Mail {
  const minutes = RESET_LIFETIME_MS / 60_000
  const paragraphs = [
    say`Someone requested a new password for ${user.UserName}. Set it on this page:`,
    { link },
    say`The link works once, within ${minutes} minutes. If this was not you, ignore this mail.`,
  ]
  return address(user, { subject: say`Set a new password`, paragraphs }, language)
}

/** Writes the mail about a user's sign-in with a client that is new to them. */
export function writeDeviceEmail(
  user: Recipient,
  sign: { at: Date; client: string | undefined; address: string },
  language: string,
): Mail {
  const paragraphs = [
    say`${user.UserName} signed in from a new client: ${toLocal(sign.at, user)}.`,
    say`Client: ${toShown(sign.client ?? '?')}`,
    say`Address: ${toShown(sign.address)}`,
    IF_NOT_YOU,
  ]
  return address(user, { subject: say`Sign-in from a new client`, paragraphs }, language)
}

function address(user: Recipient, template: EmailTemplate, language: string): Mail {
  const to = { name: user.DisplayName, address: user.Email ?? '' }
  return { to, ...renderEmail(template, language) }
}

const SHOWN_CHARACTERS_MAX = 200

/** Returns a client's name for itself, without invisible characters. */
const toShown = (text: string): string =>
  text.replace(/\p{C}+/gu, ' ').slice(0, SHOWN_CHARACTERS_MAX)
