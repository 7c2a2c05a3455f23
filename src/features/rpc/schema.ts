/** What `/api/v1/svc/rpc` takes and answers (src/server/README.md, Objects). */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'

const Loose = Type.Record(Type.String(), Type.Unknown())

const Entry = {
  Name: Type.String(),
  Label: Type.String(),
  Mode: Type.String({ description: 'Read or Write' }),
}

export const ProcedureEntry = Type.Object(Entry)

export const ProcedureDescription = Type.Object({
  ...Entry,
  Parameters: Type.Array(Loose, { description: 'As those of row actions in the metadata' }),
  Results: Type.Array(Type.Object({ Name: Type.String(), Columns: Type.Array(Type.String()) })),
})

export const CallRequest = Type.Object({
  Parameters: Type.Optional(
    Type.Union([Loose, Type.Null()], { description: 'Those that the procedure declares' }),
  ),
  AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
})
export type CallRequest = Static<typeof CallRequest>

export const CallResult = Type.Object({
  ResultSets: Type.Record(
    Type.String(),
    Type.Object({
      Columns: Type.Array(
        Type.Object({
          Name: Type.String(),
          ClrType: Type.String({
            description: 'System.Int64, Decimal, String, Boolean, DateTime, DateOnly or Guid',
          }),
        }),
      ),
      Rows: Type.Array(Loose),
    }),
  ),
  RowsAffected: Type.Integer({ description: 'By the statements that write' }),
})
