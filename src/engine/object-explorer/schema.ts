/** The ad-hoc query of the object explorer (src/server/README.md, Objects). */
import { Type, type Static } from '@sinclair/typebox'
import { optional } from '../../kernel/schema.ts'
import { SortItem } from '../object/schema.ts'

export const QUERY_ROWS_DEFAULT = 1000
export const QUERY_ROWS_MAX = 10_000
export const GROUPS_MAX = 10
export const AGGREGATES_MAX = 30

export const AGGREGATE_FUNCTIONS = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const
export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number]

export const Aggregate = Type.Object({
  Field: optional(Type.String({ description: 'Left out, count counts rows' })),
  Function: Type.String({ description: 'count, countDistinct, sum, avg, min or max' }),
  As: optional(
    Type.String({ description: 'Default <function>_<Field>, a dot in it written as _' }),
  ),
})
export type Aggregate = Static<typeof Aggregate>

export const QueryRequest = Type.Object({
  ObjectName: Type.String({ description: 'Name or slug of the object' }),
  Fields: optional(
    Type.Array(Type.String(), {
      description: 'Of rows that are not grouped; along references, too: `CustomerId.City`',
    }),
  ),
  Filters: Type.Optional(
    Type.Unknown({ description: 'As in a TableRequest: a list, or a group with its Logic' }),
  ),
  SearchText: optional(Type.String()),
  Parameters: optional(Type.Record(Type.String(), Type.Unknown())),
  Preset: optional(Type.String()),
  GroupBy: optional(
    Type.Array(Type.String(), {
      description: 'Fields; a date also by part, in the caller’s zone: `OrderedAt:month`',
    }),
  ),
  Aggregates: optional(Type.Array(Aggregate)),
  Sort: optional(Type.Array(SortItem, { description: 'By fields, or by columns of the result' })),
  Limit: optional(Type.Integer({ description: 'Default 1,000, at most 10,000' })),
  AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
})
export type QueryRequest = Static<typeof QueryRequest>

export const QueryResult = Type.Object({
  Columns: Type.Array(
    Type.Object({
      Name: Type.String(),
      Label: Type.String(),
      Type: Type.String({ description: 'Type of the field, or of the aggregate' }),
      ClrType: Type.String(),
    }),
  ),
  Rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  HasMore: Type.Boolean({ description: 'There are rows beyond the Limit' }),
})
