/** Signing keys of access tokens, by `kid`. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const keys = sqliteTable('svc_keys', {
  Kid: text().primaryKey(),
  PublicJwk: text().notNull(),
  PrivateJwk: text().notNull(),
  CreatedAt: text().notNull(),
  /** Set on rotation; it verifies until its last token has expired. */
  RetiredAt: text(),
  IsCurrent: integer({ mode: 'boolean' }).notNull(),
})
