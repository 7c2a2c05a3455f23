/** The timeline of a record on the wire (src/server/README.md, Timeline). */
import { type Static, Type } from '@sinclair/typebox'
import { instant, JsonValue, named, optional, orNull } from '../../kernel/schema.ts'
import { CommentState } from '../comments/schema.ts'
import { Person } from '../people/person.ts'

/** Entries of an answer: by default, and at most. */
export const LIMIT_DEFAULT = 30
const LIMIT_MAX = 100

/** A place in both streams: `12.7` is behind the entry at place 12, and the comment 7. */
const CURSOR = '^[0-9]{1,15}\\.[0-9]{1,15}$'

const KINDS = [
  ...(['created', 'changed', 'action', 'comment', 'workflow'] as const),
  ...(['mail', 'print', 'file'] as const),
]
/** Kinds of entries, by what happened. */
export type TimelineKind = (typeof KINDS)[number]

export const TimelineRequest = named(
  'TimelineRequest',
  Type.Object(
    {
      Object: Type.String({ maxLength: 300, description: 'Name or slug of the object' }),
      Keys: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Values of the key fields of the record',
      }),
      Before: optional(
        Type.String({ pattern: CURSOR, description: 'The Next of the page before' }),
      ),
      Limit: optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })),
    },
    { examples: [{ Object: 'Orders', Keys: { Id: 400 } }] },
  ),
)

const TimelineField = named(
  'TimelineField',
  Type.Object({
    Field: Type.String({ description: 'Of the object, or a workflow' }),
    Label: Type.String(),
    From: JsonValue,
    To: JsonValue,
    FromLabel: Type.Optional(orNull(Type.String())),
    ToLabel: Type.Optional(orNull(Type.String())),
    IsCut: Type.Optional(Type.Boolean()),
  }),
)
export type TimelineField = Static<typeof TimelineField>

const MAIL_STATES = ['waiting', 'held', 'sent', 'failed'] as const

const TimelineMail = named(
  'TimelineMail',
  Type.Object({
    To: Type.Array(Type.String(), {
      description: 'Names, roles, and addresses that the record shows the caller',
    }),
    HasOthers: Type.Boolean({ description: 'There are recipients whom the caller does not see' }),
    HasReport: Type.Boolean({ description: 'A document goes with it' }),
    State: orNull(
      Type.Union(
        MAIL_STATES.map((state) => Type.Literal(state)),
        { description: 'Null where the outbox no longer knows it' },
      ),
    ),
  }),
)
export type TimelineMail = Static<typeof TimelineMail>

const TimelineEntry = named(
  'TimelineEntry',
  Type.Object({
    At: instant(),
    By: orNull(Person),
    ActedBy: orNull(Person),
    Kind: Type.Union(KINDS.map((kind) => Type.Literal(kind))),
    Fields: Type.Array(TimelineField),
    Text: orNull(
      Type.String({
        description:
          'Of a comment, also on a workflow; label of an action; subject of a mail; ' +
          'format of a print',
      }),
    ),
    Comment: Type.Optional(CommentState),
    Mail: Type.Optional(TimelineMail),
  }),
)
export type TimelineEntry = Static<typeof TimelineEntry>

export const Timeline = named(
  'Timeline',
  Type.Object(
    {
      Entries: Type.Array(TimelineEntry),
      Next: orNull(Type.String()),
      IsAudited: Type.Boolean({ description: 'False where the entity has no Audit' }),
      IsArchived: Type.Boolean({ description: 'Older entries are in archives' }),
    },
    {
      examples: [
        {
          Entries: [
            {
              At: '2026-11-21T08:30:00.000Z',
              By: { Id: 4, DisplayName: 'Ana Lind' },
              ActedBy: null,
              Kind: 'changed',
              Fields: [{ Field: 'Status', Label: 'Status', From: 'Draft', To: 'Confirmed' }],
              Text: null,
            },
          ],
          Next: null,
          IsAudited: true,
          IsArchived: false,
        },
      ],
    },
  ),
)
export type Timeline = Static<typeof Timeline>
