/** Signing keys of access tokens, by `kid`, and the key that seals secrets at rest. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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
