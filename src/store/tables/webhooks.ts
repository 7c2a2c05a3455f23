/** Webhooks, which tell systems outside of what happens, and their deliveries. */
import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { companies, users } from './users.ts'

export const webhooks = sqliteTable(
  'svc_webhooks',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    CompanyId: integer()
      .notNull()
      .references(() => companies.Id, { onDelete: 'cascade' }),
    /** The user who made it or changed it last, whose rights decide what is sent. */
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    Url: text().notNull(),
    /** JSON array of names in lower case. */
    Events: text().notNull(),
    Active: integer({ mode: 'boolean' }).notNull(),
    /** Sealed with the installation's key. */
    Secret: text().notNull(),
    /** The secret before it, which signs too until then. */
    FormerSecret: text(),
    FormerUntil: text(),
    CreatedAt: text().notNull(),
    ChangedAt: text().notNull(),
    /** The first failure of the latest deliveries, if none has arrived since. */
    FailingSince: text(),
    /** The reason why the engine turned it off. */
    OffReason: text(),
  },
  (t) => [index('svc_webhooks_company').on(t.CompanyId, t.Id)],
)

export const webhookDeliveries = sqliteTable(
  'svc_webhook_deliveries',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    WebhookId: integer()
      .notNull()
      .references(() => webhooks.Id, { onDelete: 'cascade' }),
    /** `webhook-id`: the same each time that it is sent. */
    MessageId: text().notNull(),
    Event: text().notNull(),
    Object: text(),
    Action: text().notNull(),
    /** JSON of the key, as the view names it. */
    Keys: text(),
    /** JSON object of a removed record's row: all columns of the view, whatever anyone may see. */
    Removed: text(),
    TraceId: text(),
    At: text().notNull(),
    /** `pending`, `sent`, `failed`, `dropped`: off, or hidden from its maker. */
    State: text().notNull(),
    Attempts: integer().notNull(),
    LastAt: text(),
    LastStatus: integer(),
    LastError: text(),
    JobId: integer(),
  },
  (t) => [
    index('svc_webhook_deliveries_webhook').on(t.WebhookId, t.Id),
    index('svc_webhook_deliveries_over')
      .on(t.At)
      .where(sql`State <> 'pending'`),
  ],
)
