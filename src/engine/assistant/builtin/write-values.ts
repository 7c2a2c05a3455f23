/** Values of fields as people say them, as a submit takes them: labels, days, numbers. */
import { type Message, renderMessage, say } from '../../../kernel/messages.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { type Asking, Draft, type UnknownText } from './draft.ts'
import type { Lookups } from './lookups.ts'
import { findPeriods } from './periods.ts'
import { findTarget, type ReachedField, type Subject } from './scope.ts'
import { cutQuestion } from './segments.ts'
import { splitQuestion } from './spoken-numbers.ts'
import { findValue } from './values.ts'
import { type QuestionWord, splitWords, toPlain } from './words.ts'
import { unquote, writeWordsOf } from './write-words.ts'

/** A value, or the reason why a text does not fit its field. */
type SaidValue = { value: unknown; isExact: boolean } | { refusal: Message }

interface Reading {
  asking: Asking
  lookups: Lookups
  subject: Subject
}

/** Options that a refusal names. */
const OPTIONS_MAX = 20

/** Reads what a field is to be. A text that no rule reads is left to the submit to judge. */
export async function readValue(
  reading: Reading,
  at: ReachedField,
  said: string,
): Promise<SaidValue> {
  const text = unquote(said)
  const { field } = at
  if (field.options.length > 0) return readOption(reading, at, text)
  if (findTarget(field, at.grant)) return readReference(reading, at, text)
  const { isFlag, isDated, number } = FIELD_KINDS[field.type]
  const { language, today } = reading.asking
  if (isFlag) {
    const { yes, no } = writeWordsOf(language)
    const said = toPlain(text)
    const isKnown = yes.includes(said) || no.includes(said)
    return { value: isKnown ? yes.includes(said) : text, isExact: isKnown }
  }
  if (isDated) {
    const day = readDay(reading, text)
    return { value: day ?? text, isExact: day !== undefined }
  }
  if (number === undefined) return { value: text, isExact: false }
  const words = splitQuestion(text, language, today)
  const numbers = words.filter(({ kind }) => kind === 'number')
  const spoken = numbers.length === 0 ? readSpokenNumber(reading, words) : undefined
  if (spoken !== undefined) return { value: spoken, isExact: true }
  const [only, second] = numbers
  // A unit may come with it; another word would be lost.
  const isAlone =
    only &&
    !second &&
    /^[\s€$£%]*(?:[A-Z]{3})?[\s€$£%]*$/.test(text.replace(/\s+/g, ' ').replace(only.text, ''))
  return isAlone ? { value: only.number, isExact: true } : { value: text, isExact: false }
}

/** A number in words alone: `twenty`, `drei`. */
function readSpokenNumber(
  { asking, subject }: Reading,
  words: readonly QuestionWord[],
): number | undefined {
  const { segments } = cutQuestion(words, asking.language, subject)
  const spoken = new Draft(subject, asking, segments).number(0)
  return spoken?.length === segments.length ? spoken.value : undefined
}

function readOption({ asking }: Reading, { field }: ReachedField, text: string): SaidValue {
  const { name } = asking.language
  const said = toPlain(text)
  const found = field.options.filter(({ value, label, synonyms }) =>
    [value, renderMessage(label, name), renderMessage(label), ...listSynonyms(synonyms, name)].some(
      (each) => toPlain(each.trim()) === said,
    ),
  )
  const [only, second] = found
  if (only && !second) return { value: only.value, isExact: true }
  const labels = field.options.map(({ label }) => renderMessage(label, name)).slice(0, OPTIONS_MAX)
  return { refusal: say`${field.label} must be one of: ${labels.join(', ')}` }
}

const listSynonyms = (synonyms: Parameters<typeof renderMessage>[0] | undefined, name: string) =>
  synonyms === undefined ? [] : renderMessage(synonyms, name).split(',')

async function readReference(
  { asking, lookups, subject }: Reading,
  at: ReachedField,
  text: string,
): Promise<SaidValue> {
  const unknown: UnknownText = {
    text,
    hint: at,
    isHintOnly: true,
    isNegated: false,
    isName: true,
    segments: [],
  }
  const found = await findValue(lookups, new Draft(subject, asking, []), unknown)
  const { label } = at.field
  if (!found) return { refusal: say`${label}: there is no “${text}”` }
  if (Array.isArray(found.filter.value))
    return { refusal: say`${label}: “${text}” may be more than one. Please say more of its name.` }
  return { value: found.filter.value, isExact: !found.isPart }
}

/** The day that a text says: `2026-05-01`, `1 May`, `tomorrow`, `next Friday`. */
function readDay({ asking, subject }: Reading, text: string): string | undefined {
  const { language, today } = asking
  const weekday = readWeekday(text, asking)
  if (weekday !== undefined) return weekday
  const { segments } = cutQuestion(splitWords(text, language.decimal, today), language, subject)
  const [period, second] = findPeriods(segments, today)
  if (!period || second || period.from !== period.to) return undefined
  const isWhole = segments.every(
    ({ known }, at) => (at >= period.start && at < period.end) || known?.isStop === true,
  )
  return isWhole ? period.from : undefined
}

const WEEK = 7

/** The next day of that name after today. */
function readWeekday(text: string, { language, today }: Asking): string | undefined {
  const words = toPlain(text).split(/\s+/)
  const name = words.at(-1) ?? ''
  const { weekdayLeads } = writeWordsOf(language)
  if (!words.slice(0, -1).every((word) => weekdayLeads.includes(word))) return undefined
  const day = Temporal.PlainDate.from(today)
  for (let ahead = 1; ahead <= WEEK; ahead++) {
    const other = day.add({ days: ahead })
    const called = other.toLocaleString(language.name, { weekday: 'long' })
    if (toPlain(called) === name) return other.toString()
  }
  return undefined
}
