/** Tables of `state.db`: sessions, refresh tokens, throttles. No more is lost with the file. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const sessions = sqliteTable(
  'svc_sessions',
  {
    Id: text().primaryKey(),
    UserId: integer().notNull(),
    CompanyId: integer().notNull(),
    Client: text(),
    Address: text(),
    CreatedAt: text().notNull(),
    LastUsedAt: text().notNull(),
    ExpiresAt: text().notNull(),
    EndedAt: text(),
    EndedBecause: text(),
    /** The user who acts as this one, the session of theirs, and the reason. */
    ImpersonatorId: integer(),
    ImpersonatorSessionId: text(),
    ImpersonationReason: text(),
  },
  (t) => [index('svc_sessions_user').on(t.UserId), index('svc_sessions_expiry').on(t.ExpiresAt)],
)

/**
 * One link of a session's chain of refresh tokens; the token itself is only known by its SHA-256.
 */
export const refreshTokens = sqliteTable(
  'svc_refresh_tokens',
  {
    Hash: text().primaryKey(),
    SessionId: text().notNull(),
    CreatedAt: text().notNull(),
    ExpiresAt: text().notNull(),
    UsedAt: text(),
    /** Hash of the token that replaced it. */
    ReplacedBy: text(),
  },
  (t) => [
    index('svc_refresh_tokens_session').on(t.SessionId),
    index('svc_refresh_tokens_expiry').on(t.ExpiresAt),
  ],
)

/** Failures of a subject (`login:user:…`, `login:address:…`) within a window. */
export const throttles = sqliteTable(
  'svc_throttles',
  {
    Subject: text().primaryKey(),
    WindowStart: text().notNull(),
    Failures: integer().notNull(),
  },
  (t) => [index('svc_throttles_window').on(t.WindowStart)],
)

/** A sign-in that waits for its second factor; known by the SHA-256 of its id. */
export const mfaChallenges = sqliteTable(
  'svc_mfa_challenges',
  {
    Hash: text().primaryKey(),
    UserId: integer().notNull(),
    CompanyId: integer().notNull(),
    /** HMAC of the password hash that was checked: a new password ends the challenge. */
    PasswordMark: text().notNull(),
    CreatedAt: text().notNull(),
    ExpiresAt: text().notNull(),
    /** Failures of this challenge; those of the user are counted in `svc_throttles`. */
    Failures: integer().notNull().default(0),
    EndedAt: text(),
  },
  (t) => [index('svc_mfa_challenges_expiry').on(t.ExpiresAt)],
)

/** A link that sets a new password once; the token in it is only known by its SHA-256. */
export const passwordResets = sqliteTable(
  'svc_password_resets',
  {
    Hash: text().primaryKey(),
    UserId: integer().notNull(),
    CreatedAt: text().notNull(),
    ExpiresAt: text().notNull(),
    UsedAt: text(),
  },
  (t) => [index('svc_password_resets_expiry').on(t.ExpiresAt)],
)

/** Clients that a user has signed in with: of a new one they get a mail. */
export const devices = sqliteTable(
  'svc_devices',
  {
    UserId: integer().notNull(),
    /** SHA-256 of the client's name for itself. */
    Fingerprint: text().notNull(),
    FirstSeenAt: text().notNull(),
    LastSeenAt: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.UserId, t.Fingerprint] })],
)

/** Last uses of API keys. */
export const apiKeyUses = sqliteTable('svc_api_key_uses', {
  KeyId: integer().primaryKey(),
  LastUsedAt: text().notNull(),
})
