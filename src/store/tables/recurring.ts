/** Where recurring jobs stand; what they are is declared by the model and by extensions. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const recurring = sqliteTable('svc_recurring', {
  /** That of the recurring job, one of its kind. */
  Name: text().primaryKey(),
  /** As they were when `NextRun` was computed: with others it is computed anew. */
  Cron: text().notNull(),
  TimeZone: text().notNull(),
  Paused: integer({ mode: 'boolean' }).notNull(),
  /** UTC; null where it never comes, and while it is paused. */
  NextRun: text(),
  /** When its latest run was due or asked for, UTC. */
  LastRun: text(),
  /** The job of that run. */
  LastJobId: integer(),
})
