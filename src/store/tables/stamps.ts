/** Stamps of fields: which one each field moved with, for a 409 and a merge. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const stamps = sqliteTable(
  'svc_stamps',
  {
    Entity: text().notNull(),
    /** Key values as a JSON array. */
    RecordKey: text().notNull(),
    Stamp: integer().notNull(),
    /** JSON array of column names. */
    Fields: text().notNull(),
    UserId: integer(),
    At: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.Entity, t.RecordKey, t.Stamp] })],
)
