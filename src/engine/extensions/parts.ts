/** The parts that an extension declared, as the serving process knows them. */
import { type Static, Type } from '@sinclair/typebox'
import { named } from '../../kernel/schema.ts'
import { VALUE_TYPES } from '../../model/fields/kinds.ts'
import { ADDRESS, EVENT, PART_NAME, QUEUE_NAME } from './part-names.ts'

const Name = Type.String({ pattern: PART_NAME.source })
const Address = Type.String({ pattern: ADDRESS.source })
const Text = Type.String({ maxLength: 1000 })

export const PartParameter = Type.Object({
  Name,
  Label: Text,
  Type: Type.Union(VALUE_TYPES.map((name) => Type.Literal(name))),
  Scale: Type.Integer({ minimum: 0, maximum: 12 }),
  Required: Type.Boolean(),
  Default: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
})
export type PartParameter = Static<typeof PartParameter>

/** A parameter as lists show it. */
export const ShownParameter = named(
  'ParameterDescription',
  Type.Object({
    Name: Type.String(),
    Label: Type.String(),
    Type: Type.String({ description: 'A field type: Text, Integer, Decimal, Boolean, Date …' }),
    Required: Type.Boolean(),
    Default: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
  }),
)

const PARAMETERS_MAX = 100

const Part = {
  Name,
  Label: Text,
  Resource: Name,
  Parameters: Type.Array(PartParameter, { maxItems: PARAMETERS_MAX }),
}

export const ScriptPart = Type.Object({ Kind: Type.Literal('script'), ...Part })
export type ScriptPart = Static<typeof ScriptPart>

const OptionalText = Type.Union([Type.String({ minLength: 1, maxLength: 128 }), Type.Null()])

const Attempts = Type.Union([Type.Integer({ minimum: 1, maximum: 100 }), Type.Null()])

export const JobPart = Type.Object({
  Kind: Type.Literal('job'),
  ...Part,
  Queue: Type.String({ pattern: QUEUE_NAME.source }),
  Attempts,
  Cron: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
  /** IANA name. */
  TimeZone: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
  /** Name of a user. */
  RunAs: OptionalText,
})
export type JobPart = Static<typeof JobPart>

export const HandlerPart = Type.Object({
  Kind: Type.Literal('handler'),
  ...Part,
  Formats: Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' }), {
    minItems: 1,
    maxItems: 20,
  }),
  Extension: Type.String({ pattern: '^\\.[A-Za-z0-9]{1,16}$' }),
  ContentType: Type.String({
    pattern: '^[\\w.+-]+/[\\w.+-]+(?:; ?[\\w-]+=[\\w-]+)*$',
    maxLength: 200,
  }),
  CanExport: Type.Boolean(),
  CanImport: Type.Boolean(),
})
export type HandlerPart = Static<typeof HandlerPart>

/** A report by its Key, which is its Name here. */
export const ReportPart = Type.Object({
  Kind: Type.Literal('report'),
  ...Part,
  Name: Address,
  Resource: Address,
  Description: Text,
  Formats: Type.Array(
    Type.Union([
      Type.Literal('pdf'),
      Type.Literal('xlsx'),
      Type.Literal('csv'),
      Type.Literal('json'),
    ]),
    { minItems: 1, maxItems: 4 },
  ),
})
export type ReportPart = Static<typeof ReportPart>

export const ValidationPart = Type.Object({
  Kind: Type.Literal('validate'),
  Name: Address,
  /** Name or slug of an object. */
  Object: Address,
})
export type ValidationPart = Static<typeof ValidationPart>

export const ListenerPart = Type.Object({
  Kind: Type.Literal('on'),
  /** The name; the Event by default. */
  Name: Type.String({ pattern: `${ADDRESS.source}|${EVENT.source}` }),
  Event: Type.String({ pattern: EVENT.source }),
  Queue: Type.String({ pattern: QUEUE_NAME.source }),
  Attempts,
})
export type ListenerPart = Static<typeof ListenerPart>

export const ServicePart = Type.Object({
  Kind: Type.Literal('hostedService'),
  Name,
  /** Name of a user. */
  RunAs: OptionalText,
  /** Code of a company. */
  Company: OptionalText,
})
export type ServicePart = Static<typeof ServicePart>

export const ExtensionPart = Type.Union([
  ServicePart,
  ListenerPart,
  ScriptPart,
  HandlerPart,
  ReportPart,
  JobPart,
  ValidationPart,
])
export type ExtensionPart = Static<typeof ExtensionPart>

/** The reason why an extension is left out, or a run of it failed: for its author and the log. */
export const ExtensionFault = Type.Object({
  /** The path in the folder `extensions/`; '' where the fault is in none of its files. */
  File: Type.String(),
  Line: Type.Union([Type.Integer(), Type.Null()]),
  Message: Type.String(),
})
export type ExtensionFault = Static<typeof ExtensionFault>
