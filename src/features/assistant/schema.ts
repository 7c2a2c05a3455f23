/** Bodies and answers of the assistant's routes (src/server/README.md, Assistant). */
import { Type } from '@sinclair/typebox'
import { QueryRequest, QueryResult } from '../../engine/object-explorer/schema.ts'
import { optional } from '../../kernel/schema.ts'

export const QUESTION_MAX = 2000
const BEFORE_MAX = 10

export const AssistantQuestion = Type.Object({
  Question: Type.String({ minLength: 1, maxLength: QUESTION_MAX }),
  Object: optional(Type.String({ description: 'What the caller looks at, by name or slug' })),
  Before: optional(
    Type.Array(Type.String({ maxLength: QUESTION_MAX }), {
      maxItems: BEFORE_MAX,
      description: 'Questions that it follows, the oldest first: `and last year?`',
    }),
  ),
})

const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])

export const AssistantAnswer = Type.Object({
  Object: OrNull(Type.String({ description: 'Null where it is about none' })),
  Request: OrNull(QueryRequest),
  About: OrNull(
    Type.String({ description: 'objects or permissions: of the application itself, no Request' }),
  ),
  Explanation: Type.String({ description: 'What was understood, in the language of the question' }),
  Alternative: OrNull(
    Type.Object(
      { Request: QueryRequest, Explanation: Type.String() },
      { description: 'The reading that was not taken' },
    ),
  ),
  Result: QueryResult,
})
