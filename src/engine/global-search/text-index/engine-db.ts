/**
 * The index of the global search, in `engine.db`: it changes in the transaction that changes the
 * records. The words themselves are in `svc_search`, a table of FTS5, which its migration declares:
 * a column for each place of a searched field; a row has the number of its entry.
 */
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** A view as it was searched when its entries were written; another definition has others. */
export const searchViews = sqliteTable(
  'svc_search_views',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    View: text().notNull(),
    /** A hash of all that decides which words a record has. */
    Definition: text().notNull(),
    /** `building` until every record was read once, then `ready`. */
    State: text().notNull(),
  },
  (t) => [uniqueIndex('svc_search_views_definition').on(t.View, t.Definition)],
)

/** The entries of one company's records of a view; 0 for records that all companies share. */
export const searchScopes = sqliteTable(
  'svc_search_scopes',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    ViewId: integer().notNull(),
    CompanyId: integer().notNull(),
  },
  (t) => [uniqueIndex('svc_search_scopes_view').on(t.ViewId, t.CompanyId)],
)

/** A record that has an entry in `svc_search`, of the same Id. */
export const searchEntries = sqliteTable(
  'svc_search_entries',
  {
    Id: integer().primaryKey(),
    Scope: integer().notNull(),
    /** The key's values as a JSON array. */
    RecordKey: text().notNull(),
    /** Hash of the entry's words, so that a write that changes none leaves it. */
    Hash: text().notNull(),
  },
  (t) => [uniqueIndex('svc_search_entries_key').on(t.Scope, t.RecordKey)],
)

/** Records that are to be read again in the background, in the order in which that was noted. */
export const searchWork = sqliteTable(
  'svc_search_work',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    ViewId: integer().notNull(),
    CompanyId: integer().notNull(),
    /**
     * `all`: every row of the view; `anew`: every row, and its entry is made again; `entries`: rows
     * with an entry; else a table's name.
     */
    Kind: text().notNull(),
    /** The keys of a table's changed records, as a JSON array. */
    Keys: text(),
    /** The last key, or entry, that was read; null at the beginning. */
    Done: text(),
  },
  (t) => [index('svc_search_work_view').on(t.ViewId)],
)

/** Records whose entry has changed and has to be sent to another search engine. */
export const searchFeed = sqliteTable('svc_search_feed', {
  Id: integer().primaryKey({ autoIncrement: true }),
  Scope: integer().notNull(),
  RecordKey: text().notNull(),
})
