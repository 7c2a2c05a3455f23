/** Sending notifications, and preferences for them: `/api/v1/notifications`. */
import { type FieldErrors, validation } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { digestJob, listDigests } from '../../engine/notifications/digest.ts'
import {
  findKind,
  listKinds,
  loadPreferences,
  savePreferences,
} from '../../engine/notifications/preferences.ts'
import type { RequestCall } from '../../server/call.ts'
import type { Feature } from '../../server/feature.ts'
import { planOwn, resourceGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { GERMAN } from './german.ts'
import { Kinds, Preferences, PreferencesRequest, SendRequest, SendResult } from './schema.ts'
import { sendNotification } from './send.ts'

/** Area in the document, shared with a user's own notifications. */
const AREA = 'Notifications'

const SEND = {
  body: SendRequest,
  response: Envelope(SendResult),
  detail: {
    'x-gate': resourceGate('Notifications', 'Send'),
    'x-example': { Title: 'The warehouse is closed today', Level: 'warning', Company: true },
    operationId: 'sendNotification',
    summary: 'Tells others something',
    description:
      'Users and roles of the company that you are in, all of it, or, for System, all of all ' +
      'companies. A user of another company is unknown. Gate: Send on Notifications.',
  },
}

const GET_PREFERENCES = {
  response: Envelope(Preferences),
  detail: planOwn(
    'getNotificationPreferences',
    'How the caller wants to be told',
    'Of each kind the channels; Hub and Push unless something else was said.',
  ),
}

const PUT_PREFERENCES = {
  body: PreferencesRequest,
  response: Envelope(Preferences),
  detail: {
    ...planOwn(
      'putNotificationPreferences',
      'Changes how the caller wants to be told',
      'A kind without Hub is in the list, and counts as read. Kinds and channels that are left ' +
        'out stay.',
    ),
    'x-example': { Preferences: [{ Kind: 'Message', Mail: true }] },
  },
}

const GET_KINDS = {
  response: Envelope(Kinds),
  detail: planOwn(
    'listNotificationKinds',
    'The kinds of notifications',
    'Those of the model, too.',
  ),
}

const NOTIFICATIONS_ROUTES: RouteGroup = {
  prefix: '/api/v1/notifications',
  area: AREA,
  routes: [
    route('POST', '', SEND, async ({ app, caller, model, body }) =>
      ok({ Recipients: await sendNotification(app, { caller, model }, body) }),
    ),
    route('GET', '/preferences', GET_PREFERENCES, load),
    route('PUT', '/preferences', PUT_PREFERENCES, async (call) => {
      await change(call, call.body)
      return load(call)
    }),
    route('GET', '/kinds', GET_KINDS, ({ model, language }) =>
      ok(
        [...listKinds(model)].map(([Kind, label]) => ({
          Kind,
          Label: renderMessage(label, language),
        })),
      ),
    ),
  ],
}

async function load({ app, caller, model }: RequestCall) {
  return ok(await loadPreferences(app.store, caller.userId, model))
}

async function change(
  { app: { store }, caller, servedModel }: RequestCall,
  { Preferences: changes }: PreferencesRequest,
): Promise<void> {
  const known = await loadPreferences(store, caller.userId, servedModel)
  const faults: FieldErrors = {}
  const wanted = changes.flatMap(({ Kind, Hub, Push, Mail, Digest }, at) => {
    const kind = findKind(servedModel, Kind)
    const now = known.find((each) => each.Kind === kind)
    if (!now) {
      faults[`Preferences[${at}].Kind`] = say`There is no such kind`
      return []
    }
    const channels = { Hub: Hub ?? now.Hub, Push: Push ?? now.Push }
    return [{ Kind: now.Kind, ...channels, Mail: Mail ?? now.Mail, Digest: Digest ?? now.Digest }]
  })
  if (Object.keys(faults).length > 0) throw validation(faults)
  const because = 'what users want holds in all of their companies'
  await store.write(
    (tx) => savePreferences(tx, { userId: caller.userId, model: servedModel }, wanted),
    scopeOf(caller, because),
  )
}

/** See `Feature`. */
export const notificationsFeature: Feature = {
  routes: [NOTIFICATIONS_ROUTES],
  jobs: [digestJob],
  recurring: [listDigests],
  translations: { de: GERMAN },
}
