/** The ad-hoc query of the object explorer (src/server/README.md, Objects). */
import { type Static, Type } from '@sinclair/typebox'
import { asking, named, oneOf, optional, Values } from '../../kernel/schema.ts'
import { type Operator, OPERATOR_NAMES, OPERATORS } from '../../model/operators.ts'
import { ClrType } from '../object/clr-type.ts'
import { Filters } from '../object/filter-schema.ts'
import { SortItem } from '../object/schema.ts'

export const QUERY_ROWS_DEFAULT = 1000
export const QUERY_ROWS_MAX = 10_000
export const GROUPS_MAX = 10
export const AGGREGATES_MAX = 30
export const HAVING_MAX = 10
export const RELATED_MAX = 5

export const AGGREGATE_FUNCTIONS = [
  ...(['count', 'countDistinct', 'sum', 'avg', 'min', 'max', 'share'] as const),
] as const
export type QueryAggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number]

export const Aggregate = named(
  'Aggregate',
  Type.Object({
    Field: optional(Type.String({ description: 'Left out, count and share are of rows' })),
    Function: named(
      'AggregateFunction',
      oneOf(AGGREGATE_FUNCTIONS, {
        description:
          'share is a percentage: of the rows of a group those for which Filters hold, or ' +
          'without Filters the group of all groups. Rows are counted; with a Field it is of sums',
      }),
    ),
    Filters: Type.Optional(Filters),
    Per: optional(
      Type.String({
        description:
          'For avg: a field as in GroupBy. The average over its groups, of their sums of Field, ' +
          'or of their numbers of rows; rows without a value of it are in none',
      }),
    ),
    As: optional(
      Type.String({ description: 'Default <function>_<Field>, a dot in it written as _' }),
    ),
  }),
)
export type Aggregate = Static<typeof Aggregate>

/** Operators of a condition on groups: those that compare by order. */
export const HAVING_OPERATORS: readonly Operator[] = OPERATOR_NAMES.filter(
  (name) => OPERATORS[name].order !== undefined || OPERATORS[name].takes === 'pair',
)

export const HavingCondition = named(
  'HavingCondition',
  Type.Object({
    Field: Type.String({ description: 'An aggregate, by the name of its column: `sum_Total`' }),
    Operator: named('HavingOperator', oneOf(HAVING_OPERATORS)),
    Value: Type.Union([Type.Number(), Type.Array(Type.Number())], {
      description: 'A number; two of them for between',
    }),
  }),
)
export type HavingCondition = Static<typeof HavingCondition>

export const RelatedRows = named(
  'RelatedRows',
  Type.Object({
    ObjectName: Type.String({ description: 'An object that the caller may List' }),
    Field: Type.String({
      description: 'Its field that names the row: `CustomerId`; or a path: `OrderId.CustomerId`',
    }),
    Filters: Type.Optional(Filters),
    Preset: optional(Type.String()),
  }),
)
export type RelatedRows = Static<typeof RelatedRows>

export const QueryRequest = named(
  'QueryRequest',
  asking(
    Type.Object({
      ObjectName: Type.String({ description: 'Name or slug of the object' }),
      Fields: optional(
        Type.Array(Type.String(), {
          description: 'Of rows that are not grouped; along references, too: `CustomerId.City`',
        }),
      ),
      Filters: Type.Optional(Filters),
      With: optional(
        Type.Array(RelatedRows, {
          description: 'Rows that rows of other objects refer to: `customers with orders in 2026`',
        }),
      ),
      Without: optional(
        Type.Array(RelatedRows, {
          description: 'Rows that none of these refers to: `customers without orders`',
        }),
      ),
      SearchText: optional(Type.String()),
      Parameters: optional(Values),
      Preset: optional(Type.String()),
      GroupBy: optional(
        Type.Array(Type.String(), {
          description:
            'Fields; a date also by part, in the caller’s zone: `OrderedAt:month`, or `:month` ' +
            'of the Period of the object. Parts are hour (0 to 23), day, weekday (1, Monday, ' +
            'to 7), week (ISO, `2026-W53`), month, quarter, year',
        }),
      ),
      Aggregates: optional(Type.Array(Aggregate)),
      Having: optional(
        Type.Array(HavingCondition, {
          description: 'Groups for which all of these hold: `customers with more than 3 orders`',
        }),
      ),
      Sort: optional(
        Type.Array(SortItem, { description: 'By fields, or by columns of the result' }),
      ),
      Limit: optional(Type.Integer({ description: 'Default 1,000, at most 10,000' })),
      AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
    }),
  ),
)
export type QueryRequest = Static<typeof QueryRequest>

export const QueryResult = named(
  'QueryResult',
  Type.Object({
    Columns: Type.Array(
      named(
        'QueryColumn',
        Type.Object({
          Name: Type.String(),
          Label: Type.String(),
          Type: Type.String({ description: 'Type of the field, or of the aggregate' }),
          ClrType,
        }),
      ),
    ),
    Rows: Type.Array(Values),
    HasMore: Type.Boolean({ description: 'There are rows beyond the Limit' }),
  }),
)
