/** Bodies and answers of `/api/v1/svc/webhooks` (src/server/README.md). */
import { type Static, Type } from '@sinclair/typebox'
import { idDigits, instant, named, oneOf, optional, orNull, Values } from '../../kernel/schema.ts'

const Events = Type.Array(
  Type.String({
    pattern: '^[A-Za-z0-9_-]{1,200}(\\.[A-Za-z0-9_]{1,100})?$',
    examples: ['orders.created'],
  }),
  {
    minItems: 1,
    maxItems: 200,
    description:
      'A view by its slug with created, updated, deleted or an action; or the Event of an effect',
  },
)

const Url = Type.String({ maxLength: 2000, examples: ['https://example.com/hooks'] })

const Secret = Type.String({
  pattern: '^whsec_[A-Za-z0-9+/]{32,128}={0,2}$',
  description: 'whsec_ and base64 of 24 bytes or more; made where none is given',
})

export const NewWebhook = named(
  'NewWebhookRequest',
  Type.Object({
    Url,
    Events,
    Active: optional(Type.Boolean({ description: 'True' })),
    Secret: optional(Secret),
  }),
)
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookChange = named(
  'WebhookChangeRequest',
  Type.Object({
    Url: optional(Url),
    Events: optional(Events),
    Active: optional(Type.Boolean()),
    Secret: optional(Secret),
    RotateSecret: optional(
      Type.Boolean({ description: 'Makes another secret; for a day both sign' }),
    ),
  }),
)
export type WebhookChange = Static<typeof WebhookChange>

export const WebhookEntry = named(
  'Webhook',
  Type.Object({
    Id: Type.Integer(),
    Url: Type.String(),
    Events: Type.Array(Type.String()),
    Active: Type.Boolean(),
    MakerId: Type.Integer({ description: 'By whose rights it is sent: who changed it last' }),
    CreatedAt: instant(),
    ChangedAt: instant(),
    FormerUntil: orNull(instant('Until then the former secret signs too')),
    FailingSince: orNull(instant()),
    OffReason: orNull(Type.String({ description: 'Why it was turned off by itself' })),
    Secret: Type.Optional(Type.String({ description: 'Once, when it is new' })),
  }),
)

export const WebhookList = Type.Array(WebhookEntry)

export const Delivery = named(
  'WebhookDelivery',
  Type.Object({
    Id: Type.Integer(),
    MessageId: Type.String({ description: 'webhook-id: the same each time that it is sent' }),
    Event: Type.String(),
    Object: orNull(Type.String()),
    Action: Type.String(),
    Keys: orNull(Values),
    At: instant(),
    State: oneOf(['pending', 'sent', 'failed', 'dropped']),
    Attempts: Type.Integer(),
    LastAt: orNull(instant()),
    LastStatus: orNull(Type.Integer()),
    LastError: orNull(Type.String()),
    JobId: orNull(Type.Integer()),
  }),
)

export const DeliveryList = Type.Array(Delivery, { description: 'The newest first, 100 at most' })

export const DeliveryQuery = Type.Object({
  before: Type.Optional(idDigits('Those before it')),
})

const Id = (description: string) => idDigits(description, 1)

export const byId = Type.Object({ id: Id('Its Id') })

export const byDelivery = Type.Object({ id: Id('Of the webhook'), deliveryId: Id('Its Id') })
