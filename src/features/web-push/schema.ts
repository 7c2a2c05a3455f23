/** Bodies and answers of `/api/v1/push-subscription`. */
import { type Static, Type } from '@sinclair/typebox'
import { named, orNull } from '../../kernel/schema.ts'
import { SUBSCRIPTIONS_MAX } from '../../engine/web-push/push-options.ts'

const endpoint = Type.String({ maxLength: 2048, description: 'Where the push service takes them' })

const EXAMPLE_ENDPOINT = 'https://push.example.com/send/dJk3-1xWq0c'
const EXAMPLE_KEY =
  'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'

/** A `PushSubscription` as browsers write it as JSON (W3C Push API). */
export const SubscribeRequest = named(
  'PushSubscription',
  Type.Object(
    {
      endpoint,
      expirationTime: Type.Optional(
        orNull(Type.Number({ description: 'When it ends, in milliseconds since 1970' })),
      ),
      keys: named(
        'PushKeys',
        Type.Object({
          p256dh: Type.String({
            pattern: '^[A-Za-z0-9_-]{87}=?$',
            description: 'Public key of the browser, as base64url',
          }),
          auth: Type.String({
            pattern: '^[A-Za-z0-9_-]{22}={0,2}$',
            description: 'Secret that the browser shares with the server, as base64url',
          }),
        }),
      ),
    },
    {
      examples: [
        {
          endpoint: EXAMPLE_ENDPOINT,
          expirationTime: null,
          keys: { p256dh: EXAMPLE_KEY, auth: 'BTBZMqHH6r4Tts7J_aSIgg' },
        },
      ],
    },
  ),
)
export type SubscribeRequest = Static<typeof SubscribeRequest>

export const UnsubscribeRequest = named(
  'PushUnsubscribeRequest',
  Type.Object({ endpoint }, { examples: [{ endpoint: EXAMPLE_ENDPOINT }] }),
)

export const Subscribed = named(
  'PushSubscribed',
  Type.Object({
    Count: Type.Integer({
      description: `Subscriptions of the caller; ${SUBSCRIPTIONS_MAX} at most`,
    }),
    Removed: Type.Integer({ description: 'How many of the oldest went for this one' }),
  }),
)
export type Subscribed = Static<typeof Subscribed>

export const VapidKey = named(
  'VapidKey',
  Type.Object({
    PublicKey: Type.String({ description: 'What a browser takes as `applicationServerKey`' }),
  }),
)

export const Tested = named(
  'PushTestResult',
  Type.Object({
    Count: Type.Integer({ description: 'Subscriptions that a message is sent to' }),
  }),
)
