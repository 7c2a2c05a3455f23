/** Webhooks: `/api/v1/svc/webhooks`. */
import { Type } from '@sinclair/typebox'
import { renderStored } from '../../kernel/stored-messages.ts'
import type { Tx } from '../../store/store.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { renewScope, USER_ADMINS } from '../../access/rights/admin-scope.ts'
import { readOutboundPolicy } from '../../engine/outbound/outbound-policy.ts'
import type { WireKeys } from '../../engine/webhooks/record-values.ts'
import { findVisibleKeys } from '../../engine/webhooks/visible-deliveries.ts'
import { enqueueDelivery, WebhookEvents } from '../../engine/webhooks/webhook-events.ts'
import { TEST_EVENT, webhookJob } from '../../engine/webhooks/webhook-job.ts'
import {
  deleteWebhook,
  type DeliveryRow,
  insertDelivery,
  insertWebhook,
  listDeliveries,
  listWebhooks,
  newSecret,
  requireDelivery,
  requireWebhook,
  updateWebhook,
  type WebhookRow,
} from '../../engine/webhooks/webhook-records.ts'
import type { RequestCall } from '../../server/call.ts'
import type { Feature } from '../../server/feature.ts'
import { rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { readFacts } from './facts.ts'
import { openForgetting } from './forget-deliveries.ts'
import { GERMAN } from './german.ts'
import {
  byDelivery,
  byId,
  Delivery,
  DeliveryList,
  DeliveryQuery,
  NewWebhook,
  WebhookChange,
  WebhookEntry,
  WebhookList,
} from './schema.ts'
import { WEBHOOKS } from './settings.ts'

const GATE = rolesGate('System', 'Admin')

const AREA = {
  name: 'Webhooks',
  description:
    'Receivers outside that get the events of a company, by the convention of Standard ' +
    'Webhooks. What is sent is what the maker of the webhook may see.',
}

const plan = (operationId: string, summary: string, description: string) => ({
  'x-gate': GATE,
  operationId,
  summary,
  description: `${description} Gate: System or Admin, in the company that they are in.`,
})

const LIST = {
  response: Envelope(WebhookList),
  detail: plan('listWebhooks', 'The webhooks of the company', 'Without their secrets.'),
}

const CREATE = {
  body: NewWebhook,
  response: Envelope(WebhookEntry),
  detail: {
    ...plan(
      'createWebhook',
      'Registers a receiver',
      'The secret is shown in this answer and never again. Addresses of inner hosts are refused.',
    ),
    'x-example': { Url: 'https://example.com/hooks', Events: ['orders.created'] },
  },
}

const CHANGE = {
  params: byId,
  body: WebhookChange,
  response: Envelope(WebhookEntry),
  detail: {
    ...plan(
      'changeWebhook',
      'Changes one',
      'What is left out stays. The user who changes it is its maker from then on: their ' +
        'rights decide ' +
        'what is sent, also of what waits. A new secret is shown in this answer alone; for a day ' +
        'the former one signs too.',
    ),
    'x-example': { RotateSecret: true },
  },
}

const DELETE = {
  params: byId,
  response: Envelope(Type.Boolean()),
  detail: plan('deleteWebhook', 'Removes one', 'With its deliveries; none of them is sent.'),
}

const DELIVERIES = {
  params: byId,
  query: DeliveryQuery,
  response: Envelope(DeliveryList),
  detail: plan(
    'listDeliveries',
    'What it was sent',
    'Each with its latest try; Keys are null for a record that the caller does not see.',
  ),
}

const REPLAY = {
  params: byDelivery,
  response: Envelope(Delivery),
  detail: plan(
    'replayDelivery',
    'Sends one again',
    'Under the same webhook-id, with a body that is made again by the rights of the webhook’s ' +
      'maker. Of a record that the maker does not see it is not sent: its State is dropped then.',
  ),
}

const TEST = {
  params: byId,
  response: Envelope(Delivery),
  detail: plan('testWebhook', 'Sends a test', 'An event of the name test, about no record.'),
}

const WHY = 'webhooks are those of a company'

const toEntry = (row: WebhookRow, language: string, secret?: string) => {
  const { Id, Url, UserId, CreatedAt, ChangedAt, FormerUntil, FailingSince, OffReason } = row
  return {
    Id,
    Url,
    Events: JSON.parse(row.Events) as string[],
    Active: row.Active,
    MakerId: UserId,
    CreatedAt,
    ChangedAt,
    FormerUntil,
    FailingSince,
    OffReason: OffReason === null ? null : renderStored(OffReason, language),
    ...(secret !== undefined && { Secret: secret }),
  }
}

/** Returns a delivery as the caller may have it: with the key of a record that they see. */
function toDelivery(row: DeliveryRow, visible: ReadonlyMap<number, WireKeys>, language: string) {
  const { Id, MessageId, Event, Object: name, Action, At, State, Attempts } = row
  const { LastAt, LastStatus, LastError, JobId } = row
  const keys = visible.get(Id) ?? null
  return {
    Id,
    MessageId,
    Event,
    Object: name,
    Action,
    Keys: keys,
    At,
    State,
    Attempts,
    LastAt,
    LastStatus,
    LastError: LastError === null ? null : renderStored(LastError, language),
    JobId,
  }
}

/** Answers a delivery, as the caller may have it. */
async function showDelivery(call: RequestCall, row: DeliveryRow) {
  const visible = await findVisibleKeys(call.app, call, [row])
  return ok(toDelivery(row, visible, call.language))
}

/** Runs work of an administrator of their present company, by the rights at that time. */
function administer<T>({ app, caller }: RequestCall, work: (tx: Tx) => Promise<T>): Promise<T> {
  requireNotImpersonated(caller)
  return app.store.write(
    async (tx) => {
      await renewScope(tx, caller, USER_ADMINS)
      return work(tx)
    },
    scopeOf(caller, WHY),
  )
}

async function audit(
  tx: Tx,
  { app, caller, traceId }: RequestCall,
  entry: { id: number; action: string; changes?: Record<string, readonly [unknown, unknown]> },
): Promise<void> {
  const facts = { now: app.clock.now(), source: 'webhooks', traceId }
  const { changes = {} } = entry
  await writeAudit(tx, actorOf(caller, facts), {
    ...entry,
    entity: 'svc_webhooks' as const,
    changes,
  })
}

/** Gate: System or Admin. */
const ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/webhooks',
  area: AREA.name,
  routes: [
    route('GET', '', LIST, async ({ app, caller, language }) => {
      const rows = await listWebhooks(app.store, caller.companyId)
      return ok(rows.map((row) => toEntry(row, language)))
    }),
    route('POST', '', CREATE, (call) => create(call)),
    route('PUT', '/:id', CHANGE, (call) => change(call)),
    route('DELETE', '/:id', DELETE, async (call) => {
      const id = Number(call.params.id)
      await administer(call, async (tx) => {
        const { Url } = await requireWebhook(tx, call.caller.companyId, id)
        await deleteWebhook(tx, id)
        await audit(tx, call, { id, action: 'delete', changes: { Url: [Url, null] } })
      })
      return ok(true)
    }),
    route('GET', '/:id/deliveries', DELIVERIES, async (call) => {
      const { app, caller, query } = call
      const { Id } = await requireWebhook(app.store, caller.companyId, Number(call.params.id))
      const before = query.before === undefined ? undefined : Number(query.before)
      const rows = await listDeliveries(app.store, Id, before)
      const visible = await findVisibleKeys(app, call, rows)
      return ok(rows.map((row) => toDelivery(row, visible, call.language)))
    }),
    route('POST', '/:id/deliveries/:deliveryId/replay', REPLAY, (call) => replay(call)),
    route('POST', '/:id/test', TEST, (call) => sendTest(call)),
  ],
}

async function create(call: Call<typeof CREATE>) {
  const { app, caller, body } = call
  const { companyId } = caller
  const { sealKey } = app.keys
  const facts = await readFacts(app, call, body)
  const secret = body.Secret ?? newSecret()
  const row = await administer(call, async (tx) => {
    const id = await insertWebhook(tx, facts, { companyId, secret, sealKey })
    const changes = { Url: [null, facts.url], Events: [null, facts.events] } as const
    await audit(tx, call, { id, action: 'insert', changes })
    return requireWebhook(tx, companyId, id)
  })
  return ok(toEntry(row, call.language, secret))
}

async function change(call: Call<typeof CHANGE>) {
  const { app, body } = call
  const { companyId } = call.caller
  const { sealKey } = app.keys
  const id = Number(call.params.id)
  const before = await requireWebhook(app.store, companyId, id)
  const facts = await readFacts(app, call, body, toEntry(before, call.language))
  const secret = body.Secret ?? (body.RotateSecret === true ? newSecret() : undefined)
  const row = await administer(call, async (tx) => {
    await requireWebhook(tx, companyId, id)
    await updateWebhook(tx, id, facts, secret === undefined ? undefined : { secret, sealKey })
    const changes = {
      Url: [before.Url, facts.url],
      Events: [before.Events, facts.events],
      ...(secret !== undefined && { Secret: ['…', '…'] }),
    } as unknown as Record<string, readonly [unknown, unknown]>
    await audit(tx, call, { id, action: 'update', changes })
    return requireWebhook(tx, companyId, id)
  })
  return ok(toEntry(row, call.language, secret))
}

async function replay(call: Call<typeof REPLAY>) {
  const { app, caller, params } = call
  const row = await administer(call, async (tx) => {
    const webhook = await requireWebhook(tx, caller.companyId, Number(params.id))
    const found = await requireDelivery(tx, webhook.Id, Number(params.deliveryId))
    const again = `UPDATE svc_webhook_deliveries SET State = 'pending' WHERE Id = @id`
    await tx.run(again, { id: found.Id })
    await enqueueDelivery(tx, webhook, found.Id, app.clock.now())
    await audit(tx, call, { id: webhook.Id, action: 'replay' })
    return requireDelivery(tx, webhook.Id, found.Id)
  })
  return showDelivery(call, row)
}

async function sendTest(call: Call<typeof TEST>) {
  const { app, caller, traceId } = call
  const at = app.clock.now()
  const facts = { event: TEST_EVENT, action: TEST_EVENT, at, traceId }
  const row = await administer(call, async (tx) => {
    const webhook = await requireWebhook(tx, caller.companyId, Number(call.params.id))
    const about = { webhookId: webhook.Id, object: null, keys: null, removed: null }
    const id = await insertDelivery(tx, { ...facts, ...about })
    await enqueueDelivery(tx, webhook, id, at)
    return requireDelivery(tx, webhook.Id, id)
  })
  return showDelivery(call, row)
}

/** See `Feature`. */
export const webhooksFeature: Feature = {
  areas: [AREA],
  routes: [ROUTES],
  settings: [WEBHOOKS],
  translations: { de: GERMAN },
  background: [openForgetting],
  jobs: [
    (app) => {
      const { store, callers, models, clock, queryCache, keys, settings, reads } = app
      const parts = { store, callers, models, clock, queryCache, reads }
      return webhookJob({ ...parts, policy: readOutboundPolicy(settings), sealKey: keys.sealKey })
    },
  ],
  outerEvents: [(app) => new WebhookEvents(app)],
}
