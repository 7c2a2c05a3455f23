/** Schemas of values that may be null or left out, and what the OpenAPI document says of them. */
import { type TSchema, Type } from '@sinclair/typebox'

/** A value that may be null. */
export const orNull = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()])

/** A member that may be left out, or null, which says the same. */
export const optional = <T extends TSchema>(type: T) => Type.Optional(orNull(type))

/** Symbols, so that a schema which goes out as JSON elsewhere says nothing of them. */
const NAME = Symbol('name in the document')
const SHOWN = Symbol('shown in the document')

/**
 * The schema under a name that clients know its type by: `components.schemas` of the OpenAPI
 * document. One name is of one schema (test/api/swagger/openapi-names.test.ts).
 */
export const named = <T extends TSchema>(name: string, schema: T): T => ({
  ...schema,
  [NAME]: name,
})

const ASKS = Symbol('asks')

/**
 * The schema of a body that asks and changes nothing: a member within two letters of a known one is
 * refused with the right name, where others that are unknown are ignored.
 */
export const asking = <T extends TSchema>(schema: T): T => ({ ...schema, [ASKS]: true })

/** Checks that a schema is of a body that asks. */
export const isAsking = (schema: TSchema): boolean => Reflect.get(schema, ASKS) === true

/** The name of a schema in the document. */
export const findName = (schema: object): string | undefined =>
  Reflect.get(schema, NAME) as string | undefined

/**
 * Returns the schema, which the document shows with these keywords in place of its own: for checks
 * that the server makes itself, with messages in its own words.
 */
export const shownAs = <T extends TSchema>(
  schema: T,
  shown: Readonly<Record<string, unknown>>,
): T => ({
  ...schema,
  [SHOWN]: { ...findShown(schema), ...shown },
})

/** Returns the keywords that the document shows in place of the schema's own. */
export const findShown = (schema: object): Readonly<Record<string, unknown>> | undefined =>
  Reflect.get(schema, SHOWN) as Readonly<Record<string, unknown>> | undefined

/** A text that the document shows in a format of JSON Schema; the server checks no format by it. */
export const formatted = (format: string, options: object = {}) =>
  shownAs(Type.String(options), { format })

const LONG = Symbol('long')

/** A text that may be as long as its body: a document. */
export const longText = (options: object = {}) => ({ ...Type.String(options), [LONG]: true })

/** Checks that a text may be as long as its body. */
export const isLongText = (schema: object): boolean => Reflect.get(schema, LONG) === true

/**
 * A whole number in an address, where everything is text: the server checks the digits by their
 * pattern where it has no sentence of its own, the document shows an integer.
 */
export const digits = (
  description: string,
  {
    pattern,
    example,
    ...bounds
  }: { pattern?: string; example?: number; minimum?: number; maximum?: number; default?: number },
) =>
  shownAs(
    Type.String({
      description,
      ...(pattern !== undefined && { pattern }),
      ...(example !== undefined && { examples: [example] }),
    }),
    { type: 'integer', pattern: undefined, ...bounds },
  )

/** The key of a record of the engine in an address, as a client got it in a payload. */
export const idDigits = (description: string, example?: number) =>
  digits(description, {
    pattern: '^[0-9]{1,15}$',
    minimum: 0,
    ...(example !== undefined && { example }),
  })

/** `true` or `false` in an address. */
export const flag = (description: string) =>
  shownAs(Type.Union([Type.Literal('true'), Type.Literal('false')], { description }), {
    type: 'boolean',
    anyOf: undefined,
  })

/** The same where any other text is taken for `false`. */
export const looseFlag = (description: string) =>
  shownAs(Type.String({ description }), { type: 'boolean' })

/** A UUID, as `newId` draws it. */
export const uuid = (description: string) =>
  formatted('uuid', { description, examples: ['01a20064-4dfb-766c-8a31-5a1f6f9f8f11'] })

/** An instant in UTC, ISO 8601 with `Z`. */
export const instant = (description?: string) =>
  formatted('date-time', description === undefined ? {} : { description })

/**
 * A text that is one of these in the document; the server takes it in any case, or says in its own
 * words what it may be.
 */
export const oneOf = (values: readonly string[], options: object = {}) =>
  shownAs(Type.String(options), { enum: values })

/**
 * Any JSON value: a value of a field, by its type. Its inside is left open, since
 * openapi-typescript makes a circle of a type that is nothing but a choice with itself.
 */
export const JsonValue = named(
  'JsonValue',
  shownAs(Type.Unknown(), {
    anyOf: [
      Type.String(),
      Type.Number(),
      Type.Boolean(),
      Type.Null(),
      Type.Array(Type.Unknown()),
      Type.Record(Type.String(), Type.Unknown()),
    ],
  }),
)

/** Values by the names of their fields. */
export const Values = named('FieldValues', Type.Record(Type.String(), JsonValue))

/** The same with a sentence of its own about what they are. */
export const valuesOf = (description: string): typeof Values => ({ ...Values, description })
