/**
 * Files of records, and uploads that wait for one. In `engine.db`, since a mutation that takes an
 * upload over and the record that names it commit together; the bytes lie in `files/`.
 */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A file that was uploaded and belongs to no record yet. */
export const uploads = sqliteTable(
  'svc_uploads',
  {
    /** Name of the file in `files/`, and the Path of the record's file later on. */
    Key: text().primaryKey(),
    UserId: integer().notNull(),
    CompanyId: integer().notNull(),
    /** The entity and the column that it was sent for; without a column, the field. */
    Entity: text().notNull(),
    Field: text().notNull(),
    FileName: text().notNull(),
    ContentType: text().notNull(),
    /** Bytes. */
    Size: integer().notNull(),
    /** Hexadecimal. */
    Sha256: text().notNull(),
    CreatedAt: text().notNull(),
    ExpiresAt: text().notNull(),
  },
  (t) => [
    index('svc_uploads_user').on(t.UserId, t.ExpiresAt),
    index('svc_uploads_expiry').on(t.ExpiresAt),
  ],
)

/** Files by the record's column that names them. A file without a row here or above is swept. */
export const files = sqliteTable(
  'svc_files',
  {
    /** Name of the file in `files/`. */
    Path: text().notNull(),
    Entity: text().notNull(),
    /** Key values as a JSON array. */
    RecordKey: text().notNull(),
    /** The column. */
    Field: text().notNull(),
    CompanyId: integer(),
    FileName: text().notNull(),
    ContentType: text().notNull(),
    /** Bytes. */
    Size: integer().notNull(),
    /** Hexadecimal. */
    Sha256: text().notNull(),
    CreatedAt: text().notNull(),
    CreatedBy: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.Path, t.Entity, t.RecordKey, t.Field] }),
    index('svc_files_record').on(t.Entity, t.RecordKey),
  ],
)
