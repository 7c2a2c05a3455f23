/** Tables of the assistant in `state.db`. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Tokens of models that a user has used on a day of UTC; former days are deleted. */
export const assistantTokens = sqliteTable(
  'svc_assistant_tokens',
  {
    /** `2026-03-05` */
    Day: text().notNull(),
    UserId: integer().notNull(),
    Tokens: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.Day, t.UserId] })],
)
