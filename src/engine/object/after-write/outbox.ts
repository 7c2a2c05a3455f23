/** Enqueues mails of effects, in the transaction that they ran in. */
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { MailPayload } from '../../../store/tables/outbox.ts'
import { keyText } from '../record/written-row.ts'

const INSERT = `INSERT INTO svc_outbox
  (At, Kind, CompanyId, UserId, ApiKeyId, Source, Entity, RecordKey, Payload, State, Attempts)
  VALUES (@at, @kind, @company, @user, @apiKey, @source, @entity, @key, @payload, 'pending', 0)`

/** Recipients of an effect. `Users` are ids that a Sql child gave; `User` is a name or an id. */
export interface NamedRecipients {
  Role: string | null
  User: string | null
  Users: number[] | null
}

/** A mail that leaves after the commit, at least once. */
type OutboxMail = { now: Date; payload: MailPayload } & EffectSubject

/** The record of the effect (none for an action without one) and its company. */
export interface EffectSubject {
  entity: string | undefined
  key: readonly SqlValue[] | undefined
  company: SqlValue
}

/** Records a mail in the outbox. */
export async function enqueueMail(tx: Tx, mail: OutboxMail): Promise<void> {
  const origin = tx.facts.origin
  const { now, company, entity, key, payload } = mail
  await tx.run(INSERT, {
    at: now.toISOString(),
    kind: 'mail',
    company,
    user: origin?.context.caller?.userId ?? null,
    apiKey: origin?.context.caller?.apiKey?.id ?? null,
    source: origin?.source ?? 'engine',
    entity: entity ?? null,
    key: key ? keyText(key) : null,
    payload: JSON.stringify(payload),
  })
}
