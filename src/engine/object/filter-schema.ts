/** Filters as the document shows them: the engine itself reports the faults in one. */
import { Type } from '@sinclair/typebox'
import { JsonValue, named, oneOf, optional, shownAs } from '../../kernel/schema.ts'
import { OPERATOR_NAMES } from '../../model/operators.ts'

export const FILTER_DEPTH_MAX = 10
export const FILTER_CONDITIONS_MAX = 200
export const FILTER_VALUES_MAX = 1000

export const FilterOperator = named('FilterOperator', oneOf(OPERATOR_NAMES))

const Filter = named(
  'Filter',
  Type.Object({
    Field: Type.String({
      description: 'A date also by part, as in GroupBy: `OrderedAt:weekday` of Mondays is 1',
    }),
    Operator: Type.Optional(shownAs(FilterOperator, { description: 'Default eq' })),
    Value: Type.Optional({
      ...JsonValue,
      description:
        'By the type of the field; a list for in, notIn and between. Dates may be words in the ' +
        'caller’s zone: today, thisWeek, lastMonth, last7Days, monthToDate …',
    }),
    ValueField: optional(
      Type.String({
        description:
          'In place of Value: another field of the row, which eq, ne, lt, le, gt and ge compare ' +
          'with. Numbers, dates, texts and keys each fit their own kind',
      }),
    ),
  }),
)

const FilterGroup = named(
  'FilterGroup',
  Type.Object({
    Logic: Type.Optional(oneOf(['and', 'or'], { description: 'Default and' })),
    Filters: Type.Array(Type.Union([Filter, Type.Ref('FilterGroup')]), {
      description: `Nested to ${FILTER_DEPTH_MAX}, with ${FILTER_CONDITIONS_MAX} conditions in all`,
    }),
  }),
)

/** A list that is joined by and, a group, or one condition alone. */
export const Filters = named(
  'Filters',
  shownAs(
    Type.Unknown({ description: 'A list, joined by and; a group with its Logic; a condition' }),
    {
      anyOf: [Type.Array(Type.Union([Filter, FilterGroup])), Filter, FilterGroup, Type.Null()],
    },
  ),
)
