/** Sends deliveries of webhooks by the convention of Standard Webhooks, as jobs. */
import { createHmac } from 'node:crypto'
import { Failure, invalid } from '../../kernel/failure.ts'
import { toTraceparent } from '../../kernel/ids.ts'
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import type { WorkNotes } from '../../kernel/read-notes.ts'
import { DAY, SECOND } from '../../kernel/setting.ts'
import { storeMessage } from '../../kernel/stored-messages.ts'
import { getRow } from '../../store/rows.ts'
import { systemScope, type Tx } from '../../store/store.ts'
import { webhookDeliveries, webhooks } from '../../store/tables/webhooks.ts'
import type { Model } from '../../model/model.ts'
import type { JobKind, JobRun } from '../jobs/job.ts'
import { planRun } from '../jobs/plan-run.ts'
import type { NoticeKind } from '../notifications/notice-kinds.ts'
import { saveNotifications, translateTexts } from '../notifications/save-notifications.ts'
import { requireViewUse } from '../object/read/find-view.ts'
import { type OutboundPolicy, OutboundRefusal } from '../outbound/outbound-policy.ts'
import { OutboundFailure, sendOutbound } from '../outbound/send-outbound.ts'
import { findRecordValues } from './record-values.ts'
import { toHead, WEBHOOK_JOB, WEBHOOK_QUEUE, type WebhookEventParts } from './webhook-events.ts'
import { type DeliveryRow, listSecrets, type WebhookRow } from './webhook-records.ts'

/** The parts that deliveries are sent with. */
interface WebhookJobParts extends WebhookEventParts {
  sealKey: Uint8Array
  policy: OutboundPolicy
  reads: WorkNotes
}

/** Longest wait for a receiver; a slower one has failed. */
const TIMEOUT_MS = 15 * SECOND

/** Bytes read of a receiver's answer, at most. */
const ANSWER_BYTES_MAX = 4096

/** Time without any success after which a receiver is turned off. */
const FAILING_MS = 5 * DAY

const GONE = 410

const SCOPE = systemScope('deliveries are written down')

/** See `JobKind`. */
export const webhookJob = (parts: WebhookJobParts): JobKind => ({
  name: WEBHOOK_JOB,
  queue: WEBHOOK_QUEUE,
  run: (run) => deliver(parts, run),
})

const FORGET = 'DELETE FROM svc_webhook_deliveries WHERE Id = @id'

const DROP = `UPDATE svc_webhook_deliveries SET State = 'dropped' WHERE Id = @id`

async function deliver(parts: WebhookJobParts, run: JobRun): Promise<unknown> {
  const { store } = parts
  const found = await findDelivery(parts, Number(run.arguments.Delivery))
  if (!found) return { Sent: false }
  const { delivery, webhook } = found
  const body = webhook.Active
    ? await planRun(parts, run, (model) => makeBody(parts, model, { delivery, webhook }))
    : undefined
  if (body === undefined) {
    // A user who does not see the record must not learn of a delivery that was never sent.
    const sql = webhook.Active && delivery.Attempts === 0 ? FORGET : DROP
    await store.write((tx) => tx.run(sql, { id: delivery.Id }), SCOPE)
    return { Sent: false }
  }
  const outcome = await send(parts, run, { delivery, webhook, body })
  const isLast = run.job.Attempts >= run.job.AttemptsMax || outcome.isFinal
  await store.write((tx) => saveOutcome(tx, parts, { delivery, webhook, outcome, isLast }), SCOPE)
  if (outcome.error === undefined) return { Sent: true, Status: outcome.status }
  run.log(outcome.error)
  if (outcome.isFinal) throw invalid(outcome.error)
  throw new Failure('internal', outcome.error)
}

interface Found {
  delivery: DeliveryRow
  webhook: WebhookRow
}

async function findDelivery({ store }: WebhookJobParts, id: number): Promise<Found | undefined> {
  const delivery = await getRow(store, webhookDeliveries, 'WHERE Id = @id', { id })
  if (!delivery) return undefined
  const webhook = await getRow(store, webhooks, 'WHERE Id = @id', { id: delivery.WebhookId })
  return webhook && { delivery, webhook }
}

/**
 * Makes the body of the record as its maker sees it now; undefined where they do not see it. Made
 * for each try: maker, address and rights may have changed since the last one.
 */
async function makeBody(
  parts: WebhookJobParts,
  model: Model,
  { delivery, webhook: { UserId: userId, CompanyId: companyId } }: Found,
): Promise<string | undefined> {
  const { callers, queryCache } = parts
  const { Event, Object: name, Action, Keys, Removed: removed, At, TraceId } = delivery
  const keys = Keys === null ? null : (JSON.parse(Keys) as Record<string, unknown>)
  const facts = { event: Event, action: Action, at: new Date(At), traceId: TraceId }
  if (name === null) return JSON.stringify(toHead(facts, undefined, keys))
  try {
    const caller = await callers.loadWithoutSession({ userId, companyId })
    const use = requireViewUse(parts, { caller, model }, name, ['View'])
    const head = toHead(facts, use.view, keys)
    if (keys === null) return JSON.stringify(head)
    const by = () => ({ userId, companyId, place: 'webhook', request: { Event, keys } })
    const load = () => findRecordValues(queryCache, use, { keys, removed })
    const Values = await parts.reads.run(by, load)
    return Values === undefined ? undefined : JSON.stringify({ ...head, Values })
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'internal') return undefined
    throw error
  }
}

interface Outcome {
  status: number | null
  /** Undefined if it arrived. */
  error: Message | undefined
  /** True if a later try would have the same outcome. */
  isFinal: boolean
}

async function send(
  { sealKey, policy, clock }: WebhookJobParts,
  { signal }: JobRun,
  { delivery, webhook, body }: Found & { body: string },
): Promise<Outcome> {
  const traceparent = toTraceparent(delivery.TraceId)
  const headers = {
    'Content-Type': 'application/json',
    ...(traceparent !== undefined && { traceparent }),
    'User-Agent': 'Application-Engine-Webhooks',
    ...signHeaders(
      delivery.MessageId,
      body,
      listSecrets(webhook, sealKey, clock.now()),
      clock.now(),
    ),
  }
  const request = {
    method: 'POST' as const,
    headers,
    body,
    signal,
    timeoutMs: TIMEOUT_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  }
  try {
    const { status } = await sendOutbound(webhook.Url, request, policy)
    if (status >= 200 && status < 300) return { status, error: undefined, isFinal: false }
    const error = say`The receiver answered with status ${status}`
    return { status, error, isFinal: status === GONE }
  } catch (error) {
    const isRefused = error instanceof OutboundRefusal
    if (!isRefused && !(error instanceof OutboundFailure)) throw error
    return { status: null, error: error.text, isFinal: isRefused }
  }
}

/** Standard Webhooks: one signature for each valid secret. */
function signHeaders(
  id: string,
  body: string,
  secrets: readonly Buffer[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / SECOND))
  const sign = (secret: Buffer): string =>
    `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(sign).join(' '),
  }
}

const SAVE = `UPDATE svc_webhook_deliveries SET State = @state, Attempts = Attempts + 1,
  LastAt = @at, LastStatus = @status, LastError = @error WHERE Id = @id`

const ARRIVED =
  'UPDATE svc_webhooks SET FailingSince = NULL WHERE Id = @id AND FailingSince NOTNULL'

/** Matches the unchanged webhook: failures of an old receiver do not count against a new one. */
const SAME = 'Id = @id AND ChangedAt = @changedAt'

const FAILED = `UPDATE svc_webhooks SET FailingSince = coalesce(FailingSince, @at) WHERE ${SAME}`

const TURN_OFF = `UPDATE svc_webhooks SET Active = 0, OffReason = @reason WHERE ${SAME} AND Active`

async function saveOutcome(
  tx: Tx,
  { clock }: WebhookJobParts,
  ended: Found & { outcome: Outcome; isLast: boolean },
): Promise<void> {
  const { delivery, webhook, outcome, isLast } = ended
  const { status } = outcome
  const error = outcome.error === undefined ? null : storeMessage(outcome.error)
  const now = clock.now()
  const at = now.toISOString()
  const state = error === null ? 'sent' : isLast ? 'failed' : 'pending'
  await tx.run(SAVE, { id: delivery.Id, state, at, status, error })
  if (error === null) return void (await tx.run(ARRIVED, { id: webhook.Id }))
  const same = { id: webhook.Id, changedAt: webhook.ChangedAt }
  await tx.run(FAILED, { ...same, at })
  const since = webhook.FailingSince === null ? now : new Date(webhook.FailingSince)
  const isTooLong = now.getTime() - since.getTime() > FAILING_MS
  if (status !== GONE && !isTooLong) return
  const reason =
    status === GONE
      ? say`The receiver no longer exists (410)`
      : say`It accepted nothing for five days`
  if ((await tx.run(TURN_OFF, { ...same, reason: storeMessage(reason) })) > 0)
    await tellMaker(tx, webhook, { reason, now })
}

/** Notifies the maker that the webhook is off. */
const tellMaker = (
  tx: Tx,
  { Url, UserId, CompanyId }: WebhookRow,
  { reason, now }: { reason: Message; now: Date },
): Promise<number> =>
  saveNotifications(
    tx,
    {
      ...translateTexts({ languages: [] }, undefined, (language) => ({
        title: renderMessage(
          say`A webhook was turned off: ${renderMessage(reason, language)}`,
          language,
        ),
        body: new URL(Url).origin,
      })),
      kind: 'Webhook' satisfies NoticeKind,
      level: 'warning',
      object: null,
      entity: null,
      recordKey: null,
      url: null,
      fromUserId: null,
      companyId: CompanyId,
      now,
    },
    { where: 'u.Active AND u.Id = @user', args: { user: UserId } },
  )

/** The event that a maker sends to try a webhook out; its name says what it is. */
export const TEST_EVENT = 'test'
