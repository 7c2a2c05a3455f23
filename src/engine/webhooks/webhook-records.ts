/** Webhooks and their deliveries as they are stored. */
import { randomBytes } from 'node:crypto'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { DAY } from '../../kernel/setting.ts'
import { allRows, getRow, insertRow, updateRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { webhookDeliveries, webhooks } from '../../store/tables/webhooks.ts'
import { openSealed, sealText } from '../../access/seal.ts'

export type WebhookRow = typeof webhooks.$inferSelect
export type DeliveryRow = typeof webhookDeliveries.$inferSelect

/** Time that a replaced secret still signs, so that receivers can change theirs. */
export const FORMER_MS = DAY

const SECRET_BYTES = 32
const PREFIX = 'whsec_'

/** A new secret in the form of Standard Webhooks: `whsec_` and base64. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/** Decodes a secret into its bytes. */
const readSecret = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64')

const PLACE = 'svc_webhooks.Secret'

/** Lists the secrets to sign with now: the current one, and the one before while both are valid. */
export function listSecrets(row: WebhookRow, sealKey: Uint8Array, now: Date): Buffer[] {
  const { Secret, FormerSecret, FormerUntil } = row
  const isFormer = FormerSecret !== null && FormerUntil !== null && new Date(FormerUntil) > now
  const sealed = [Secret, ...(isFormer ? [FormerSecret] : [])]
  return sealed.map((each) => readSecret(openSealed(sealKey, each, PLACE)))
}

/** Settings of a webhook. */
export interface WebhookFacts {
  url: string
  events: readonly string[]
  active: boolean
  userId: number
  now: Date
}

const toColumns = ({ url, events, active, userId, now }: WebhookFacts) => ({
  UserId: userId,
  Url: url,
  Events: JSON.stringify(events),
  Active: active,
  ChangedAt: now.toISOString(),
})

/** Stores a webhook; resolves to its Id. */
export const insertWebhook = (
  tx: Tx,
  facts: WebhookFacts,
  { companyId, secret, sealKey }: { companyId: number; secret: string; sealKey: Uint8Array },
): Promise<number> =>
  insertRow(tx, webhooks, {
    ...toColumns(facts),
    CompanyId: companyId,
    Secret: sealText(sealKey, secret, PLACE),
    CreatedAt: facts.now.toISOString(),
  })

const ROTATE = `UPDATE svc_webhooks SET FormerSecret = Secret, FormerUntil = @until,
  Secret = @secret WHERE Id = @id`

/** Changes a webhook; with a new secret the former one signs, too, for a day. */
export async function updateWebhook(
  tx: Tx,
  id: number,
  facts: WebhookFacts,
  rotated?: { secret: string; sealKey: Uint8Array },
): Promise<void> {
  const set = { ...toColumns(facts), OffReason: null, FailingSince: null }
  await updateRows(tx, webhooks, 'WHERE Id = @id', { id, set })
  if (!rotated) return
  const until = new Date(facts.now.getTime() + FORMER_MS).toISOString()
  await tx.run(ROTATE, { id, until, secret: sealText(rotated.sealKey, rotated.secret, PLACE) })
}

/** Removes a webhook with its deliveries. */
export const deleteWebhook = (tx: Tx, id: number): Promise<number> =>
  tx.run('DELETE FROM svc_webhooks WHERE Id = @id', { id })

/** Lists the webhooks of a company, in the order in which they were made. */
export const listWebhooks = (reader: Reader, companyId: number): Promise<WebhookRow[]> =>
  allRows(reader, webhooks, 'WHERE CompanyId = @companyId ORDER BY Id', { companyId })

/** @throws notFound for a missing webhook, or another company's */
export async function requireWebhook(
  reader: Reader,
  companyId: number,
  id: number,
): Promise<WebhookRow> {
  const ofId = 'WHERE Id = @id AND CompanyId = @companyId'
  const row = await getRow(reader, webhooks, ofId, { id, companyId })
  if (!row) throw notFound(say`There is no such webhook`, { code: 'WEBHOOK_NOT_FOUND' })
  return row
}

/** A delivery, with the facts known when it is enqueued. */
interface NewDelivery {
  webhookId: number
  event: string
  object: string | null
  action: string
  /** JSON of the key, as the view names it. */
  keys: string | null
  /** See `loadRemovedRow`; null for a delivery that is not about a removed record. */
  removed: string | null
  traceId: string | null
  at: Date
}

/** Stores a delivery; resolves to its Id. */
export function insertDelivery(tx: Tx, delivery: NewDelivery): Promise<number> {
  const { webhookId, event, object, action, keys, removed, traceId, at } = delivery
  return insertRow(tx, webhookDeliveries, {
    WebhookId: webhookId,
    MessageId: `msg_${randomBytes(18).toString('base64url')}`,
    Event: event,
    Object: object,
    Action: action,
    Keys: keys,
    Removed: removed,
    TraceId: traceId,
    At: at.toISOString(),
    State: 'pending',
    Attempts: 0,
  })
}

const DELIVERIES_MAX = 100

/** Lists deliveries of a webhook, newest first, a hundred at most; `before` continues. */
export function listDeliveries(
  reader: Reader,
  webhookId: number,
  before: number | undefined,
): Promise<DeliveryRow[]> {
  // Before the first try it is not known yet whether the maker sees the record.
  const tried = `WHERE WebhookId = @id AND Id < @before AND (Attempts > 0 OR Object IS NULL)
    ORDER BY Id DESC LIMIT ${DELIVERIES_MAX}`
  const args = { id: webhookId, before: before ?? Number.MAX_SAFE_INTEGER }
  return allRows(reader, webhookDeliveries, tried, args)
}

/** @throws notFound for a missing delivery, or another webhook's */
export async function requireDelivery(
  reader: Reader,
  webhookId: number,
  id: number,
): Promise<DeliveryRow> {
  const ofId = 'WHERE Id = @id AND WebhookId = @webhookId'
  const row = await getRow(reader, webhookDeliveries, ofId, { id, webhookId })
  if (!row) throw notFound(say`There is no such delivery`, { code: 'DELIVERY_NOT_FOUND' })
  return row
}
