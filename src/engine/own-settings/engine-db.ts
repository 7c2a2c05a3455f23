/** Settings that users keep for themselves, in `engine.db`. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from '../../store/tables/users.ts'

/** One setting of a user, which holds in all of their companies. */
export const userSettings = sqliteTable(
  'svc_user_settings',
  {
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    Key: text().notNull(),
    /** Bytes of key and value; before the value, which a sum over them does not read. */
    Bytes: integer().notNull(),
    /** JSON, as it was given. */
    Value: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.UserId, t.Key] })],
)
