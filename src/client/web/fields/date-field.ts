/**
 * Dates, times and instants. A Date is a text of the calendar, in no zone; an instant is shown in
 * the zone of the user.
 */
import { timeFormat } from '../texts/formats.ts'
import { formatInstant, language } from '../texts/texts.ts'
import type { FieldKind } from './field-kind.ts'
import { sameText } from './text-field.ts'

export const DATE: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  format: (value) =>
    timeFormat(language.value, { dateStyle: 'medium', timeZone: 'UTC' }).format(
      new Date(`${String(value)}T00:00:00Z`),
    ),
  fromText: sameText,
}

export const DATE_TIME: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  format: (value) => formatInstant(String(value)),
  fromText: sameText,
}

export const TIME: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  format: String,
  fromText: sameText,
}
