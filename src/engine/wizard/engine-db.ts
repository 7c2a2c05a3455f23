/** Runs of wizards, in `engine.db`: the finish of a run commits with the rows that it writes. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from '../../store/tables/users.ts'

/** A run of a wizard, with its steps so far and the values given in them. */
export const wizardRuns = sqliteTable(
  'svc_wizard_runs',
  {
    /** Random id of 128 bits. */
    Id: text().primaryKey(),
    /** The view's name. */
    Wizard: text().notNull(),
    /** The owner, with the company and the API key that the run was begun in and by. */
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    CompanyId: integer().notNull(),
    ApiKeyId: integer(),
    /** The user who acted as the owner when it was begun. */
    ImpersonatorId: integer(),
    /** Language of the owner's latest request. */
    Language: text(),
    /** The step that asks, by name; the path and the model say whether it still does. */
    Step: text().notNull(),
    /** Names of the steps that were taken before it, as a JSON array. */
    Path: text().notNull(),
    /** Values that were given, by name of the step, as JSON. */
    Given: text().notNull(),
    /** MD5 of the view's text when the run was last written. */
    VersionHash: text().notNull(),
    /** Increases with each change. */
    Version: integer().notNull(),
    CreatedAt: text().notNull(),
    ChangedAt: text().notNull(),
    ExpiresAt: text().notNull(),
    /** Time at which its owner was warned of its expiry. */
    WarnedAt: text(),
  },
  (t) => [
    index('svc_wizard_runs_user').on(t.UserId, t.CompanyId, t.ChangedAt),
    index('svc_wizard_runs_expiry').on(t.ExpiresAt),
  ],
)
