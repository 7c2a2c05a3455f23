/** Who changed what from what to what, in the transaction of the change. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const audit = sqliteTable(
  'svc_audit',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    At: text().notNull(),
    UserId: integer(),
    ImpersonatorId: integer(),
    CompanyId: integer(),
    /** The view or the engine's own reason through which the change came. */
    Source: text().notNull(),
    TraceId: text(),
    Entity: text().notNull(),
    /** Key values as a JSON array. */
    RecordKey: text().notNull(),
    Action: text().notNull(),
    /** JSON: column to `[from, to]`. */
    Changes: text().notNull(),
  },
  (t) => [index('svc_audit_record').on(t.Entity, t.RecordKey)],
)
