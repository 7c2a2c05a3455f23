/** The kinds of field, by the type that the model names. */
import { boolean } from './boolean.ts'
import { dateTime } from './date-time.ts'
import { date } from './date.ts'
import { decimal } from './decimal.ts'
import type { FieldKind } from './field-kind.ts'
import { file } from './file.ts'
import { guid } from './guid.ts'
import { integer } from './integer.ts'
import { json } from './json.ts'
import { text } from './text.ts'
import { time } from './time.ts'

/** One row a kind; the only place that lists them. */
export const FIELD_KINDS = {
  Text: text,
  Integer: integer,
  Decimal: decimal,
  Boolean: boolean,
  Date: date,
  DateTime: dateTime,
  Time: time,
  Guid: guid,
  Json: json,
  File: file,
} as const satisfies Readonly<Record<string, FieldKind>>

/** The names of all kinds, as models write them in `Type`. */
export const FIELD_TYPES = Object.keys(FIELD_KINDS) as (keyof typeof FIELD_KINDS)[]

/** Every kind but that of files, which only a form or a step uploads. */
type ValueTypeName = Exclude<keyof typeof FIELD_KINDS, 'File'>

/** True when parameters of reports and extensions may be of the kind: none takes files. */
export const isValueType = (type: keyof typeof FIELD_KINDS): type is ValueTypeName =>
  FIELD_KINDS[type].structure !== 'files'

/** The types of parameters of reports and extensions. */
export const VALUE_TYPES = FIELD_TYPES.filter(isValueType)
