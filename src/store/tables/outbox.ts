/**
 * Outbox messages of effects: recorded in the transaction that caused them, so that they are
 * delivered at least once after the commit, or never happened.
 */
import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The payload of a mail. */
export interface MailPayload {
  To: string | null
  Role: string | null
  User: string | null
  Users: readonly number[] | null
  Subject: string
  Body: string | null
  /** The report to attach, with its arguments. */
  Report: string | null
  With: Readonly<Record<string, string | number | null>>
  /** Subject and body in languages in which they are others, by tag in lower case. */
  Texts?: Readonly<Record<string, { Subject: string; Body: string | null }>>
  /** Language of the readers at the addresses of `To`; without it, the company's. */
  Language?: string
}

export const outbox = sqliteTable(
  'svc_outbox',
  {
    /** Number in the order of enqueueing. */
    Id: integer().primaryKey({ autoIncrement: true }),
    At: text().notNull(),
    /** `mail`. */
    Kind: text().notNull(),
    /** The company of the record, or of the caller; null for engine work without either. */
    CompanyId: integer(),
    /** The user who caused it. */
    UserId: integer(),
    /** The API key by which they did: a report is made with no more rights than the key has. */
    ApiKeyId: integer(),
    /** The view, or the engine's own reason. */
    Source: text().notNull(),
    /** Entity of the record that it is about; null for an action without one. */
    Entity: text(),
    /** Key values as a JSON array. */
    RecordKey: text(),
    /** JSON: texts with their values filled in, and the recipients as the model declares them. */
    Payload: text().notNull(),
    /** `pending` until a deliverer takes it over, then as that says. */
    State: text().notNull(),
    Attempts: integer().notNull(),
    /** The instant before which it is not sent; null: at once. Set after an attempt that failed. */
    DueAt: text(),
    /** The Id of the mail to several recipients that this one is a part of. */
    PartOf: integer(),
  },
  (t) => [
    index('svc_outbox_state').on(t.State, t.Kind, t.Id),
    index('svc_outbox_parts')
      .on(t.PartOf)
      .where(sql`PartOf IS NOT NULL`),
  ],
)
