/** The script catalog: each execution of a script, verbatim, with the hash of its body. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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
  },
  (t) => [index('svc_scripts_current').on(t.IsCurrent, t.Type, t.Name)],
)

/**
 * Single facts of the data folder: its identity, the schema that the tables were last migrated to.
 */
export const facts = sqliteTable('svc_facts', {
  Name: text().primaryKey(),
  Value: text().notNull(),
})
