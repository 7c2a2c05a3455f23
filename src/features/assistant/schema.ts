/** Bodies and answers of the assistant's routes (src/server/README.md, Assistant). */
import { Type } from '@sinclair/typebox'
import { asking, named, oneOf, optional } from '../../kernel/schema.ts'
import { COMPLETION_KINDS } from '../../engine/assistant/builtin/candidates.ts'
import { InterpretedWords, PeriodComparison } from '../../engine/assistant/item.ts'
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

/** Of `How many products are there by group?` over the demo. */
const A_WIDGET = {
  DataSet: `<DataSet Name="ProductsByGroupCode"><Sql>
      SELECT o."GroupCode" AS "GroupCode", min(r1."Name") AS "GroupCode__Label", count(*) AS "count"
      FROM "products" o
      LEFT JOIN "product_groups" r1 ON r1."Code" = o."GroupCode"
      GROUP BY 1
      ORDER BY "GroupCode"
    </Sql></DataSet>`,
  Widget:
    '<Widget Name="ProductsByGroupCode" Label="Products: count, by Group" Kind="Bar" ' +
    'DataSet="ProductsByGroupCode" Category="GroupCode__Label" CategoryLabel="Group">' +
    '<Series Column="count" Label="count" Type="Integer"/></Widget>',
}

/** An answer as parts of a report. */
const AssistantWidget = named(
  'AssistantWidget',
  Type.Object(
    {
      DataSet: Type.String({ examples: [A_WIDGET.DataSet] }),
      Widget: Type.String({ examples: [A_WIDGET.Widget] }),
    },
    {
      description:
        'Of a count or another figure: XML of a DataSet and a Widget of a report that say the ' +
        'same to each reader. Left out where that is not certain',
    },
  ),
)

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
    Comparison: Type.Optional({
      ...PeriodComparison,
      description: 'Of two periods that are compared: what changed from the one to the other',
    }),
    ToWidget: Type.Optional(AssistantWidget),
    Provider: Type.String({
      description: 'What read the question; this route reads by itself, whatever the hub asks',
      examples: ['builtin'],
    }),
  }),
)

export const AssistantText = named(
  'AssistantText',
  asking(
    Type.Object({
      Text: Type.String({
        maxLength: QUESTION_MAX,
        description: 'The question as far as it is typed; empty for how one may begin',
        examples: ['how many ord'],
      }),
      Object: optional(Type.String({ description: 'What the caller looks at, by name or slug' })),
    }),
  ),
)

export const AssistantCompletion = named(
  'AssistantCompletion',
  Type.Object({
    Text: Type.String({
      description: 'The end of the typed text that is completed; empty where a word begins',
      examples: ['ord'],
    }),
    Completion: Type.String({
      description: 'The whole question, which is understood as it stands',
      examples: ['how many Orders'],
    }),
    Kind: oneOf(COMPLETION_KINDS, { description: 'What the completed words are' }),
  }),
)

/** The 400 of a question that is not understood. */
export const NotUnderstood = refusalWith('NotUnderstoodEnvelope', {
  suggestions: Type.Optional(
    Type.Array(Type.String(), { description: 'Questions that can be answered, three at most' }),
  ),
})
