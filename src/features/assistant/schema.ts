/** Bodies and answers of the assistant's routes (src/server/README.md, Assistant). */
import { Type } from '@sinclair/typebox'
import { asking, named, oneOf, optional } from '../../kernel/schema.ts'
import { InterpretedWords } from '../../engine/assistant/item.ts'
import { QueryRequest, QueryResult } from '../../engine/object-explorer/schema.ts'
import { refusalWith } from '../../server/schema.ts'

export const QUESTION_MAX = 2000
const BEFORE_MAX = 10
/** Most bytes of all earlier questions in UTF-8: each is read before the question is. */
export const BEFORE_BYTES_MAX = 4096

export const AssistantQuestion = named(
  'AssistantRequest',
  asking(
    Type.Object({
      Question: Type.String({ minLength: 1, maxLength: QUESTION_MAX }),
      Object: optional(Type.String({ description: 'What the caller looks at, by name or slug' })),
      Before: optional(
        Type.Array(Type.String({ maxLength: QUESTION_MAX }), {
          maxItems: BEFORE_MAX,
          description:
            'Questions that it follows, the oldest first: `and last year?`; 4 KB in all at most',
        }),
      ),
    }),
  ),
)

const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])

export const AssistantAnswer = named(
  'AssistantAnswer',
  Type.Object({
    Object: OrNull(Type.String({ description: 'Null where it is about none' })),
    Request: OrNull(QueryRequest),
    About: OrNull(
      oneOf(['objects', 'permissions'], { description: 'Of the application itself, no Request' }),
    ),
    Explanation: Type.String({
      description: 'What was understood, in the language of the question',
    }),
    Alternative: OrNull(
      named(
        'AssistantAlternative',
        Type.Object(
          { Request: QueryRequest, Explanation: Type.String() },
          { description: 'The reading that was not taken' },
        ),
      ),
    ),
    Interpretation: Type.Array(InterpretedWords, {
      description:
        'Each word of the question in one of them, in their order; empty where About is given',
    }),
    Result: QueryResult,
    Provider: Type.String({
      description: 'What read the question; this route reads by itself, whatever the hub asks',
      examples: ['builtin'],
    }),
  }),
)

/** The 400 of a question that is not understood. */
export const NotUnderstood = refusalWith('NotUnderstoodEnvelope', {
  suggestions: Type.Optional(
    Type.Array(Type.String(), { description: 'Questions that can be answered, three at most' }),
  ),
})
