/** Reads the fields by which rows are sorted, grouped and ranked. */
import { renderMessage } from '../../../kernel/messages.ts'
import { type Draft, findMainInstant, isDated, isDimension, isList, isMeasure } from './draft.ts'
import { findTarget, type ReachedField } from './scope.ts'
import { type DatePart, TIME_PARTS } from '../../object/date-parts.ts'

/** `sorted by price, highest first`. */
export function readSort(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    if (!draft.isFree(at) || !draft.has(at, 'sortBy')) continue
    const next = draft.skip(at + 1)
    const field = draft.isFree(next) ? draft.field(next) : undefined
    if (!field || isList(field)) continue
    const after = draft.skip(next + 1)
    const isDescending = draft.isFree(after) && draft.has(after, 'descending')
    const isAscending = draft.isFree(after) && draft.has(after, 'ascending')
    draft.use(at, next, ...(isDescending || isAscending ? [after] : []))
    draft.sort.push({ at: field, direction: isDescending ? 'desc' : 'asc' })
  }
  readDirection(draft)
}

/** `newest first`, `descending`: a direction without a field. */
function readDirection(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    if (!draft.isFree(at)) continue
    const direction = draft.has(at, 'descending')
      ? 'desc'
      : draft.has(at, 'ascending')
        ? 'asc'
        : undefined
    if (direction === undefined) continue
    draft.use(at)
    // `absteigend sortiert`
    for (const beside of [at - 1, at + 1])
      if (draft.isFree(beside) && draft.has(beside, 'sortBy')) draft.use(beside)
    const [first] = draft.sort
    if (first) first.direction = direction
    else if (!draft.ranking) {
      const isDate = /new|old|late|earl|recent|neu|alt|alt|juengst|aeltest|spaet|frueh/.test(
        draft.segments[at]?.words[0]?.plain ?? '',
      )
      draft.ranking = { direction, of: [isDate ? '@date' : '@measure'] }
    }
  }
}

/** `by region and month`, `per customer`, `monthly`. */
export function readGroups(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    if (!draft.isFree(at) || !draft.has(at, 'groupBy')) continue
    let next = draft.skip(at + 1)
    if (readEach(draft, at, next) || !readGroup(draft, next)) continue
    draft.use(at)
    for (;;) {
      const joined = next + 1
      if (!draft.isFree(joined) || !draft.has(joined, 'or')) break
      let further = draft.skip(joined + 1)
      if (draft.isFree(further) && draft.has(further, 'groupBy')) further = draft.skip(further + 1)
      if (!readGroup(draft, further)) break
      draft.use(joined, further - 1)
      next = further
    }
  }
  readAdverbs(draft)
  readWhichPart(draft)
}

/** `average freight per order`, of orders: that of all of them. */
function readEach(draft: Draft, by: number, at: number): boolean {
  const isSelf = draft.isFree(at) && draft.meaning(at, 'self') !== undefined
  const isAverage = draft.segments.some((_, each) => draft.has(each, 'avg'))
  if (!isSelf || !isAverage || draft.field(at, isDimension) || draft.selfAt >= 0) return false
  draft.use(by, at)
  draft.selfAt = at
  return true
}

function readGroup(draft: Draft, at: number): boolean {
  if (!draft.isFree(at)) return false
  const part = draft.segments[at]?.known?.part
  const date = draft.field(at, isDated)
  const field = draft.field(at, isDimension)
  if (part !== undefined && !field && (!date || draft.segments[at]?.words.length === 1)) {
    return pushPart(draft, at, part, date)
  } else if (field) draft.groups.push({ at: field })
  else if (date) draft.groups.push({ at: date, part: 'day' })
  else return readRankBy(draft, at)
  draft.use(at)
  return true
}

/** Groups by a part of a date: of `date`, where its name is that of the part. */
function pushPart(draft: Draft, at: number, part: DatePart, date?: ReachedField): boolean {
  if (TIME_PARTS.has(part) && !findMainInstant(draft.subject)) return false
  const isNamed = date?.depth === 0 && part === 'day'
  draft.groups.push({ at: isNamed ? date : undefined, part })
  draft.use(at)
  return true
}

/** Reads the field of a ranking: `top 5 products by price`. */
function readRankBy(draft: Draft, at: number): boolean {
  // `by order value`, of orders.
  const isOwn = draft.meaning(at, 'self') !== undefined && draft.isFree(at + 1)
  const measure = draft.field(at, isMeasure) ?? (isOwn ? draft.field(at + 1, isMeasure) : undefined)
  if (!measure) return false
  draft.use(at, ...(draft.field(at, isMeasure) ? [] : [at + 1]))
  draft.measures.push(measure)
  draft.ranking ??= { direction: 'desc', of: ['@measure'] }
  return true
}

/** `monthly sales`: a part that needs no `by`. */
function readAdverbs(draft: Draft): void {
  for (const [at, { known, words, meanings }] of draft.segments.entries()) {
    const isAdverb = known?.part !== undefined && known.span === undefined && meanings.length === 0
    if (!isAdverb || known.isPartNoun || !draft.isFree(at) || words[0]?.kind !== 'word') continue
    if (known.concepts.size > 0 || known.day !== undefined) continue
    pushPart(draft, at, known.part ?? 'month')
  }
}

/** `which month was the best`: one part of a date is asked for. */
function readWhichPart(draft: Draft): void {
  if (!draft.ranking || draft.groups.length > 0) return
  for (let at = 1; at < draft.segments.length; at++) {
    const part = draft.segments[at]?.known?.part
    if (part === undefined || !draft.isFree(at) || !draft.has(at - 1, 'which')) continue
    if (pushPart(draft, at, part)) draft.isSingle ||= draft.limit === undefined
    return
  }
}

/** `top 5`, `the 3 cheapest`, `the latest order`, `most orders`. */
export function readRanking(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    if (!draft.isFree(at)) continue
    const known = draft.segments[at]?.known
    if (!known) continue
    if (known.concepts.has('most') || known.concepts.has('fewest')) {
      if (known.superlative === undefined) readMost(draft, at)
      else readSuperlative(draft, at)
    } else if (known.superlative !== undefined) readSuperlative(draft, at)
    else if (known.concepts.has('first')) readFirst(draft, at)
  }
}

function readMost(draft: Draft, at: number): void {
  const direction = draft.has(at, 'most') ? 'desc' : 'asc'
  const next = draft.skip(at + 1)
  const measure = draft.isFree(next) ? draft.field(next, isMeasure) : undefined
  draft.use(at)
  draft.ranking = { direction, of: [measure ? '@measure' : '@count'] }
  draft.limit ??= countBefore(draft, at)
  draft.isSingle ||= draft.limit === undefined && isOneAsked(draft, at)
}

function readSuperlative(draft: Draft, at: number): void {
  const superlative = draft.segments[at]?.known?.superlative
  if (!superlative) return
  const next = draft.skip(at + 1)
  const isPeriod = draft.periods.some(({ start, end }) => at >= start && at < end)
  if (isPeriod) return
  draft.use(at)
  draft.ranking = superlative
  const behind = draft.isFree(next) ? draft.number(next) : undefined
  if (behind && isSmall(behind.value)) {
    draft.limit = behind.value
    draft.use(next)
  } else draft.limit ??= countBefore(draft, at)
  let noun = draft.skip(behind ? next + 1 : at + 1)
  // `the last cancelled order`
  while (draft.meaning(noun, 'option') && !draft.meaning(noun, 'self')) noun = draft.skip(noun + 1)
  draft.isSingle ||=
    draft.limit === undefined &&
    (isSingular(draft, noun) || isOneAsked(draft, at) || isOfOne(draft, at))
  if (draft.meaning(noun, 'self')) draft.rankedNoun = 'self'
}

/** `first 10`. */
function readFirst(draft: Draft, at: number): void {
  const next = draft.skip(at + 1)
  const behind = draft.isFree(next) ? draft.number(next) : undefined
  if (behind && isSmall(behind.value)) {
    draft.limit = behind.value
    draft.use(at, next)
    return
  }
  draft.use(at)
  draft.ranking = { direction: 'asc', of: ['@date'] }
  draft.isSingle ||= isSingular(draft, next)
}

const isSmall = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 1000

/** `the 5 largest`. */
function countBefore(draft: Draft, at: number): number | undefined {
  let before = at - 1
  while (draft.isFree(before) && draft.isBare(before)) before--
  // `two dozen` are two words.
  const from = draft.segments[before]?.known?.scale !== undefined ? before - 1 : before
  const found = draft.isFree(from) && draft.isFree(before) ? draft.number(from) : undefined
  if (!found || !isSmall(found.value) || from + found.length - 1 !== before) return undefined
  draft.use(from, before)
  return found.value
}

/** `billigster Artikel` is one, `die billigsten Artikel` are many. */
function isOfOne({ segments, asking }: Draft, at: number): boolean {
  const { pluralSuperlative } = asking.language
  const plain = segments[at]?.words[0]?.plain ?? ''
  return pluralSuperlative !== '' && !plain.endsWith(pluralSuperlative)
}

/** `which region has the most`, `the customer with the highest`: the noun before. */
function isOneAsked(draft: Draft, from: number): boolean {
  for (let at = from - 1; at >= 0; at--)
    if (draft.segments[at]?.meanings.length) return isSingular(draft, at)
  return false
}

/** True when a noun names one record. */
function isSingular(draft: Draft, at: number): boolean {
  const segment = draft.segments[at]
  const self = draft.meaning(at, 'self')
  if (!segment || (!self && !draft.field(at))) return false
  const { single, label } = draft.subject
  const typed = segment.text.toLowerCase()
  const one = single.toLowerCase()
  if (one !== label.toLowerCase() && (typed === one || typed === label.toLowerCase()))
    return typed === one
  if (draft.asking.language.name === 'en') return !typed.endsWith('s')
  const field = draft.field(at)
  const target = field && findTarget(field.field, field.grant)?.view.entity
  return (
    field !== undefined &&
    [field.label, target?.label].some(
      (label) =>
        label !== undefined &&
        renderMessage(label, draft.asking.language.name).toLowerCase() === typed,
    )
  )
}

const previousWord = (draft: Draft, at: number): number =>
  draft.isBare(at - 1) && !draft.has(at - 1, 'having') ? at - 2 : at - 1

/** `10 orders` shows ten of them, `3 customers` with a ranking three groups. */
export function readCountOfRows(draft: Draft): void {
  for (let at = 0; at + 1 < draft.segments.length; at++) {
    const found = draft.isFree(at) ? draft.number(at) : undefined
    if (!found || found.length > 1 || !isSmall(found.value) || draft.limit !== undefined) continue
    const next = draft.skip(at + 1)
    const before = draft.segments[at - 1]
    const isAmount =
      before?.known &&
      ['gt', 'ge', 'lt', 'le', 'eq', 'between'].some((c) => draft.has(at - 1, c as 'gt'))
    const isNoun = draft.meaning(next, 'self') !== undefined
    const isRanked = draft.ranking !== undefined && draft.field(next, isDimension) !== undefined
    if (isAmount || !(isNoun || isRanked)) continue
    if (isNoun && draft.has(previousWord(draft, at), 'having') && !draft.ranking) {
      // `customers with 2 orders`: so many each, not the first two.
      if (draft.having || draft.selfAt >= 0) continue
      draft.having = { at: undefined, operator: 'eq', value: found.value }
      draft.selfAt = next
      draft.use(next)
    } else draft.limit = found.value
    draft.use(at)
  }
}
