/** What becomes of stored values when a column changes its type. */
import type { FieldType } from '../model.ts'
import { storageOf } from './column-schema.ts'

export interface Conversion {
  /** SQL of the new value; NULL where the old one has none in the new type. */
  value: string
  /** SQL that tells whether the old value, not being NULL, stays; undefined: each does. */
  isKept: string | undefined
}

/**
 * The conversion of a column, an SQL name. A text is only kept where it is spelled as the new type
 * spells it: `007` is no whole number, since its noughts would be gone.
 */
export function planConversion(column: string, from: FieldType, to: FieldType): Conversion {
  if (from === to) return kept(column)
  if (to === 'Text') return kept(asText(column, from))
  const direct = DIRECT[`${from} ${to}`]
  if (direct !== undefined) return guard(direct(column))
  const reading = storageOf(from) === 'TEXT' && from !== 'File' ? FROM_TEXT[to] : undefined
  return guard(reading?.(`trim(${column})`) ?? { value: 'NULL', isKept: '0' })
}

const kept = (value: string): Conversion => ({ value, isKept: undefined })

function guard({ value, isKept }: Conversion): Conversion {
  return isKept === undefined
    ? kept(value)
    : { value: `CASE WHEN ${isKept} THEN ${value} END`, isKept }
}

function asText(column: string, from: FieldType): string {
  if (from === 'Boolean') return `CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`
  return storageOf(from) === 'TEXT' ? column : `CAST(${column} AS TEXT)`
}

type Plan = (column: string) => Conversion

const DIRECT: Readonly<Record<string, Plan>> = {
  'Boolean Integer': kept,
  'Boolean Decimal': (column) => kept(`CAST(${column} AS REAL)`),
  'Boolean Json': (column) => kept(asText(column, 'Boolean')),
  'Integer Boolean': (column) => ({ value: column, isKept: `${column} IN (0, 1)` }),
  'Integer Decimal': (column) => kept(`CAST(${column} AS REAL)`),
  'Integer Json': (column) => kept(`CAST(${column} AS TEXT)`),
  'Decimal Boolean': (column) => ({
    value: `CAST(${column} AS INTEGER)`,
    isKept: `${column} IN (0, 1)`,
  }),
  'Decimal Integer': (column) => ({
    value: `CAST(${column} AS INTEGER)`,
    isKept: `CAST(CAST(${column} AS INTEGER) AS REAL) = ${column}`,
  }),
  'Decimal Json': (column) => kept(`CAST(${column} AS TEXT)`),
  'Date DateTime': (column) => kept(`${column} || 'T00:00:00.000Z'`),
  'DateTime Date': (column) => ({
    value: `substr(${column}, 1, 10)`,
    isKept: `substr(${column}, 11) = 'T00:00:00.000Z'`,
  }),
  'File Json': kept,
}

const INSTANT = `'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9]*`
const UTC = `'%Y-%m-%dT%H:%M:%fZ'`
const GUID = `'________-____-____-____-____________'`

const FROM_TEXT: Readonly<Partial<Record<FieldType, Plan>>> = {
  Integer: (text) => ({
    value: `CAST(${text} AS INTEGER)`,
    isKept: `CAST(CAST(${text} AS INTEGER) AS TEXT) = ${text}`,
  }),
  Decimal: (text) => ({
    value: `CAST(${text} AS REAL)`,
    isKept: `CASE WHEN json_valid(${text}) THEN json_type(${text}) IN ('integer', 'real') END`,
  }),
  Boolean: (text) => ({
    value: `lower(${text}) IN ('true', '1')`,
    isKept: `lower(${text}) IN ('true', '1', 'false', '0')`,
  }),
  Date: (text) => ({ value: text, isKept: `date(${text}) IS ${text}` }),
  DateTime: (text) => ({
    value: `strftime(${UTC}, ${text})`,
    isKept:
      `(${text} GLOB ${INSTANT}Z' OR ${text} GLOB ${INSTANT}[-+][0-9][0-9]:[0-9][0-9]') ` +
      `AND strftime(${UTC}, ${text}) IS NOT NULL`,
  }),
  Time: (text) => ({
    value: `time(${text})`,
    isKept: `${text} GLOB '[0-9][0-9]:*' AND time(${text}) IN (${text}, ${text} || ':00')`,
  }),
  Guid: (text) => ({
    value: `lower(${text})`,
    isKept: `${text} LIKE ${GUID} AND replace(${text}, '-', '') NOT GLOB '*[^0-9a-fA-F]*'`,
  }),
  Json: (text) => ({ value: `json(${text})`, isKept: `json_valid(${text})` }),
}
