/** Enqueues what effects leave for later, in the transaction that they ran in. */
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { MailPayload } from '../../../store/tables/outbox.ts'
import { keyText } from '../record/written-row.ts'

const INSERT = `INSERT INTO svc_outbox
  (At, Kind, CompanyId, UserId, Source, Entity, RecordKey, Payload, State, Attempts)
  VALUES (@at, @kind, @company, @user, @source, @entity, @key, @payload, 'pending', 0)`

/** What a Notify enqueues. `Users` are ids that a Sql child gave; `User` is a name or an id. */
export interface NotifyPayload {
  Title: string
  Body: string | null
  Level: string
  /** By which users choose their channels. */
  Kind: string
  /** Where it leads; null: to the record. */
  Url: string | null
  Role: string | null
  User: string | null
  Users: readonly number[] | null
}

/** One thing to deliver after the commit, at least once. */
export type OutboxMessage = { now: Date } & Subject &
  ({ kind: 'notify'; payload: NotifyPayload } | { kind: 'mail'; payload: MailPayload })

/** The record that it is about, none for an action without one, and its company. */
export interface Subject {
  entity: string | undefined
  key: readonly SqlValue[] | undefined
  company: SqlValue
}

/** Records it in the outbox. */
export async function enqueue(tx: Tx, message: OutboxMessage): Promise<void> {
  const origin = tx.facts.origin
  const { now, company, kind, entity, key, payload } = message
  await tx.run(INSERT, {
    at: now.toISOString(),
    kind,
    company,
    user: origin?.context.caller?.userId ?? null,
    source: origin?.source ?? 'engine',
    entity: entity ?? null,
    key: key ? keyText(key) : null,
    payload: JSON.stringify(payload),
  })
}
