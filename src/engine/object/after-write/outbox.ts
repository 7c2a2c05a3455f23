/** Enqueues mails of effects, in the transaction that they ran in. */
import { insertRow } from '../../../store/rows.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import { type MailPayload, outbox } from '../../../store/tables/outbox.ts'
import { keyText } from '../record/written-row.ts'

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

/** Records a mail in the outbox; resolves to its Id there. */
export function enqueueMail(tx: Tx, mail: OutboxMail): Promise<number> {
  const origin = tx.facts.origin
  const { now, company, entity, key, payload } = mail
  return insertRow(tx, outbox, {
    At: now.toISOString(),
    Kind: 'mail',
    CompanyId: company === null ? null : Number(company),
    UserId: origin?.context.caller?.userId ?? null,
    ApiKeyId: origin?.context.caller?.apiKey?.id ?? null,
    Source: origin?.source ?? 'engine',
    Entity: entity ?? null,
    RecordKey: key ? keyText(key) : null,
    Payload: JSON.stringify(payload),
    State: 'pending',
    Attempts: 0,
  })
}
