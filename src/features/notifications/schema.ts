/** Bodies and answers of `/api/v1/notifications` (src/server/README.md). */
import { type Static, Type } from '@sinclair/typebox'
import { named, optional, valuesOf } from '../../kernel/schema.ts'

const NAMES_MAX = 1000

export const SendRequest = named(
  'NotificationSendRequest',
  Type.Object({
    Title: Type.String({ minLength: 1, maxLength: 500 }),
    Body: optional(Type.String({ maxLength: 4000 })),
    Level: optional(
      Type.Union(
        ['info', 'success', 'warning', 'error'].map((level) => Type.Literal(level)),
        { description: 'Default info' },
      ),
    ),
    Kind: optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9_]{0,99}$',
        description: 'The kind by which users choose their channels; Message',
      }),
    ),
    Object: optional(Type.String({ maxLength: 200, description: 'A view, for a record of it' })),
    Keys: optional(valuesOf('Of a record that you may View')),
    Url: optional(
      Type.String({
        pattern: '^(https?://[^\\s]+|/([^/\\\\\\s][^\\s]*)?)$',
        maxLength: 2000,
        description: 'Where it leads: http, https, or a path of the client',
      }),
    ),
    Users: optional(
      Type.Array(Type.Union([Type.String({ maxLength: 200 }), Type.Integer()]), {
        maxItems: NAMES_MAX,
        description: 'Names or ids of users of your company',
      }),
    ),
    Roles: optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: 100,
        description: 'All who have one of them in your company',
      }),
    ),
    Company: optional(Type.Boolean({ description: 'All of your company' })),
    All: optional(Type.Boolean({ description: 'All of all companies; System alone' })),
  }),
)
export type SendRequest = Static<typeof SendRequest>

export const SendResult = named(
  'NotificationSendResult',
  Type.Object({ Recipients: Type.Integer({ description: 'Users who get it' }) }),
)

const CHANNELS = {
  Hub: Type.Boolean({ description: 'At once where they are connected, and counted as unread' }),
  Push: Type.Boolean({ description: 'In their browsers' }),
  Mail: Type.Boolean({ description: 'By a mail for each' }),
  Digest: Type.Boolean({ description: 'By one mail a day with what is unread then' }),
}

export const Preferences = Type.Array(
  named('NotificationPreference', Type.Object({ Kind: Type.String(), ...CHANNELS })),
)

export const PreferencesRequest = named(
  'NotificationPreferencesRequest',
  Type.Object({
    Preferences: Type.Array(
      named(
        'NotificationPreferenceChange',
        Type.Object({
          Kind: Type.String({ maxLength: 200 }),
          Hub: optional(CHANNELS.Hub),
          Push: optional(CHANNELS.Push),
          Mail: optional(CHANNELS.Mail),
          Digest: optional(CHANNELS.Digest),
        }),
      ),
      { maxItems: NAMES_MAX, description: 'What is left out stays' },
    ),
  }),
)
export type PreferencesRequest = Static<typeof PreferencesRequest>

export const Kinds = Type.Array(
  named(
    'NotificationKind',
    Type.Object({
      Kind: Type.String(),
      Label: Type.String({ description: 'In the language of the caller' }),
    }),
  ),
)
