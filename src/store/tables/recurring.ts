/** State of recurring jobs; the model and extensions declare the jobs themselves. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const recurring = sqliteTable('svc_recurring', {
  /** Name of the recurring job, one of its kind. */
  Name: text().primaryKey(),
  /** The plan by which `NextRun` was computed: under another plan it is computed again. */
  Cron: text().notNull(),
  TimeZone: text().notNull(),
  Paused: integer({ mode: 'boolean' }).notNull(),
  /** UTC; null where it never comes, and while it is paused. */
  NextRun: text(),
  /** The instant when its latest run was due or asked for, UTC. */
  LastRun: text(),
  /** The job of that run. */
  LastJobId: integer(),
})
