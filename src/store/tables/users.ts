/**
 * Users, companies and who holds what where. `svc_users`, `svc_companies` and `svc_user_roles` are
 * published names.
 */
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const users = sqliteTable(
  'svc_users',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    UserName: text().notNull(),
    /** Lower-case, NFKC: what a sign-in is looked up by. */
    UserNameKey: text().notNull(),
    DisplayName: text().notNull(),
    Email: text(),
    PasswordHash: text(),
    /** Set for one-time passwords: they must be changed at the first sign-in. */
    MustChangePassword: integer({ mode: 'boolean' }).notNull().default(false),
    Active: integer({ mode: 'boolean' }).notNull().default(true),
    TimeZone: text(),
    /** A tag as `de`: what mails, digests and jobs speak to them; null: the company's. */
    Language: text(),
    LastCompanyId: integer(),
    CreatedAt: text().notNull(),
    ChangedAt: text().notNull(),
  },
  (t) => [uniqueIndex('svc_users_name').on(t.UserNameKey), index('svc_users_email').on(t.Email)],
)

export const userAttributes = sqliteTable(
  'svc_user_attributes',
  {
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    Name: text().notNull(),
    Value: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.UserId, t.Name] })],
)

export const companies = sqliteTable(
  'svc_companies',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    Code: text().notNull(),
    Name: text().notNull(),
    TimeZone: text().notNull().default('UTC'),
    /** Language of its mails where the reader has none; null: `Svc:Language`. */
    Language: text(),
    Active: integer({ mode: 'boolean' }).notNull().default(true),
    CreatedAt: text().notNull(),
  },
  (t) => [uniqueIndex('svc_companies_code').on(t.Code)],
)

export const userCompanies = sqliteTable(
  'svc_user_companies',
  {
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    CompanyId: integer()
      .notNull()
      .references(() => companies.Id, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.UserId, t.CompanyId] }),
    index('svc_user_companies_company').on(t.CompanyId),
  ],
)

/** A role of a user, in one company or (`CompanyId` null) in all of theirs. */
export const userRoles = sqliteTable(
  'svc_user_roles',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    Role: text().notNull(),
    CompanyId: integer().references(() => companies.Id, { onDelete: 'cascade' }),
  },
  (t) => [index('svc_user_roles_user').on(t.UserId)],
)
