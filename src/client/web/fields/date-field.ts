/**
 * Dates, times and instants. A Date is a text of the calendar, in no zone; an instant is shown in
 * the zone of the user.
 */
import { timeFormat } from '../texts/formats.ts'
import { formatInstant, language } from '../texts/texts.ts'
import type { FilterScalar } from '../state/filter-tree.ts'
import { isDateWord } from './date-words.ts'
import type { FieldKind } from './field-kind.ts'
import { DATED_OPERATORS } from './operators.ts'
import { sameText } from './text-field.ts'

/** Words that go with days and times: before, not below. */
const OPERATOR_TEXTS: FieldKind['operatorTexts'] = {
  eq: 'operatorOfDate_eq',
  ne: 'operatorOfDate_ne',
  lt: 'operatorOfDate_lt',
  le: 'operatorOfDate_le',
  gt: 'operatorOfDate_gt',
  ge: 'operatorOfDate_ge',
}

const isReal = (instant: string): boolean => !Number.isNaN(Date.parse(instant))

/** `2026-10-03`, a day that there is. */
const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isReal(value)

const isInstant = (value: FilterScalar): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && isReal(value)

export const DATE: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  format: (value) =>
    timeFormat(language.value, { dateStyle: 'medium', timeZone: 'UTC' }).format(
      new Date(`${String(value)}T00:00:00Z`),
    ),
  operators: DATED_OPERATORS,
  operatorTexts: OPERATOR_TEXTS,
  valueKinds: ['day', 'word', 'counted'],
  isValue: (value) => isDay(value) || isDateWord(value),
  alike: 'date',
  fromText: sameText,
}

export const DATE_TIME: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  // A filter compares with a whole day, too.
  format: (value, field) =>
    isDay(value) ? DATE.format(value, field) : formatInstant(String(value)),
  operators: DATED_OPERATORS,
  operatorTexts: OPERATOR_TEXTS,
  valueKinds: ['day', 'time', 'word', 'counted'],
  isValue: (value) => isDay(value) || isInstant(value) || isDateWord(value),
  alike: 'date',
  fromText: sameText,
}

export const TIME: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  format: String,
  operators: DATED_OPERATORS,
  operatorTexts: OPERATOR_TEXTS,
  valueKinds: ['value'],
  isValue: (value) => /^\d\d:\d\d(?::\d\d)?$/.test(String(value)),
  alike: 'time',
  fromText: sameText,
}
