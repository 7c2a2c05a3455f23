/** Requests and results of a bulk edit (src/server/README.md, Objects). */
import { type Static, Type } from '@sinclair/typebox'
import { asking, named, oneOf, optional, orNull, Values } from '../../kernel/schema.ts'
import { Filters } from './filter-schema.ts'

export const SubmitManyRequest = named(
  'SubmitManyRequest',
  asking(
    Type.Object({
      FormName: Type.String(),
      Keys: Type.Optional(
        orNull(
          Type.Array(Values, {
            description: 'Each with its RowVersion',
          }),
        ),
      ),
      Filters: Type.Optional(Filters),
      SearchText: optional(Type.String()),
      Preset: optional(Type.String()),
      Parameters: optional(Values),
      DryRun: optional(Type.Boolean()),
      OnError: Type.Optional(oneOf(['abort', 'skip'], { description: 'abort by default' })),
      Token: optional(Type.String()),
      OperationId: optional(Type.String()),
    }),
  ),
)
export type SubmitManyRequest = Static<typeof SubmitManyRequest>

/** A record of a bulk edit that was not changed. */
export const ManyFault = named(
  'ManyFault',
  Type.Object({
    Keys: Values,
    Code: Type.String(),
    Error: Type.String({ examples: ['There is no such record'] }),
    FieldErrors: Type.Record(Type.String(), Type.String()),
    ChangedFields: Type.Optional(Type.Array(Type.String())),
    ChangedBy: optional(Type.String()),
    ChangedAt: optional(Type.String()),
    RowVersion: Type.Optional(Type.String({ description: 'Of a conflict, as it is stored' })),
  }),
)
export type ManyFault = Static<typeof ManyFault>

/** The outcome of a bulk edit. */
export const ManyResult = named(
  'ManyResult',
  Type.Object({
    ImportId: orNull(
      Type.String({
        description: 'Null where nothing was changed',
      }),
    ),
    Rows: Type.Integer(),
    Checked: Type.Integer({
      description: 'Records that were judged: of a dry run the first 1,000 at most',
    }),
    Updated: Type.Integer(),
    Skipped: Type.Integer(),
    Failed: Type.Integer(),
    Faults: Type.Array(ManyFault, { description: 'The first 1,000' }),
    Token: orNull(
      Type.String({ description: 'Of a dry run by Filters: what the bulk edit is to send' }),
    ),
  }),
)
export type ManyResult = Static<typeof ManyResult>
