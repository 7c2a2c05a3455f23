/** Second factors: one authenticator a user (RFC 6238), and its recovery codes. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'

export const mfa = sqliteTable('svc_mfa', {
  UserId: integer()
    .primaryKey()
    .references(() => users.Id, { onDelete: 'cascade' }),
  /** Base32, sealed with the installation's key. */
  Secret: text().notNull(),
  CreatedAt: text().notNull(),
  /** Null while it was set up only: it asks for nothing yet. */
  ConfirmedAt: text(),
  /** The time step of the last code that was taken: no code is taken twice, nor an older one. */
  LastStep: integer(),
})

export const recoveryCodes = sqliteTable(
  'svc_recovery_codes',
  {
    /** HMAC-SHA256 of user and code, by the installation's key. */
    Hash: text().primaryKey(),
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    UsedAt: text(),
  },
  (t) => [index('svc_recovery_codes_user').on(t.UserId)],
)
