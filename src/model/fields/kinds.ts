/** The kinds of field, by the type that the model names. */
import type { FieldType } from '../compiled/field-features.ts'
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
export const FIELD_KINDS: Readonly<Record<FieldType, FieldKind>> = {
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
}
