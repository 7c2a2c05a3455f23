/** Reads conditions on two fields of a row: `stock below reorder level`, `shipped after due`. */
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { type Operator, OPERATORS } from '../../../model/operators.ts'
import { type Draft, findCalled, isDated, isDimension, isMeasure } from './draft.ts'
import { isVerb } from './read-states.ts'
import type { ReachedField } from './scope.ts'

type Comparison = 'gt' | 'ge' | 'lt' | 'le' | 'eq'

const OPPOSITES: Readonly<Record<Comparison, Operator>> = {
  gt: 'le',
  ge: 'lt',
  lt: 'ge',
  le: 'gt',
  eq: 'ne',
}

/** A kind of fields that are compared with each other. */
type Fits = (at: ReachedField) => boolean

/** Texts that people write: neither an option nor a record. */
const isPlainText: Fits = (at) =>
  isDimension(at) &&
  FIELD_KINDS[at.field.type].isText &&
  at.field.references === undefined &&
  at.field.lookup === undefined &&
  at.field.options.length === 0

/** Reads each comparison behind which a field stands. */
export function readCompared(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    if (!draft.isFree(at)) continue
    const right = draft.skip(at + 1)
    if (right === at || !draft.isFree(right) || draft.number(right + 1)) continue
    for (const { fits, comparison } of listComparisons(draft, at)) {
      const other = draft.field(right, fits)
      if (other && readSides(draft, { at, right, other, fits, comparison })) break
    }
  }
}

type Read = Pick<Sides, 'fits' | 'comparison'>

/** The comparisons that a place can say: of numbers, of days, and of texts whether they are one. */
function listComparisons(draft: Draft, at: number): Read[] {
  const { comparison, period } = draft.segments[at]?.known ?? {}
  const byOrder =
    comparison?.operator ?? (['gt', 'ge', 'lt', 'le'] as const).find((each) => draft.has(at, each))
  const isDay = period?.has('after') ? 'gt' : period?.has('before') ? 'lt' : undefined
  const isUntil = period?.has('until') && !draft.has(at, 'groupBy') ? 'le' : undefined
  const days = isDay ?? isUntil
  if (draft.has(at, 'eq'))
    return [isMeasure, isDated, isPlainText].map((fits) => ({ fits, comparison: 'eq' as const }))
  const numbers = period?.has('since') ? undefined : byOrder
  const found: Read[] = numbers ? [{ fits: isMeasure, comparison: numbers }] : []
  return days ? [...found, { fits: isDated, comparison: days }] : found
}

interface Sides {
  at: number
  right: number
  other: ReachedField
  fits: Fits
  comparison: Comparison
}

/** Reads the condition if its left side is known, too; true where it is. */
function readSides(draft: Draft, { at, right, other, fits, comparison }: Sides): boolean {
  const left = findLeft(draft, { at, right, other, fits, comparison })
  if (!left || left.field.path === other.path) return false
  const not = findNot(draft, left.place ?? at, at)
  const isWhole = [left.field, other].every(({ depth, field }) => depth === 0 && field.required)
  // `not shipped after the due date` may mean those that are not shipped at all.
  if (not !== undefined && !OPERATORS[comparison].isEquality && !isWhole) return false
  draft.use(at, right, ...(left.place === undefined ? [] : [left.place]))
  if (not !== undefined) draft.use(not)
  const operator = not === undefined ? comparison : OPPOSITES[comparison]
  if (isDated(left.field) && left.place !== undefined && isVerb(draft, left.place))
    draft.verbDate ??= left.field
  draft.filters.push({ at: left.field, operator, other })
  return true
}

/** The field on the left: named before, behind as in German, or known by what it is held to. */
function findLeft(
  draft: Draft,
  { at, right, other, fits }: Sides,
): { field: ReachedField; place: number | undefined } | undefined {
  const before = findBefore(draft, at)
  const behind = draft.skip(right + 1)
  // `nach Fälligkeit` alone is a group.
  const places = draft.has(at, 'groupBy') ? [behind] : [before, behind]
  for (const place of places) {
    const field = draft.isFree(place) ? draft.field(place, fits) : undefined
    if (!field || (place === before && isReckoned(draft, place))) continue
    return { field, place }
  }
  const isNamed = draft.isFree(before) && draft.field(before) && !draft.meaning(before, 'self')
  const field = isNamed ? undefined : findImplied(draft, at, other)
  return field && { field, place: undefined }
}

/** The last place before one that says something. */
function findBefore(draft: Draft, at: number): number {
  let before = at - 1
  while (before >= 0 && (draft.isBare(before) || isNot(draft, before))) before--
  return before
}

const isNot = (draft: Draft, at: number): boolean =>
  draft.has(at, 'not') && draft.segments[at]?.meanings.length === 0

/** `average price above cost` is not of a row. */
const isReckoned = (draft: Draft, at: number): boolean =>
  draft.has(findBefore(draft, at), 'avg', 'min', 'max', 'sum', 'count')

/** The number that a comparison is about by itself: `cheaper than`, `below reorder level`. */
function findImplied(draft: Draft, at: number, other: ReachedField): ReachedField | undefined {
  const { subject, asking } = draft
  const named = draft.segments[at]?.known?.comparison
  const { stockLimits, stockNames } = asking.language
  const isLimit = isMeasure(other) && isCalled(other, stockLimits)
  const words = named?.of ?? (isLimit ? stockNames : [])
  const field = findCalled(
    { ...subject, fields: subject.fields.filter((each) => each !== other) },
    words,
  )
  return field && isMeasure(field) ? field : undefined
}

const isCalled = ({ label, field }: ReachedField, words: readonly string[]): boolean =>
  [label, String(field.label), field.name].some((name) =>
    words.some((word) => name.toLowerCase().includes(word)),
  )

/** The place that negates the comparison, between the left side and it or right before both. */
function findNot(draft: Draft, from: number, at: number): number | undefined {
  for (let place = at - 1; place >= Math.max(0, from - 2); place--)
    if (isNot(draft, place) && draft.isFree(place)) return place
  return undefined
}
