/** Bodies and answers of `/api/v1/notification` and its hub (src/server/README.md). */
import { Type } from '@sinclair/typebox'
import {
  digits,
  flag,
  idDigits,
  instant,
  named,
  oneOf,
  orNull,
  valuesOf,
} from '../../kernel/schema.ts'

/** A notification of the caller. */
export const NotificationRecord = named(
  'Notification',
  Type.Object({
    Id: Type.Integer(),
    Seq: Type.Integer({ description: 'Rises from each to the next one' }),
    Kind: Type.String({ description: 'The kind by which users choose their channels' }),
    Title: Type.String(),
    Body: orNull(Type.String()),
    Level: oneOf(['info', 'success', 'warning', 'error']),
    Object: orNull(
      Type.String({ description: 'The view of its record, where the caller sees that' }),
    ),
    Keys: orNull(valuesOf('Of that record')),
    Url: orNull(
      Type.String({ description: 'Where it leads; of a record, where the caller sees that' }),
    ),
    From: orNull(
      named(
        'NotificationSender',
        Type.Object(
          { Id: Type.Integer(), DisplayName: Type.String() },
          { description: 'Who caused it; null: the engine' },
        ),
      ),
    ),
    CreatedAt: instant(),
    ReadAt: orNull(instant('Null while it is unread')),
  }),
)

export const NotificationQuery = Type.Object({
  unread: Type.Optional(flag('Unread ones alone')),
  since: Type.Optional(idDigits('Those after this Seq, the oldest first')),
  before: Type.Optional(idDigits('Those before this Seq')),
  limit: Type.Optional(
    digits('Entries at most', {
      pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)$',
      minimum: 1,
      maximum: 500,
      default: 50,
    }),
  ),
})

export const NotificationList = Type.Array(NotificationRecord, {
  description: 'The newest first, but with `since`',
})

export const UnreadCount = named(
  'UnreadCount',
  Type.Object({
    Count: Type.Integer({ description: '1,000 says so many or more' }),
  }),
)

export const byId = Type.Object({
  id: idDigits('Its Id', 1),
})
