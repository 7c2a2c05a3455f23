/** Saved views of users, and which one each opens an object with, in `engine.db`. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { companies, users } from '../../store/tables/users.ts'

/** Ways in which users want to see the rows of an object, in one company. */
export const savedViews = sqliteTable(
  'svc_saved_views',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    CompanyId: integer()
      .notNull()
      .references(() => companies.Id, { onDelete: 'cascade' }),
    /** Name of the object in the model, which may be gone. */
    Object: text().notNull(),
    /** The user who alone has it, and with whom it goes; null for a shared one. */
    OwnerId: integer().references(() => users.Id, { onDelete: 'cascade' }),
    /** The user who made it; null once that user is deleted. */
    MakerId: integer().references(() => users.Id, { onDelete: 'set null' }),
    /** `none`, `role` or `company`. */
    Shared: text({ enum: ['none', 'role', 'company'] }).notNull(),
    /** Name of the role that it is shared with. */
    Role: text(),
    Name: text().notNull(),
    /** JSON of columns, filters and the like, as they were saved. */
    Body: text().notNull(),
    /** Rises with each change. */
    RowVersion: integer().notNull(),
    CreatedAt: text().notNull(),
    ChangedAt: text().notNull(),
  },
  (t) => [
    index('svc_saved_views_object').on(t.CompanyId, t.Object, t.OwnerId),
    index('svc_saved_views_owner').on(t.OwnerId),
    index('svc_saved_views_maker').on(t.MakerId),
  ],
)

/** The saved view that a user opens an object with, in one company. */
export const defaultViews = sqliteTable(
  'svc_default_views',
  {
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    CompanyId: integer()
      .notNull()
      .references(() => companies.Id, { onDelete: 'cascade' }),
    Object: text().notNull(),
    ViewId: integer()
      .notNull()
      .references(() => savedViews.Id, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.UserId, t.CompanyId, t.Object] }),
    index('svc_default_views_view').on(t.ViewId),
  ],
)
