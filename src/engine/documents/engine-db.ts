/** Drafts of versioned documents. Their versions are the executions of the script catalog. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const drafts = sqliteTable('svc_drafts', {
  /** The `Id` of the first execution of the document: a rename does not change it. */
  DocumentId: integer().primaryKey(),
  /** Any text: nothing of it is parsed. */
  Body: text().notNull(),
  Notes: text().notNull(),
  /** The execution that the draft forked from. */
  BaseId: integer().notNull(),
  SavedAt: text().notNull(),
  SavedBy: integer().notNull(),
})
