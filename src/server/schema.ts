/** The envelopes as schemas: what every route declares around its payload. */
import { Type } from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'

/** `{ success: true, data }` around a payload (src/server/README.md, Response envelope). */
export const Envelope = <T extends TSchema>(data: T) =>
  Type.Object({ success: Type.Literal(true), data })

/** `{ success: false, error, code, traceId }`; 400s may carry `fieldErrors`. */
export const ErrorEnvelope = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'What is wrong, for people' }),
    code: Type.String({ description: 'What is wrong, for programs: stable, upper snake case' }),
    traceId: Type.String({ description: 'Leads to the request in the log' }),
    fieldErrors: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Field name to message' }),
    ),
  },
  { title: 'ErrorEnvelope' },
)
