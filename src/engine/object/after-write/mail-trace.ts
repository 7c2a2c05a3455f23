/** Traces of mails about a record: what they are about and to whom, without their body. */
import { renderMessage } from '../../../kernel/messages.ts'
import type { SqlArg, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { MailPayload } from '../../../store/tables/outbox.ts'
import type { Effect } from '../../../model/compiled/effect.ts'
import type { Model } from '../../../model/model.ts'
import { namedUsers } from '../../../access/users/recipients.ts'
import type { EffectSubject } from './outbox.ts'
import { addTrace } from './record-traces.ts'
import type { Context } from '../context.ts'

/** The facts of such a trace, as the audit log has them. */
export interface MailFacts {
  /** Its Id in the outbox; undefined for mails that jobs send. */
  Mail?: number
  /** The instance of a workflow whose task it is about. */
  Instance?: number
  Subject: string
  /** Subjects in languages in which they are others, by tag in lower case. */
  Subjects?: Readonly<Record<string, string>>
  /** The view or entity whose effect it is. */
  Object: string
  /**
   * Names whose values its subject tells. A name that stands there by its label has the key of the
   * record that it referred to; null for all others.
   */
  Named: Readonly<Record<string, string | number | null>>
  /** The addresses that it names. */
  To?: string
  Role?: string
  /** Ids of the users that it names. */
  Users?: readonly number[]
  Report?: string
}

/** The cause of a mail. */
interface MailCause {
  tx: Tx
  context: Context
  owner: { readonly name: string }
  subject: EffectSubject
}

/** A mail that was put into the outbox. */
interface EnqueuedMail {
  id: number
  payload: MailPayload
  effect: Effect<'mail'>
}

/** Traces a mail; `find` tells the values that its texts were filled with. */
export async function traceMail(
  { tx, context, owner, subject }: MailCause,
  { id, payload, effect }: EnqueuedMail,
  find: (name: string) => SqlArg,
): Promise<void> {
  const { model } = context
  const entity = subject.entity === undefined ? undefined : model.entities.get(subject.entity)
  if (!entity?.audit || !subject.key) return
  const { Subject, Texts: texts, To, Role, Report } = payload
  const users = await listUsers(tx, payload, subject.company)
  const facts: MailFacts = {
    Mail: id,
    Subject,
    ...(texts && { Subjects: Object.fromEntries(listSubjects(texts)) }),
    Object: owner.name,
    Named: listNamed(model, effect, find),
    ...(To !== null && { To }),
    ...(Role !== null && { Role }),
    ...(users.length > 0 && { Users: users }),
    ...(Report !== null && { Report }),
  }
  const { key, company } = subject
  addTrace(tx, { entity, key, company, action: 'mail', facts: { ...facts } })
}

const listSubjects = (texts: NonNullable<MailPayload['Texts']>): [string, string][] =>
  Object.entries(texts).map(([tag, each]) => [tag, each.Subject])

/** Finds the users that a mail names now; those of a role are found when it leaves. */
async function listUsers(
  tx: Tx,
  { User: user, Users: ids }: MailPayload,
  company: SqlValue,
): Promise<number[]> {
  if (user === null && ids === null) return []
  const named = { role: null, user, ids }
  const { where, args } = namedUsers(named, company === null ? null : Number(company))
  const sql = `SELECT u.Id FROM main.svc_users u WHERE ${where} ORDER BY u.Id`
  return (await tx.all<{ Id: number }>(sql, args)).map(({ Id }) => Id)
}

const NAME = /\{([A-Za-z][A-Za-z0-9_]*)\}/g

function listNamed(
  { languages }: Model,
  { subject, labels }: Effect<'mail'>,
  find: (name: string) => SqlArg,
): MailFacts['Named'] {
  const named: Record<string, string | number | null> = {}
  for (const language of [undefined, ...languages])
    for (const [, name = ''] of renderMessage(subject, language).matchAll(NAME)) {
      const of = labels.find((label) => label.name === name.toLowerCase())?.of
      const value = of?.references === undefined ? null : find(of.name)
      const isKey = typeof value === 'string' || typeof value === 'number'
      named[of?.name ?? name] ??= isKey ? value : null
    }
  return named
}
