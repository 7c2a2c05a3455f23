/** The first answer to each Idempotency-Key, in the transaction of its mutation. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const idempotency = sqliteTable(
  'svc_idempotency',
  {
    UserId: integer().notNull(),
    CompanyId: integer().notNull(),
    Key: text().notNull(),
    /** Method and path. */
    Route: text().notNull(),
    /** SHA-256 of the request's body. */
    RequestHash: text().notNull(),
    Status: integer().notNull(),
    /** The answer's body, to the byte. */
    Body: text().notNull(),
    /** The gates that the request passed, as JSON; null for an answer of an earlier version. */
    Gates: text(),
    CreatedAt: text().notNull(),
    ExpiresAt: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.UserId, t.CompanyId, t.Key] }),
    index('svc_idempotency_expiry').on(t.ExpiresAt),
  ],
)
