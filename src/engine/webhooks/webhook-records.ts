/** Webhooks and their deliveries as they are stored. */
import { randomBytes } from 'node:crypto'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { DAY } from '../../kernel/setting.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { webhookDeliveries, webhooks } from '../../store/tables/webhooks.ts'
import { openSealed, sealText } from '../../access/seal.ts'

/** Boolean, as SQLite stores it. */
export type WebhookRow = Omit<typeof webhooks.$inferSelect, 'Active'> & { Active: number }
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

const INSERT = `INSERT INTO svc_webhooks
  (CompanyId, UserId, Url, Events, Active, Secret, CreatedAt, ChangedAt)
  VALUES (@company, @user, @url, @events, @active, @secret, @at, @at) RETURNING Id`

const toArgs = ({ url, events, active, userId, now }: WebhookFacts) => ({
  url,
  user: userId,
  active: active ? 1 : 0,
  at: now.toISOString(),
  events: JSON.stringify(events),
})

/** Stores a webhook; resolves to its Id. */
export async function insertWebhook(
  tx: Tx,
  facts: WebhookFacts,
  { companyId, secret, sealKey }: { companyId: number; secret: string; sealKey: Uint8Array },
): Promise<number> {
  const sealed = sealText(sealKey, secret, PLACE)
  const args = { ...toArgs(facts), company: companyId, secret: sealed }
  const row = await tx.get<{ Id: number }>(INSERT, args)
  if (!row) throw new Error('The new webhook has no Id')
  return row.Id
}

const UPDATE = `UPDATE svc_webhooks SET UserId = @user, Url = @url, Events = @events,
  Active = @active, ChangedAt = @at, OffReason = NULL, FailingSince = NULL WHERE Id = @id`

const ROTATE = `UPDATE svc_webhooks SET FormerSecret = Secret, FormerUntil = @until,
  Secret = @secret WHERE Id = @id`

/** Changes a webhook; with a new secret the former one signs, too, for a day. */
export async function updateWebhook(
  tx: Tx,
  id: number,
  facts: WebhookFacts,
  rotated?: { secret: string; sealKey: Uint8Array },
): Promise<void> {
  await tx.run(UPDATE, { ...toArgs(facts), id })
  if (!rotated) return
  const until = new Date(facts.now.getTime() + FORMER_MS).toISOString()
  await tx.run(ROTATE, { id, until, secret: sealText(rotated.sealKey, rotated.secret, PLACE) })
}

/** Removes a webhook with its deliveries. */
export const deleteWebhook = (tx: Tx, id: number): Promise<number> =>
  tx.run('DELETE FROM svc_webhooks WHERE Id = @id', { id })

/** Lists the webhooks of a company, in the order in which they were made. */
export const listWebhooks = (reader: Reader, companyId: number): Promise<WebhookRow[]> =>
  reader.all<WebhookRow>({
    sql: 'SELECT * FROM svc_webhooks WHERE CompanyId = @company ORDER BY Id',
    args: { company: companyId },
    runs: 'inline',
  })

/** @throws notFound for a missing webhook, or another company's */
export async function requireWebhook(
  reader: Reader,
  companyId: number,
  id: number,
): Promise<WebhookRow> {
  const sql = 'SELECT * FROM svc_webhooks WHERE Id = @id AND CompanyId = @company'
  const row = await reader.get<WebhookRow>({
    sql,
    args: { id, company: companyId },
    runs: 'inline',
  })
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

const DELIVER = `INSERT INTO svc_webhook_deliveries
  (WebhookId, MessageId, Event, Object, Action, Keys, Removed, TraceId, At, State, Attempts)
  VALUES (@webhook, @message, @event, @object, @action, @keys, @removed, @trace, @at, 'pending', 0)
  RETURNING Id`

/** Stores a delivery; resolves to its Id. */
export async function insertDelivery(tx: Tx, delivery: NewDelivery): Promise<number> {
  const { webhookId, event, object, action, keys, removed, traceId, at } = delivery
  const row = await tx.get<{ Id: number }>(DELIVER, {
    webhook: webhookId,
    message: `msg_${randomBytes(18).toString('base64url')}`,
    event,
    object,
    action,
    keys,
    removed,
    trace: traceId,
    at: at.toISOString(),
  })
  if (!row) throw new Error('The new delivery has no Id')
  return row.Id
}

const DELIVERIES_MAX = 100

/** Lists deliveries of a webhook, newest first, a hundred at most; `before` continues. */
export const listDeliveries = (
  reader: Reader,
  webhookId: number,
  before: number | undefined,
): Promise<DeliveryRow[]> =>
  reader.all<DeliveryRow>({
    // Before the first try it is not known yet whether the maker sees the record.
    sql: `SELECT * FROM svc_webhook_deliveries
      WHERE WebhookId = @id AND Id < @before AND (Attempts > 0 OR Object IS NULL)
      ORDER BY Id DESC LIMIT ${DELIVERIES_MAX}`,
    args: { id: webhookId, before: before ?? Number.MAX_SAFE_INTEGER },
    runs: 'inline',
  })

/** @throws notFound for a missing delivery, or another webhook's */
export async function requireDelivery(
  reader: Reader,
  webhookId: number,
  id: number,
): Promise<DeliveryRow> {
  const sql = 'SELECT * FROM svc_webhook_deliveries WHERE Id = @id AND WebhookId = @webhook'
  const args = { id, webhook: webhookId }
  const row = await reader.get<DeliveryRow>({ sql, args, runs: 'inline' })
  if (!row) throw notFound(say`There is no such delivery`, { code: 'DELIVERY_NOT_FOUND' })
  return row
}
