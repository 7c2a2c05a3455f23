/** Readings that a declared type and a name suggest, the likeliest first. */
import { READINGS } from './readings.ts'
import type { SourceColumn } from './source-schema.ts'

export type ReadingName = keyof typeof READINGS | 'decimal'

/** A family of declared types. */
type Family =
  | 'boolean'
  | 'integer'
  | 'number'
  | 'instant'
  | 'day'
  | 'time'
  | 'guid'
  | 'json'
  | 'bytes'
  | 'text'
  | 'none'

const FAMILIES: readonly (readonly [Family, RegExp])[] = [
  ['boolean', /^(?:bool|bit\b|tinyint\s*\(\s*1\s*\))/],
  ['guid', /guid|uuid|uniqueidentifier/],
  ['json', /json/],
  ['instant', /datetime|timestamp|smalldate/],
  ['day', /^date/],
  ['time', /^time/],
  ['integer', /int|serial|^year/],
  ['number', /dec|num|money|real|floa|doub/],
  ['text', /char|text|clob|string|enum|set\b|xml|name/],
  ['bytes', /blob|binary|image|bytea|bytes/],
]

/** The family of a declared type; one that SQLite itself would take for a number is one here. */
export function familyOf({ declared }: SourceColumn): Family {
  const type = declared.trim().toLowerCase()
  if (type === '' || type === 'any') return 'none'
  return FAMILIES.find(([, pattern]) => pattern.test(type))?.[0] ?? 'none'
}

/** Names of instants at which something was done to a row. */
export const INSTANT_NAME = /(?:_at|[a-z]At|[tT]imestamp|[dD]ate_?[tT]ime|[uU]pdated?|[cC]reated)$/
const DAY_NAME = /(?:^|_)(?:date|day|on)$|[a-z](?:Date|Day|On)$|^(?:Date|Day)$/
const FLAG_NAME = /^(?:is|has|can)(?:_|[A-Z])/

const DATES: readonly ReadingName[] = ['day', 'instant', 'seconds', 'milliseconds', 'julian']

/** True when the values of a column change with its rows: it is an instant, whatever the hour. */
const isMoment = ({ name, preset = '' }: SourceColumn): boolean =>
  INSTANT_NAME.test(name) || /current_timestamp|now/i.test(preset)

/**
 * Plans the readings of the values, the likeliest first and `text`, which reads all, last. `bytes`
 * is for values without a place in a table.
 */
export function planReadings(column: SourceColumn): readonly ReadingName[] {
  const dates = isMoment(column) ? DATES.slice(1) : DATES
  switch (familyOf(column)) {
    case 'boolean':
      return ['boolean', 'integer', 'decimal', 'text']
    case 'integer':
      if (INSTANT_NAME.test(column.name))
        return ['seconds', 'milliseconds', 'integer', 'decimal', 'text']
      return [...flag(column), 'integer', 'decimal', 'text']
    case 'number':
      return isWhole(column) ? ['integer', 'decimal', 'text'] : ['decimal', 'text']
    case 'instant':
      return [...dates, 'text']
    case 'day':
      return [...DATES, 'text']
    case 'time':
      return ['time', 'instant', 'text']
    case 'guid':
      return ['guid', 'text']
    case 'json':
      return ['json', 'text']
    case 'text':
      return [...named(column), 'text']
    case 'bytes':
      return ['text']
    case 'none':
      return [...flag(column), 'integer', 'decimal', ...named(column), 'text']
  }
}

const flag = ({ name }: SourceColumn): readonly ReadingName[] =>
  FLAG_NAME.test(name) ? ['boolean'] : []

/** A text that bears the name of a day or an instant is one where all of its values are. */
function named(column: SourceColumn): readonly ReadingName[] {
  if (/^n?(?:var)?char\s*\(\s*36\s*\)/i.test(column.declared.trim())) return ['guid']
  if (isMoment(column)) return ['instant']
  return DAY_NAME.test(column.name) ? ['day', 'instant'] : []
}

/** `NUMERIC` without places, or with none. */
const isWhole = ({ declared }: SourceColumn): boolean =>
  /dec|num/i.test(declared) && (scaleOf(declared) ?? 0) === 0

/** The places that a declared type names. */
export function scaleOf(declared: string): number | undefined {
  const [, scale] = /\(\s*\d+\s*,\s*(\d+)\s*\)/.exec(declared) ?? []
  return scale === undefined ? undefined : Number(scale)
}

/** The length that a declared type of texts names. */
export function lengthOf(declared: string): number | undefined {
  const [, length] = /char\w*\s*\(\s*(\d+)\s*\)/i.exec(declared) ?? []
  return length === undefined || Number(length) === 0 ? undefined : Number(length)
}

/** True when a guess by the name alone needs a value that confirms it. */
export const needsProof = (column: SourceColumn, reading: ReadingName): boolean => {
  const family = familyOf(column)
  if (family === 'integer') return reading !== 'integer'
  return (family === 'text' || family === 'none') && reading !== 'text'
}
