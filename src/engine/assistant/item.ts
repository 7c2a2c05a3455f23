/** Items of an answer of the assistant (src/server/README.md, Assistant). */
import { type Static, Type } from '@sinclair/typebox'
import { JsonValue, named, oneOf, optional } from '../../kernel/schema.ts'

/** The source of a number in a text: the number is never a model's own. */
export const TextReference = Type.Object({
  Start: Type.Integer({ description: 'Of Text, in UTF-16 units' }),
  Length: Type.Integer(),
  Table: Type.Integer({ description: 'The nth table of this answer, from 0' }),
  Row: optional(Type.Integer({ description: 'Left out for a figure over all rows' })),
  Column: Type.String(),
})

/** A piece of text; pieces follow each other without a break. */
const TextItem = Type.Object({
  Type: Type.Literal('text'),
  Text: Type.String(),
  References: optional(Type.Array(TextReference)),
})

/** A tool that was called, as the caller. */
const ToolItem = Type.Object({
  Type: Type.Literal('tool'),
  Tool: Type.String(),
  Arguments: Type.Unknown(),
  Error: optional(Type.String({ description: 'Why it was refused' })),
})

const Keys = Type.Record(Type.String(), Type.Unknown())

/** A record that an answer rests on. */
const Citation = Type.Object({
  Object: Type.String(),
  Keys,
})

const WORD_MEANINGS = [
  'object',
  'field',
  'value',
  'measure',
  'period',
  'comparison',
  'group',
  'order',
  'negation',
  'filler',
] as const

/** Of `How many orders were shipped last month, by region?` over the demo. */
const AN_INTERPRETATION = {
  Text: 'last month',
  Meaning: 'period',
  Field: 'OrderedAt',
  Value: 'lastMonth',
  Alternatives: [
    {
      Field: 'DueOn',
      Value: 'lastMonth',
      Explanation: 'Orders: count, by Region, Status is Shipped, Due on is last month',
      Request: {
        ObjectName: 'Orders',
        Filters: [
          { Field: 'Status', Operator: 'eq', Value: 'shipped' },
          { Field: 'DueOn', Operator: 'eq', Value: 'lastMonth' },
        ],
        GroupBy: ['Region'],
        Aggregates: [{ Function: 'count' }],
      },
    },
  ],
}

const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])

/** Words of a question with what they were read as; a client draws and changes them as chips. */
export const InterpretedWords = named(
  'InterpretedWords',
  Type.Object(
    {
      Text: Type.String({ description: 'Words of the question as they were typed' }),
      Meaning: oneOf(WORD_MEANINGS, { description: 'What the words are for the answer' }),
      Field: OrNull(
        Type.String({ description: 'The field that they are about, a part of a date by a colon' }),
      ),
      Value: {
        ...JsonValue,
        description: 'What is asked of it, as Request has it; null for none',
      },
      Alternatives: Type.Array(
        named(
          'OtherWords',
          Type.Object({
            Field: Type.String(),
            Value: JsonValue,
            Explanation: Type.String(),
            Request: {
              ...JsonValue,
              description: 'A query of the object explorer that answers it',
            },
          }),
        ),
        { description: 'Other readings of the same words: another date, measure, or field' },
      ),
    },
    { examples: [AN_INTERPRETATION] },
  ),
)
export type InterpretedWords = Static<typeof InterpretedWords>

/** A figure, null where there is none. */
const Figure = OrNull(Type.Number())

/** Two periods with their figures. */
export const PeriodComparison = named(
  'PeriodComparison',
  Type.Object(
    {
      Before: Type.String({ description: 'The earlier period, as its group is called' }),
      After: Type.String(),
      Figures: Type.Array(
        named(
          'ComparedFigure',
          Type.Object({
            Column: Type.String({ description: 'The column of the result' }),
            Group: Type.Record(Type.String(), Type.Unknown(), {
              description: 'The other groups of its rows, by their columns; empty for all',
            }),
            Before: Figure,
            After: Figure,
            Difference: Figure,
            Percent: OrNull(
              Type.Number({
                description: 'The growth with two decimals; null where it grew from nothing',
              }),
            ),
          }),
        ),
      ),
    },
    {
      examples: [
        {
          Before: '2025',
          After: '2026',
          Figures: [
            {
              Column: 'sum_Total',
              Group: { Region: 'coast', Region__Label: 'Coast' },
              Before: 8000,
              After: 10000.5,
              Difference: 2000.5,
              Percent: 25.01,
            },
          ],
        },
      ],
    },
  ),
)
export type PeriodComparison = Static<typeof PeriodComparison>

/** Rows with the request that they answer. */
export const TableItem = Type.Object({
  Type: Type.Literal('table'),
  Object: Type.String(),
  Request: Type.Unknown({ description: 'A TableRequest, or a query of the object explorer' }),
  Columns: Type.Array(
    Type.Object({ Name: Type.String(), Label: Type.String(), Type: Type.String() }),
  ),
  Rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  RowCount: Type.Integer(),
  HasMore: Type.Boolean(),
  Citations: Type.Array(Citation, {
    description: 'Records behind the rows, where rows are records',
  }),
  Explanation: Type.String({ description: 'What was understood, in the caller’s language' }),
  Alternative: optional(
    Type.Object(
      {
        Explanation: Type.String(),
        Request: Type.Unknown(),
      },
      { description: 'The reading that was not taken' },
    ),
  ),
  Interpretation: optional(
    Type.Array(InterpretedWords, {
      description: 'Each word of the question in one of them, in their order',
    }),
  ),
  Comparison: optional(PeriodComparison),
})

const Preview = Type.Array(
  Type.Object({
    Field: Type.String(),
    Label: Type.String(),
    From: Type.Unknown(),
    To: Type.Unknown(),
    Asked: Type.Boolean({ description: 'False for what follows by rules, defaults and states' }),
  }),
)

/** One of several records of a proposal. */
const ProposedRecord = named(
  'ProposedRecord',
  Type.Object({
    Keys,
    Record: Type.String({ description: 'What the record is called' }),
    Preview,
  }),
)

/** A write that the caller may confirm. */
export const ProposalItem = Type.Object({
  Type: Type.Literal('proposal'),
  ProposalId: Type.String(),
  Kind: Type.String({ description: 'create, update, delete or action' }),
  Object: Type.String(),
  Keys: optional(Keys),
  Action: optional(Type.String()),
  Title: Type.String({
    description: 'What would be done, with the name of its record: `Change: Order SO-2026-00012`',
  }),
  Record: optional(Type.String({ description: 'What the record is called; the first of several' })),
  Count: optional(
    Type.Integer({ description: 'Of a proposal of several records: how many. Keys are theirs' }),
  ),
  Records: optional(
    Type.Array(ProposedRecord, {
      description: 'All of several records, carried out as a whole; Preview is of what they share',
    }),
  ),
  Preview,
  ExpiresAt: Type.String(),
})

/** The end of an answer. */
const DoneItem = Type.Object({
  Type: Type.Literal('done'),
  ConversationId: Type.String(),
  MessageId: Type.String(),
  Provider: Type.String(),
})

/** The end of a failed answer. */
const ErrorItem = Type.Object({
  Type: Type.Literal('error'),
  Code: Type.String(),
  Message: Type.String(),
  Suggestions: optional(Type.Array(Type.String(), { description: 'What could be asked' })),
})

export const AssistantItem = Type.Union([
  TextItem,
  ToolItem,
  TableItem,
  ProposalItem,
  DoneItem,
  ErrorItem,
])
export type AssistantItem = Static<typeof AssistantItem>
export type TableItem = Static<typeof TableItem>
export type TextReference = Static<typeof TextReference>
export type ProposalItem = Static<typeof ProposalItem>

/** An item that a provider gives; the conversation adds the end. */
export type AnswerItem = Exclude<AssistantItem, Static<typeof DoneItem>>
