/** Queries and answers of `/api/v1/svc/audit` (src/server/README.md, Operations). */
import { type Static, Type } from '@sinclair/typebox'
import { digits, idDigits, instant, JsonValue, named, oneOf, orNull } from '../../kernel/schema.ts'

/** Entries of a page: by default, and at most. */
export const LIMIT_DEFAULT = 50
export const LIMIT_MAX = 500

/** Kinds of entries that may be asked for. */
export const KINDS = ['change', 'read', 'all'] as const

const optional = (description: string, more: object = {}) =>
  Type.Optional(Type.String({ maxLength: 1000, description, ...more }))

export const AuditQuery = Type.Object({
  object: optional('An object by entity, view name or slug; also one that is no more'),
  key: optional('Of a record of that object: its value, or a JSON array for several'),
  user: optional('By name or id: what they changed, and what was changed acting as or by them'),
  from: optional('An instant, a day, or a date word such as thisWeek, in the caller’s zone'),
  to: optional('A day or word takes the whole of it; an instant is the first one left out'),
  kind: Type.Optional(
    oneOf(KINDS, {
      description:
        'change: who changed what; read: who was shown which records of entities with ' +
        'Audit="Reads". By default change, and all where an action is asked for',
    }),
  ),
  action: optional('insert, update, delete, read, or one of the engine’s own such as impersonate'),
  company: optional('By code or id; without it, every company'),
  limit: Type.Optional(
    digits('Entries at most', { minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
  ),
  before: Type.Optional(idDigits('The Next of the page before')),
})
export type AuditQuery = Static<typeof AuditQuery>

const Person = named(
  'AuditUser',
  Type.Object({
    Id: Type.Integer(),
    UserName: Type.String({ description: 'As it is now; empty for a user who is no more' }),
  }),
)

const Change = named(
  'AuditChange',
  Type.Object({
    Field: Type.String(),
    Label: Type.String({ description: 'Of the field, in the caller’s language' }),
    From: JsonValue,
    To: JsonValue,
    FromLabel: Type.Optional({
      ...JsonValue,
      description: 'What a record referred to was called when this was written',
    }),
    ToLabel: Type.Optional(JsonValue),
  }),
)

const Read = named(
  'AuditRead',
  Type.Object(
    {
      Keys: Type.Array(Type.Array(JsonValue), {
        description: 'Of the records that were shown; Key has a single one',
      }),
      Until: Type.Optional(instant('When the last of several was first shown')),
      Request: Type.Optional({
        ...JsonValue,
        description: 'What was asked for, where the answer does not name its records',
      }),
    },
    { description: 'What the user was shown, once or again and again, from At on for ten seconds' },
  ),
)

const Entry = named(
  'AuditEntry',
  Type.Object({
    Id: Type.Integer(),
    At: instant(),
    User: orNull(Person),
    Impersonator: orNull(Person),
    Company: orNull(
      named('AuditCompany', Type.Object({ Id: Type.Integer(), Code: Type.String() })),
    ),
    Source: Type.String({
      description:
        'The view, route or command through which it came; `takeover/` and the view for history ' +
        'that was taken over',
    }),
    TraceId: orNull(Type.String()),
    Entity: Type.String(),
    Label: Type.Optional(Type.String({ description: 'Of the entity, where there still is one' })),
    Key: Type.Array(JsonValue),
    Action: Type.String(),
    Changes: Type.Array(Change),
    Read: Type.Optional(Read),
  }),
)
export type Entry = Static<typeof Entry>

const Archived = named(
  'AuditArchived',
  Type.Object({
    Entries: Type.Integer({ description: 'Entries that were taken out, of all companies' }),
    Before: orNull(instant('Of the oldest entry that is left; null where none is')),
    Folder: Type.String({ description: 'In the data folder', examples: ['audit'] }),
    Files: Type.Integer({ description: 'Signed archives that lie there now' }),
    Text: Type.String({
      description: 'The same in a sentence, in the caller’s language',
      examples: ['Entries before 2026-05-01 are in signed files in audit'],
    }),
  }),
)
export type Archived = Static<typeof Archived>

export const AuditPage = named(
  'AuditPage',
  Type.Object({
    Entries: Type.Array(Entry, { description: 'The newest first' }),
    Archived: orNull(Archived),
    Next: orNull(Type.Integer({ description: 'For `before`; null on the last page' })),
  }),
)
export type AuditPage = Static<typeof AuditPage>
