/** Reads what was done with records or not yet, and what is there: `not shipped`, `no email`. */
import { type Draft, findCalled, isDated, isMeasure } from './draft.ts'
import { isNegated } from './read-filters.ts'
import { stemText } from './words.ts'

/** True for a word that says what was done: `shipped`, where a date has that name. */
export const isVerb = ({ segments, asking: { language } }: Draft, at: number): boolean =>
  segments[at]?.isOpposite === true ||
  language.verbs.has(stemText(segments[at]?.text ?? '', language).join(' '))

/** `not shipped yet`: the day is empty; `shipped orders`: it is there. */
export function readDone(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    const field = draft.isFree(at) && isVerb(draft, at) ? draft.field(at, isDated) : undefined
    if (!field || isDaysOf(draft)) continue
    if (draft.has(0, 'when')) {
      draft.use(at)
      draft.wanted = field
      continue
    }
    const isNullable = field.depth === 0 && !field.field.required
    const not = draft.segments[at]?.isOpposite ? at : findNot(draft, at)
    // `not shipped to Brazil` says nothing of whether it was shipped.
    const isWhole = isBeforeSelf(draft, at) || draft.skip(at + 1) >= draft.segments.length
    if (not !== undefined && !(isNullable && isWhole)) continue
    if (not !== undefined) draft.use(not)
    draft.use(at)
    const isAsked = not !== undefined || (isNullable && isWhole && !isBehindValue(draft, at))
    if (isAsked)
      draft.filters.push({ at: field, operator: not === undefined ? 'isNotNull' : 'isNull' })
  }
}

/** True where days are asked for whose date the verb may name: `shipped to Brazil in 1997`. */
const isDaysOf = ({ periods, periodFields }: Draft): boolean =>
  periods.some((each) => !periodFields.has(each))

/** The place that negates a verb. */
function findNot(draft: Draft, at: number): number | undefined {
  for (let before = at - 1; before >= 0 && before >= at - 4; before--) {
    if (draft.has(before, 'not')) return before
    if (!draft.isBare(before)) return undefined
  }
  return undefined
}

const isBeforeSelf = (draft: Draft, at: number): boolean =>
  draft.meaning(at + 1, 'self') !== undefined

/** True behind a word that may be a value: `nach Brazil versendet`. */
function isBehindValue(draft: Draft, at: number): boolean {
  let before = at - 1
  while (before >= 0 && draft.isBare(before)) before--
  const segment = draft.segments[before]
  return segment !== undefined && segment.known === undefined && segment.meanings.length === 0
}

/** `out of stock`, `auf Lager`: by the number of pieces that are there. */
export function readStock(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    const isOut = draft.has(at, 'soldOut')
    if (!draft.isFree(at) || !(isOut || draft.has(at, 'inStock'))) continue
    if (draft.segments[at]?.meanings.length) continue
    const field = findCalled(draft.subject, draft.asking.language.stockNames)
    if (!field || !isMeasure(field)) continue
    const not = isOut ? undefined : findNot(draft, at)
    draft.use(at, ...(not === undefined ? [] : [not]))
    const isNone = isOut || not !== undefined
    draft.filters.push({ at: field, operator: isNone ? 'le' : 'gt', value: 0 })
  }
}

/** `without email`, `with a note`. */
export function readPresence(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    const field = draft.isFree(at) ? draft.field(at) : undefined
    if (!field || draft.meaning(at, 'self')) continue
    const isOwn = field.depth === 0
    // `without orders` of lines, each of which has one, asks for something else.
    const mayLack = isOwn && !field.field.required && !isOfValue(draft, at)
    const isNumber = isOwn && isMeasure(field)
    if (isNumber && !mayLack && isNegated(draft, at, 'without'))
      draft.filters.push({ at: field, operator: 'eq', value: 0 })
    else if (mayLack && isNegated(draft, at, 'without'))
      draft.filters.push({ at: field, operator: 'isNull' })
    else if (isNumber && isLast(draft, at) && isNegated(draft, at, 'with', 'having'))
      draft.filters.push({ at: field, operator: 'gt', value: 0 })
    else if (mayLack && isLast(draft, at) && isNegated(draft, at, 'with', 'having'))
      draft.filters.push({ at: field, operator: 'isNotNull' })
    else continue
    draft.use(at)
  }
}

/** True where a value follows that no word explains: `without the topic Painting`. */
function isOfValue(draft: Draft, at: number): boolean {
  const next = draft.segments[at + 1]
  return next?.known === undefined && next?.meanings.length === 0 && next.text !== ','
}

/** True where no value of the field follows: `with note`, but not `with city Kiel`. */
function isLast(draft: Draft, at: number): boolean {
  const next = draft.segments[at + 1]
  return next === undefined || (next.known !== undefined && !draft.used.has(at + 1))
}
