/**
 * What lives in `state.db`: sessions, refresh tokens, throttles. No more than that is lost with it.
 */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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

/** Failures of a subject (`user:…`, `address:…`) within a window. */
export const throttles = sqliteTable(
  'svc_throttles',
  {
    Subject: text().primaryKey(),
    WindowStart: text().notNull(),
    Failures: integer().notNull(),
  },
  (t) => [index('svc_throttles_window').on(t.WindowStart)],
)
