/** Audit entries: who changed what from what to what, in the transaction of the change. */
import { sql } from 'drizzle-orm'
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
    /** Links the entry to the one before it (`store/audit/chain.ts`). */
    Hash: text().notNull(),
  },
  (t) => [
    index('svc_audit_record').on(t.Entity, t.RecordKey),
    index('svc_audit_user').on(t.UserId),
    index('svc_audit_impersonator')
      .on(t.ImpersonatorId)
      .where(sql`ImpersonatorId IS NOT NULL`),
    index('svc_audit_at').on(t.At),
  ],
)
