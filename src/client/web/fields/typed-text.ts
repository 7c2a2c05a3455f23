/**
 * Texts that were typed or pasted, as values of their kinds: `1.234,50` and `3.10.2026` in German.
 * A text that means no value stays what it is, for the server to refuse at its field.
 */
import { formatNumber, language, say, zone } from '../texts/texts.ts'
import type { Schemas } from '../api/wire.ts'
import { parseDateText } from './date-texts.ts'
import type { MetadataField } from './field-kind.ts'
import { parseNumber } from './number-text.ts'
import { instantOf } from './zone-time.ts'

type Parse = (text: string) => unknown

const sameText: Parse = (text) => text

/** `3.10.2026` → `2026-10-03`. */
const parseDay: Parse = (text) => parseDateText(text, language.value) ?? text

/** A day and a time of the user's zone → an instant; a day alone is its midnight. */
const parseInstant: Parse = (text) => {
  if (/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(text)) return text
  const [day = '', time = '00:00'] = text.split(/[\sT,]+/)
  const date = parseDateText(day, language.value)
  if (date === undefined || !/^\d{1,2}:\d{2}(?::\d{2})?$/.test(time)) return text
  const padded = time.length < 8 ? `${time.padStart(5, '0')}:00` : time
  return instantOf(`${date}T${padded.slice(0, 8)}`, zone.value)
}

const parseYesNo: Parse = (text) => {
  const word = text.toLowerCase()
  if ([say('yes').toLowerCase(), 'true', 'yes', '1', 'x'].includes(word)) return true
  return [say('no').toLowerCase(), 'false', 'no', '0'].includes(word) ? false : text
}

const parseNumberText: Parse = (text) => parseNumber(text, language.value)

const PARSERS: Readonly<Record<Schemas['FieldType'], Parse>> = {
  Text: sameText,
  Integer: parseNumberText,
  Decimal: parseNumberText,
  Boolean: parseYesNo,
  Date: parseDay,
  DateTime: parseInstant,
  Time: sameText,
  Guid: sameText,
  Json: sameText,
  File: sameText,
}

/** The value that a text means in the language and zone of the user; null for nothing. */
export const parseText = (field: MetadataField, text: string): unknown =>
  text.trim() === '' ? null : PARSERS[field.Type](text.trim())

/** A value as it is typed, which `parseText` reads back: `1234,5` in German. */
export const typeText = (value: unknown): string =>
  typeof value === 'number'
    ? formatNumber(value, { useGrouping: false, maximumFractionDigits: 20 })
    : String(value)
