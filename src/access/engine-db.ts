/** Tables of engine.db that belong to access: signing keys, second factors, API keys. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from '../store/tables/users.ts'

/** Signing keys of access tokens, by `kid`, and the key that seals secrets at rest. */
export const keys = sqliteTable('svc_keys', {
  Kid: text().primaryKey(),
  /** `sig` signs access tokens; the one of `enc` seals and has no public half. */
  Use: text().notNull().default('sig'),
  PublicJwk: text().notNull(),
  PrivateJwk: text().notNull(),
  CreatedAt: text().notNull(),
  /** Set on rotation; it verifies until its last token has expired. */
  RetiredAt: text(),
  IsCurrent: integer({ mode: 'boolean' }).notNull(),
})

/** Second factors: one authenticator a user (RFC 6238). */
export const mfa = sqliteTable('svc_mfa', {
  UserId: integer()
    .primaryKey()
    .references(() => users.Id, { onDelete: 'cascade' }),
  /** Base32, sealed with the installation's key. */
  Secret: text().notNull(),
  CreatedAt: text().notNull(),
  /** Null while it was set up only: it asks for nothing yet. */
  ConfirmedAt: text(),
  /** The time step of the last code that was taken: no code is taken twice, nor an older one. */
  LastStep: integer(),
})

export const recoveryCodes = sqliteTable(
  'svc_recovery_codes',
  {
    /** HMAC-SHA256 of user and code, by the installation's key. */
    Hash: text().primaryKey(),
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    UsedAt: text(),
  },
  (t) => [index('svc_recovery_codes_user').on(t.UserId)],
)

/** Keys of machines: each acts as its user, within the roles and companies that it names. */
export const apiKeys = sqliteTable(
  'svc_api_keys',
  {
    /** Never given again: jobs name it for as long as they are kept. */
    Id: integer().primaryKey({ autoIncrement: true }),
    UserId: integer()
      .notNull()
      .references(() => users.Id, { onDelete: 'cascade' }),
    Name: text().notNull(),
    /** SHA-256 of the key itself, which only its receiver knows. */
    KeyHash: text().notNull().unique(),
    /** JSON array of names. */
    Roles: text().notNull(),
    /** JSON array of ids. */
    Companies: text().notNull(),
    CreatedAt: text().notNull(),
    CreatedBy: integer(),
    ExpiresAt: text().notNull(),
    /** Set on revocation. The row stays until its expiry, so that a use gets that answer. */
    RevokedAt: text(),
  },
  (t) => [index('svc_api_keys_user').on(t.UserId)],
)
