/** The last number of each sequence, by company and period, and numbers reserved for users. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const sequences = sqliteTable(
  'svc_sequences',
  {
    Name: text().notNull(),
    /** 0 for a sequence that all companies share. */
    CompanyId: integer().notNull(),
    /** `2026`, `2026-11`, `2026-11-21` or '' by its Reset. */
    Period: text().notNull(),
    Last: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.Name, t.CompanyId, t.Period] })],
)

/**
 * Numbers that were drawn and are not used: each is its user's until it expires, and the sequence's
 * again after that. The lowest goes out first.
 */
export const reservations = sqliteTable(
  'svc_reservations',
  {
    Name: text().notNull(),
    /** As in `svc_sequences`. */
    CompanyId: integer().notNull(),
    Period: text().notNull(),
    Number: integer().notNull(),
    /** As it was shown to the user. */
    Text: text().notNull(),
    /** The day that the format speaks of, in the company's zone. */
    Day: text().notNull(),
    UserId: integer().notNull(),
    ExpiresAt: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.Name, t.CompanyId, t.Period, t.Number] }),
    index('svc_reservations_user').on(t.UserId, t.Name, t.Text),
  ],
)
