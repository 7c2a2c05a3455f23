/** Files in `exports/` that were made for a user to fetch, each until it expires. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const exports = sqliteTable(
  'svc_exports',
  {
    /** Bare name of the file; 128 bits of it are random. */
    Name: text().primaryKey(),
    /** Callers of this company may fetch it. */
    CompanyId: integer().notNull(),
    UserId: integer().notNull(),
    /** The name under which it is saved. */
    ShownName: text().notNull(),
    ContentType: text().notNull(),
    Size: integer().notNull(),
    /** Hexadecimal. */
    Sha256: text().notNull(),
    CreatedAt: text().notNull(),
    ExpiresAt: text().notNull(),
  },
  (t) => [index('svc_exports_expiry').on(t.ExpiresAt)],
)

/**
 * Files that no row of engine.db names, and since when: an older engine.db knows none of them, and
 * may give its place to a newer one again.
 */
export const strays = sqliteTable('svc_strays', {
  /** The path in the data folder, with slashes. */
  Path: text().primaryKey(),
  Since: text().notNull(),
})
