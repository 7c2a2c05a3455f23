/**
 * Security notifications: mails that tell owners of accounts about changes to them. Each is
 * enqueued in the transaction of the change: no change is without its mail. None holds a secret.
 */
import { type Message, renderMessage, say } from '../kernel/messages.ts'
import { firstZone } from '../kernel/zones.ts'
import { getRow, insertRow } from '../store/rows.ts'
import type { Tx } from '../store/store.ts'
import { type MailPayload, outbox } from '../store/tables/outbox.ts'
import { users } from '../store/tables/users.ts'
import type { Actor } from './audit-entry.ts'
import { findUserLanguage } from './users/spoken-language.ts'

type SecurityEvent =
  | 'password'
  | 'factor confirmed'
  | 'factor removed'
  | 'recovery code'
  | 'api key'
  | 'address left'
  | 'address joined'

type Owner = Pick<
  typeof users.$inferSelect,
  'Id' | 'UserName' | 'DisplayName' | 'Email' | 'TimeZone'
>

/** Default language of a mail. */
const LANGUAGE = 'en'

const SUBJECTS: Readonly<Record<SecurityEvent, Message>> = {
  password: say`Your password was changed`,
  'factor confirmed': say`A second factor was set up`,
  'factor removed': say`Your second factor was removed`,
  'recovery code': say`A recovery code was used`,
  'api key': say`An API key was created`,
  'address left': say`Your email address was changed`,
  'address joined': say`Your email address was changed`,
}

function describe(event: SecurityEvent, name: string, at: string): Message {
  switch (event) {
    case 'password':
      return say`The password of ${name} was changed: ${at}.`
    case 'factor confirmed':
      return say`Signing in as ${name} now requires a code from an authenticator app: ${at}.`
    case 'factor removed':
      return say`Signing in as ${name} no longer requires a second factor: ${at}.`
    case 'recovery code':
      return say`One of the recovery codes of ${name} was used: ${at}.`
    case 'api key':
      return say`An API key that acts as ${name} was created: ${at}.`
    case 'address left':
      return say`Emails to ${name} no longer go to this address: ${at}.`
    case 'address joined':
      return say`Emails to ${name} now go to this address: ${at}.`
  }
}

const IF_NOT_YOU = say`If this was not you, change your password now and end all sessions.`

/** Names the author of a change; on the command line there is no signed-in user. */
const describeActor = (actor: Actor, owner: Owner): Message =>
  actor.userId === owner.Id && actor.impersonatorId === undefined
    ? IF_NOT_YOU
    : say`An administrator of this application did this. If you do not know why, ask them.`

/** Notifies a user, if they have an address. */
export async function notifyOwner(
  tx: Tx,
  userId: number,
  event: SecurityEvent,
  actor: Actor,
): Promise<void> {
  const owner = await getRow(tx, users, 'WHERE Id = @userId', { userId })
  if (owner) await notifyAddress(tx, owner, event, actor)
}

/** Notifies the owner at the address that `owner` has: a former one, too. */
export async function notifyAddress(
  tx: Tx,
  owner: Owner,
  event: SecurityEvent,
  actor: Actor,
): Promise<void> {
  if (owner.Email === null) return
  const own = await findUserLanguage(tx, owner.Id, null)
  const language = own ?? actor.language ?? LANGUAGE
  const at = toLocal(actor.now, owner)
  const body = [describe(event, owner.UserName, at), describeActor(actor, owner)]
  const payload: MailPayload = {
    To: `${owner.DisplayName.replace(/[<>",;\p{C}]/gu, ' ')} <${owner.Email}>`,
    Role: null,
    User: null,
    Users: null,
    Report: null,
    With: {},
    Subject: renderMessage(SUBJECTS[event], language),
    Body: body.map((message) => renderMessage(message, language)).join('\n\n'),
  }
  await insertRow(tx, outbox, {
    At: actor.now.toISOString(),
    Kind: 'mail',
    UserId: actor.userId ?? null,
    Source: actor.source,
    Payload: JSON.stringify(payload),
    State: 'pending',
    Attempts: 0,
  })
}

/** `2026-11-21 23:17 (Europe/Berlin)`. */
export function toLocal(at: Date, { TimeZone }: Pick<Owner, 'TimeZone'>): string {
  const timeZone = firstZone(TimeZone)
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  return `${format.format(at)} (${timeZone})`
}
