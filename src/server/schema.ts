/** The envelopes as schemas: what every route declares around its payload. */
import { type TSchema, Type } from '@sinclair/typebox'
import { findName, instant, named, oneOf, orNull, Values } from '../kernel/schema.ts'
import { ManyFault } from '../engine/object/many-schema.ts'

/**
 * `{ success: true, data }` around a payload (src/server/README.md, Response envelope). It is named
 * after its payload. @throws Error for a payload that has no name to go by
 */
export const Envelope = <T extends TSchema>(data: T) =>
  named(`${namePayload(data)}Envelope`, Type.Object({ success: Type.Literal(true), data }))

const SIMPLE: ReadonlyMap<unknown, string> = new Map([
  ['string', 'Text'],
  ['boolean', 'Boolean'],
  ['null', 'Null'],
])

function namePayload(data: TSchema): string {
  const name = findName(data) ?? SIMPLE.get(data['type'])
  if (name !== undefined) return name
  const { items, anyOf } = data as { items?: TSchema; anyOf?: readonly TSchema[] }
  if (items) return `${namePayload(items)}List`
  if (anyOf) return anyOf.map(namePayload).join('Or')
  throw new Error('What a route answers has a name')
}

/** Codes that a client should know (src/server/README.md, Errors); the list is not complete. */
const KNOWN_CODES = [
  'INVALID_ARGUMENT',
  'VALIDATION_FAILED',
  'STATEMENT_FAILED',
  'ROW_VERSION_REQUIRED',
  'NOT_PERMITTED_NOW',
  'OUTSIDE_OWN_ROWS',
  'RESULT_TOO_LARGE',
  'UNAUTHENTICATED',
  'TOKEN_EXPIRED',
  'TOKEN_INVALID',
  'SESSION_ENDED',
  'PERMISSION_DENIED',
  'PASSWORD_CHANGE_REQUIRED',
  'MFA_SETUP_REQUIRED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CONFLICT',
  'IDEMPOTENCY_IN_FLIGHT',
  'TOO_LARGE',
  'RANGE_NOT_SATISFIABLE',
  'TOO_MANY_REQUESTS',
  'UNAVAILABLE',
  'MODEL_CHANGED',
  'RIGHTS_CHANGED',
  'STORAGE_FAILED',
  'OUTCOME_UNKNOWN',
  'INTERNAL_ERROR',
] as const

const ErrorCode = named(
  'ErrorCode',
  Type.Union([Type.Union(KNOWN_CODES.map((code) => Type.Literal(code))), Type.String()], {
    description: 'What is wrong, for programs: one of these, or another in upper snake case',
  }),
)

const REFUSAL = {
  success: Type.Literal(false),
  error: Type.String({ description: 'What is wrong, for people, in the language of the request' }),
  code: ErrorCode,
  traceId: Type.String({ description: 'Leads to the request in the log' }),
}

const fieldErrors = Type.Record(Type.String(), Type.String(), {
  description: 'Field name to message, where fields are at fault; 100 at most',
})

/** `{ success: false, error, code, traceId }`. */
export const ErrorEnvelope = named('ErrorEnvelope', Type.Object(REFUSAL))

/** Records of a bulk edit that cannot be changed. */
const ManyFaults = Type.Array(ManyFault, { description: 'Of a bulk edit; the first 1,000' })

/** A 400: `fieldErrors` where fields are at fault. */
export const ValidationEnvelope = named(
  'ValidationEnvelope',
  Type.Object({
    ...REFUSAL,
    fieldErrors: Type.Optional(fieldErrors),
    records: Type.Optional(ManyFaults),
  }),
)

/** Members by which a 409 tells of a record, and of a row of its details. */
const MOVED = {
  Current: orNull(Values),
  ChangedFields: Type.Array(Type.String()),
  ChangedBy: orNull(Type.String({ description: 'Display name of who changed it last' })),
  ChangedAt: orNull(instant()),
  RowVersion: orNull(
    Type.String({ description: 'Of the record as it is stored; null where it keeps none' }),
  ),
}

/** A row of a submit that another stored or deleted since it was loaded. */
const DetailConflict = named(
  'DetailConflict',
  Type.Object({
    Key: Values,
    Kind: oneOf(['changed', 'deleted'], { description: 'deleted: or hidden from the caller' }),
    ...MOVED,
  }),
)

/** The record that a stale RowVersion met. */
const Conflict = named(
  'Conflict',
  Type.Object({
    ...MOVED,
    Details: Type.Optional(
      Type.Record(Type.String(), Type.Array(DetailConflict), {
        description:
          'By detail, the rows of the request that moved since they were loaded, 100 at most',
      }),
    ),
  }),
)

const ConflictCurrent = named(
  'ConflictCurrent',
  Type.Object({
    Version: Type.Optional(Type.Integer({ description: 'Of an instance of a workflow' })),
    VersionHash: Type.Optional(Type.String({ description: 'Of a definition' })),
    SavedAt: Type.Optional(instant()),
    SavedBy: Type.Optional(orNull(Type.String())),
  }),
)

/** A 409: `conflict` for a stale RowVersion, `current` for other things that moved. */
export const ConflictEnvelope = named(
  'ConflictEnvelope',
  Type.Object({
    ...REFUSAL,
    conflict: Type.Optional(Conflict),
    current: Type.Optional(ConflictCurrent),
    records: Type.Optional(ManyFaults),
  }),
)

/** A 400 of a route that says more than which fields are at fault. */
export const refusalWith = <T extends Record<string, TSchema>>(name: string, members: T) =>
  named(name, Type.Object({ ...REFUSAL, fieldErrors: Type.Optional(fieldErrors), ...members }))
