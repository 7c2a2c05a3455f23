/** Tables of engine.db that belong to web push. */
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from '../../store/tables/users.ts'

/** Browsers that messages are pushed to (W3C Push API). */
export const pushSubscriptions = sqliteTable(
  'svc_push_subscriptions',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    /** The subscription ends with this session; null: it was made without one. */
    SessionId: text(),
    /** URL at which the push service takes messages for the subscription. */
    Endpoint: text().notNull(),
    /** Public key of the browser, as base64url. */
    P256dh: text().notNull(),
    /** Secret that the browser shares with the server, sealed with the installation's key. */
    Auth: text().notNull(),
    /** HMAC-SHA256 of endpoint, key and secret: unique, so that a browser has one subscription. */
    Mark: text().notNull(),
    CreatedAt: text().notNull(),
    /** Expiry that the browser gave. */
    ExpiresAt: text(),
    /** Messages that failed since the last one that arrived. */
    Failures: integer().notNull().default(0),
    /** No message is sent to it before this instant. */
    RestUntil: text(),
  },
  (t) => [
    uniqueIndex('svc_push_subscriptions_mark').on(t.Mark),
    index('svc_push_subscriptions_user').on(t.UserId, t.Id),
    index('svc_push_subscriptions_session').on(t.SessionId),
  ],
)
