/** Comments on records on the wire (src/server/README.md, Comments). */
import { type Static, Type } from '@sinclair/typebox'
import { digits, idDigits, instant, named, optional, orNull } from '../../kernel/schema.ts'
import { Person } from '../people/person.ts'

/** Comments of an answer: by default, and at most. */
export const COMMENTS_DEFAULT = 30
const COMMENTS_MAX = 100

/** Most characters of a comment, which is not a document, and most people that it mentions. */
const CHARACTERS_MAX = 4000
const MENTIONS_MAX = 50

const NAME_MAX = 300
const KEYS_MAX = 2000

const text = () =>
  Type.String({ maxLength: CHARACTERS_MAX, description: 'Plain text', examples: ['Call them'] })

const mentions = () =>
  optional(
    Type.Array(Type.Integer(), {
      maxItems: MENTIONS_MAX,
      description: 'Ids of users; each must see the record',
    }),
  )

/** A record as a request names it. */
export const CommentedRecord = named(
  'CommentedRecord',
  Type.Object(
    {
      Object: Type.String({ maxLength: NAME_MAX, description: 'Name or slug of the object' }),
      Keys: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Values of the key fields of the record',
      }),
    },
    { examples: [{ Object: 'Orders', Keys: { Id: 400 } }] },
  ),
)

export const NewComment = named(
  'NewComment',
  Type.Object(
    { ...CommentedRecord.properties, Text: text(), Mentions: mentions() },
    { examples: [{ Object: 'Orders', Keys: { Id: 400 }, Text: 'They want it on Friday' }] },
  ),
)
export type NewComment = Static<typeof NewComment>

export const CommentChange = named(
  'CommentChange',
  Type.Object(
    {
      Text: text(),
      Mentions: mentions(),
      RowVersion: optional(
        Type.Integer({ description: 'That the change was made from: 409 where it moved since' }),
      ),
    },
    { examples: [{ Text: 'They want it on Monday' }] },
  ),
)
export type CommentChange = Static<typeof CommentChange>

const STATE = {
  Id: Type.Integer(),
  Mentions: Type.Array(Person),
  ChangedAt: orNull(instant()),
  RowVersion: Type.Integer(),
  CanChange: Type.Boolean({ description: 'It is the caller’s own' }),
  CanDelete: Type.Boolean(),
}

/** Members of a comment beside those of an entry of a timeline. */
export const CommentState = named('CommentState', Type.Object(STATE))

export const Comment = named(
  'Comment',
  Type.Object(
    {
      ...STATE,
      At: instant(),
      By: orNull(Person),
      ActedBy: orNull(Person),
      Text: Type.String(),
    },
    {
      examples: [
        {
          Id: 12,
          Mentions: [{ Id: 4, DisplayName: 'Zoë Meier' }],
          ChangedAt: null,
          RowVersion: 1,
          CanChange: true,
          CanDelete: true,
          At: '2026-11-21T08:30:00.000Z',
          By: { Id: 2, DisplayName: 'Ana Lind' },
          ActedBy: null,
          Text: '@Zoë Meier they want it on Friday',
        },
      ],
    },
  ),
)
export type Comment = Static<typeof Comment>

export const CommentList = named(
  'CommentList',
  Type.Object({
    Comments: Type.Array(Comment, { description: 'The newest first' }),
    Next: orNull(Type.Integer({ description: 'For before, where there are older ones' })),
    IsFollowing: Type.Boolean(),
  }),
)
export type CommentList = Static<typeof CommentList>

export const CommentQuery = Type.Object({
  object: Type.String({
    maxLength: NAME_MAX,
    description: 'Name or slug of the object',
    examples: ['Orders'],
  }),
  keys: Type.String({
    maxLength: KEYS_MAX,
    description: 'The key of the record, as JSON',
    examples: ['{"Id":400}'],
  }),
  before: Type.Optional(idDigits('The Next of the page before')),
  limit: Type.Optional(
    digits('Comments of the answer', {
      pattern: '^([1-9][0-9]?|100)$',
      minimum: 1,
      maximum: COMMENTS_MAX,
      default: COMMENTS_DEFAULT,
    }),
  ),
})

export const CommentPath = Type.Object({ id: idDigits('Of the comment') })
