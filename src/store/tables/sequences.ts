/** The last number drawn of each sequence, by company and period. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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
