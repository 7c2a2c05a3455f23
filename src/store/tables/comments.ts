/** Comments of people on records, and who follows a record: tables of engine.db. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { companies, users } from './users.ts'

/** Comments on a record, each in one company. */
export const comments = sqliteTable(
  'svc_comments',
  {
    /** Number in the order of commits. */
    Id: integer().primaryKey({ autoIncrement: true }),
    CompanyId: integer()
      .notNull()
      .references(() => companies.Id, { onDelete: 'cascade' }),
    Entity: text().notNull(),
    /** Key values as a JSON array. */
    RecordKey: text().notNull(),
    /** The view by which it was written. */
    Object: text().notNull(),
    /** Null once the user is deleted. */
    AuthorId: integer().references(() => users.Id, { onDelete: 'set null' }),
    /** The user who acted as the author. */
    ImpersonatorId: integer(),
    Text: text().notNull(),
    /** JSON array of `{Id, At}`: users, and when each was mentioned. */
    Mentions: text().notNull(),
    /** Rises with each change. */
    RowVersion: integer().notNull(),
    CreatedAt: text().notNull(),
    /** Null until it is changed. */
    ChangedAt: text(),
  },
  (t) => [
    index('svc_comments_record').on(t.Entity, t.RecordKey, t.CompanyId, t.Id),
    index('svc_comments_company').on(t.CompanyId),
    index('svc_comments_author').on(t.AuthorId),
  ],
)

/** Users who get a notification of each new comment on a record. */
export const followers = sqliteTable(
  'svc_followers',
  {
    Entity: text().notNull(),
    /** Key values as a JSON array. */
    RecordKey: text().notNull(),
    CompanyId: integer()
      .notNull()
      .references(() => companies.Id, { onDelete: 'cascade' }),
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.Entity, t.RecordKey, t.CompanyId, t.UserId] }),
    index('svc_followers_company').on(t.CompanyId),
    index('svc_followers_user').on(t.UserId),
  ],
)
