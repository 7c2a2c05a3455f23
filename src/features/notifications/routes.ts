/** Sending notifications, and preferences for them: `/api/v1/notifications`. */
import { Elysia } from 'elysia'
import { type FieldErrors, validation } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { digestJob, listDigests } from '../../engine/notifications/digest.ts'
import {
  listKinds,
  loadPreferences,
  savePreferences,
} from '../../engine/notifications/preferences.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, resourceGate } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf } from '../../server/session.ts'
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

const plan = (operationId: string, summary: string, description: string) => ({
  'x-gate': AUTHENTICATED,
  operationId,
  summary,
  description: `${description} Gate: authentication; each has their own.`,
})

const GET_PREFERENCES = {
  response: Envelope(Preferences),
  detail: plan(
    'getNotificationPreferences',
    'How the caller wants to be told',
    'Of each kind the channels; Hub and Push unless something else was said.',
  ),
}

const PUT_PREFERENCES = {
  body: PreferencesRequest,
  response: Envelope(Preferences),
  detail: {
    ...plan(
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
  detail: plan('listNotificationKinds', 'The kinds of notifications', 'Those of the model, too.'),
}

/** Gate: Send on Notifications, and authentication for the caller's own preferences. */
function notificationsRoutes(app: AppContext) {
  const { store } = app
  const load = async (request: Request) =>
    ok(await loadPreferences(store, callerOf(request).userId, modelOf(app, request)))
  return new Elysia({ prefix: '/api/v1/notifications', strictPath: true, tags: [AREA] })
    .post(
      '',
      async ({ body, request }) => {
        const by = { caller: callerOf(request), model: modelOf(app, request) }
        return ok({ Recipients: await sendNotification(app, by, body) })
      },
      SEND,
    )
    .get('/preferences', ({ request }) => load(request), GET_PREFERENCES)
    .put(
      '/preferences',
      async ({ body, request }) => {
        await change(app, request, body)
        return load(request)
      },
      PUT_PREFERENCES,
    )
    .get(
      '/kinds',
      ({ request }) =>
        ok(
          [...listKinds(modelOf(app, request))].map(([Kind, label]) => ({
            Kind,
            Label: renderMessage(label, languageOf(request)),
          })),
        ),
      GET_KINDS,
    )
}

async function change(
  { store, models }: AppContext,
  request: Request,
  { Preferences: changes }: PreferencesRequest,
): Promise<void> {
  const caller = callerOf(request)
  const known = await loadPreferences(store, caller.userId, models.get())
  const faults: FieldErrors = {}
  const wanted = changes.flatMap(({ Kind, Hub, Push, Mail, Digest }, at) => {
    const now = known.find((each) => each.Kind.toLowerCase() === Kind.toLowerCase())
    if (!now) {
      faults[`Preferences[${at}].Kind`] = say`There is no such kind`
      return []
    }
    const channels = { Hub: Hub ?? now.Hub, Push: Push ?? now.Push }
    return [{ Kind: now.Kind, ...channels, Mail: Mail ?? now.Mail, Digest: Digest ?? now.Digest }]
  })
  if (Object.keys(faults).length > 0) throw validation(faults)
  const because = 'what users want holds in all of their companies'
  await store.write((tx) => savePreferences(tx, caller.userId, wanted), scopeOf(caller, because))
}

/** See `Feature`. */
export const notificationsFeature: Feature = {
  routes: [notificationsRoutes],
  jobs: [digestJob],
  recurring: [listDigests],
  translations: { de: GERMAN },
}
