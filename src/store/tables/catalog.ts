/** The script catalog: each execution of a script, verbatim, with the hash of its body. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const scripts = sqliteTable(
  'svc_scripts',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    Type: text().notNull(),
    Name: text().notNull(),
    FileName: text().notNull(),
    Body: text().notNull(),
    VersionHash: text().notNull(),
    /** The parsed element as JSON, so that a start needs no XML parser. */
    Document: text().notNull(),
    /** Only the latest execution of a name is current; a pruned script has none. */
    IsCurrent: integer({ mode: 'boolean' }).notNull(),
    ExecutedAt: text().notNull(),
    /** `deploy`, what changed it here since (`board`, `designer`, `import`), or `merge` of both. */
    Origin: text().notNull().default('deploy'),
    /** Undefined on the command line. */
    ExecutedBy: integer(),
    /** The `Id` of a report's or workflow's first execution; null on that one itself. */
    DocumentId: integer(),
    /** The designer's notes on this version. */
    Notes: text(),
  },
  (t) => [
    index('svc_scripts_current').on(t.IsCurrent, t.Type, t.Name),
    index('svc_scripts_document').on(t.DocumentId),
    index('svc_scripts_user').on(t.ExecutedBy),
  ],
)

/** Drafts of versioned documents, whose versions are executions of scripts. */
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

/**
 * Single facts of the data folder: its identity, the schema that the tables were last migrated to.
 */
export const facts = sqliteTable('svc_facts', {
  Name: text().primaryKey(),
  Value: text().notNull(),
})

/** The model's migrations that this database is done with. */
export const migrations = sqliteTable('svc_migrations', {
  Name: text().primaryKey(),
  /** SHA-256 of its statements, in hexadecimal. */
  Hash: text().notNull(),
  /** The deploy that it was part of. */
  At: text().notNull(),
})

/** Keys that records had before a deploy gave them others: by them the audit log knows its past. */
export const formerKeys = sqliteTable(
  'svc_former_keys',
  {
    Entity: text().notNull(),
    /** Key values as a JSON array: the ones that the deploy gave, and the ones before it. */
    RecordKey: text().notNull(),
    FormerEntity: text().notNull(),
    FormerKey: text().notNull(),
    /** The last entry of the audit log before that deploy. */
    AuditId: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.Entity, t.RecordKey, t.AuditId] }),
    index('svc_former_keys_entity').on(t.Entity, t.AuditId),
  ],
)
