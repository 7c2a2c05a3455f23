/** Notifications of users, and their choices how to be notified. */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'

export const notifications = sqliteTable(
  'svc_notifications',
  {
    /** Number in the order of commits: clients ask for those after one that they know. */
    Id: integer().primaryKey({ autoIncrement: true }),
    /** The user who is notified. */
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    /** The company in which the user sees the notification. */
    CompanyId: integer().notNull(),
    /** The kind, by which users choose how they are notified. */
    Kind: text().notNull(),
    Title: text().notNull(),
    Body: text(),
    /** `info`, `success`, `warning` or `error`. */
    Level: text().notNull(),
    /** The view of the record that it is about; null: the entity's first. */
    Object: text(),
    /** Entity of that record; null for a notification without one. */
    Entity: text(),
    /** Key values as a JSON array. */
    RecordKey: text(),
    /** The address that it leads to in place of the record. */
    Url: text(),
    /** The user who caused it; null: the engine. */
    FromUserId: integer(),
    CreatedAt: text().notNull(),
    ReadAt: text(),
  },
  (t) => [
    index('svc_notifications_user').on(t.UserId, t.CompanyId, t.Id),
    index('svc_notifications_unread')
      .on(t.UserId, t.CompanyId, t.Id)
      .where(sql`ReadAt IS NULL`),
    index('svc_notifications_record')
      .on(t.Entity, t.RecordKey)
      .where(sql`Entity IS NOT NULL`),
    index('svc_notifications_created').on(t.CreatedAt),
  ],
)

export const notificationPreferences = sqliteTable(
  'svc_notification_preferences',
  {
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    Kind: text().notNull(),
    /** Told at once to those who are connected, and counted as unread. */
    Hub: integer({ mode: 'boolean' }).notNull(),
    Push: integer({ mode: 'boolean' }).notNull(),
    Mail: integer({ mode: 'boolean' }).notNull(),
    /** True for a mail once a day with all that is unread then. */
    Digest: integer({ mode: 'boolean' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.UserId, t.Kind] })],
)

/** Progress of each user's digest. */
export const notificationDigests = sqliteTable(
  'svc_notification_digests',
  {
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    CompanyId: integer().notNull(),
    LastId: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.UserId, t.CompanyId] })],
)
