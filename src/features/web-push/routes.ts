/** Web push: `/api/v1/push-subscription`. */
import { Type } from '@sinclair/typebox'
import { notFound, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { SECOND } from '../../kernel/setting.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { pushChannelJob } from '../../engine/notifications/push-channel.ts'
import {
  type OutboundPolicy,
  OutboundRefusal,
  readOutboundPolicy,
} from '../../engine/outbound/outbound-policy.ts'
import { requireOutbound } from '../../engine/outbound/send-outbound.ts'
import { enqueuePush, isPushWaiting, pushJob } from '../../engine/web-push/push-jobs.ts'
import { areBrowserKeys, type PushMessage } from '../../engine/web-push/push-message.ts'
import {
  countSubscriptions,
  deleteSubscription,
  saveSubscription,
} from '../../engine/web-push/subscriptions.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { GERMAN } from './german.ts'
import { openPush, openVapid } from './open-push.ts'
import { Subscribed, SubscribeRequest, Tested, UnsubscribeRequest, VapidKey } from './schema.ts'
import { openSweep } from './sweep-subscriptions.ts'

const AREA = {
  name: 'Web push',
  description:
    'Messages to browsers that are not open, by their push services (RFC 8030, 8291, 8292).',
}

const BECAUSE = 'push subscriptions belong to users'

/** Milliseconds that the name of an endpoint may take to be resolved. */
const RESOLVE_MS = 5 * SECOND

const plan = (operationId: string, summary: string, description: string) => ({
  'x-gate': AUTHENTICATED,
  operationId,
  summary,
  description,
})

const GET_KEY = {
  response: Envelope(VapidKey),
  detail: plan('getVapidKey', 'The key that browsers subscribe with', 'It never changes.'),
}

const SUBSCRIBE = {
  body: SubscribeRequest,
  response: Envelope(Subscribed),
  detail: plan(
    'subscribePush',
    'Have messages sent to this browser',
    'The PushSubscription of the browser as it is. It ends with the session that it was made ' +
      'in, and continues with the next company of that session. 400 for an endpoint that is not ' +
      'https, or leads to an inner address (Svc:Outbound:Allow).',
  ),
}

const UNSUBSCRIBE = {
  body: UnsubscribeRequest,
  response: Envelope(Type.Null()),
  detail: plan(
    'unsubscribePush',
    'Send this browser no more messages',
    '404 for an endpoint that the caller has not subscribed.',
  ),
}

const TEST = {
  response: Envelope(Tested),
  detail: plan(
    'testPush',
    'Send a message to all browsers of the caller',
    'By a job; while one waits, no other is made.',
  ),
}

const SUBSCRIPTIONS: RouteGroup = {
  prefix: '/api/v1/push-subscription',
  area: AREA.name,
  routes: [
    route('GET', '/vapid-key', GET_KEY, async ({ app }) =>
      ok({ PublicKey: (await openVapid(app)).publicKey }),
    ),
    route('POST', '', SUBSCRIBE, async ({ app, body, caller }) =>
      ok(await subscribe(app, body, caller)),
    ),
    route('DELETE', '', UNSUBSCRIBE, async ({ app, body, caller }) => {
      const isDeleted = await app.store.write(
        (tx) => deleteSubscription(tx, caller.userId, body.endpoint),
        scopeOf(caller, BECAUSE),
      )
      if (!isDeleted) throw notFound(say`There is no such subscription`)
      return ok(null)
    }),
    route('POST', '/test', TEST, async ({ app, caller }) => ok(await sendTest(app, caller))),
  ],
}

/** Subscribes a browser. An impersonator's must not outlast the act, nor be another's browser. */
async function subscribe(
  { store, clock, keys, settings }: AppContext,
  body: SubscribeRequest,
  caller: Caller,
): Promise<Subscribed> {
  requireNotImpersonated(caller)
  if (!areBrowserKeys(body.keys))
    throw validation({ keys: say`These are not the keys of a browser’s push subscription` })
  await requireEndpoint(body.endpoint, readOutboundPolicy(settings))
  const { endpoint, expirationTime } = body
  const now = clock.now()
  const expiresAt = toInstant(expirationTime ?? null)
  return store.write(
    async (tx) => {
      const added = { endpoint, keys: body.keys, expiresAt }
      const Removed = await saveSubscription(tx, added, caller, { sealKey: keys.sealKey, now })
      return { Count: await countSubscriptions(tx, caller.userId), Removed }
    },
    scopeOf(caller, BECAUSE),
  )
}

/** The endpoint is checked again at each send. */
async function requireEndpoint(endpoint: string, policy: OutboundPolicy): Promise<void> {
  try {
    await requireOutbound(endpoint, RESOLVE_MS, policy)
  } catch (error) {
    throw error instanceof OutboundRefusal ? validation({ endpoint: error.text }) : error
  }
}

function toInstant(milliseconds: number | null): Date | undefined {
  if (milliseconds === null) return undefined
  const at = new Date(milliseconds)
  if (Number.isNaN(at.getTime()))
    throw validation({ expirationTime: say`must be an instant in milliseconds` })
  return at
}

async function sendTest({ store, clock }: AppContext, caller: Caller): Promise<{ Count: number }> {
  const { userId, companyId, language } = caller
  const message: PushMessage = {
    Id: 0,
    Seq: 0,
    Kind: 'test',
    Level: 'info',
    Object: null,
    Keys: null,
    Url: null,
    Title: say`Notifications are working in this browser`.render(language),
    Body: null,
  }
  return store.write(
    async (tx) => {
      const Count = await countSubscriptions(tx, userId)
      const facts = { owner: { userId, companyId, language }, now: clock.now() }
      if (Count > 0 && !(await isPushWaiting(tx, userId)))
        await enqueuePush(tx, { message }, { ...facts, source: 'push-subscription/test' })
      return { Count }
    },
    scopeOf(caller, BECAUSE),
  )
}

/** See `Feature`. */
export const pushSubscriptionFeature: Feature = {
  areas: [AREA],
  routes: [SUBSCRIPTIONS],
  background: [openSweep],
  jobs: [(app) => pushJob(openPush(app)), pushChannelJob],
  translations: { de: GERMAN },
}
