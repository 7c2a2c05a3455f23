/** Imports that can be undone, with the changes to each record. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const imports = sqliteTable(
  'svc_imports',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    UserId: integer().notNull(),
    CompanyId: integer().notNull(),
    ViewName: text().notNull(),
    Entity: text().notNull(),
    /** Of the records that a bulk edit is about (`selection`) a hash of its request. */
    FileName: text().notNull(),
    /** `insert`, `update`, `upsert`; `submit-many` of a bulk edit, `selection` of its records. */
    Mode: text().notNull(),
    /** True for history, imported without effects; its undo has none either. */
    IsTakeover: integer({ mode: 'boolean' }).notNull().default(false),
    Inserted: integer().notNull(),
    Updated: integer().notNull(),
    At: text().notNull(),
    UndoneAt: text(),
    /** The instant after which the import can no longer be undone. */
    ExpiresAt: text().notNull(),
  },
  (t) => [index('svc_imports_expiry').on(t.ExpiresAt)],
)

/** Lines of one import in a row of `Row`s: `Row` is the import's Id times this, and the line. */
export const LINES_PER_IMPORT = 2 ** 32

export const importRows = sqliteTable('svc_import_rows', {
  Row: integer().primaryKey(),
  /** JSON array of the key's values. */
  RowKey: text().notNull(),
  /** JSON array of the columns as they were; null for a new record. */
  Before: text(),
  /** Proof that the record has not changed since: its stamp, or all of its columns. */
  After: text(),
})

/** Lists of keys (`Through`) that an import has set, one a row and list. */
export const importLists = sqliteTable(
  'svc_import_lists',
  {
    /** As in `importRows`. */
    Row: integer().notNull(),
    /** Name of the entity between. */
    Entity: text().notNull(),
    /** JSON array of its rows for the record, whole, as they were. */
    Before: text().notNull(),
    /** The same as the import left them. */
    After: text(),
  },
  (t) => [primaryKey({ columns: [t.Row, t.Entity] })],
)
