/** Reads the conditions of a question: amounts, options, presets, present and missing values. */
import { renderMessage } from '../../../kernel/messages.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Operator } from '../../../model/operators.ts'
import {
  type Draft,
  findCalled,
  findMainMeasure,
  isDated,
  isDimension,
  isMeasure,
} from './draft.ts'
import type { Concept } from './language.ts'
import { findPeriods, type Period } from './periods.ts'
import type { Meaning, ReachedField } from './scope.ts'
import { listTracked } from './tracked.ts'

type Comparison = 'gt' | 'ge' | 'lt' | 'le' | 'eq'
const COMPARISONS: readonly Comparison[] = ['gt', 'ge', 'lt', 'le', 'eq']

/** Finds the periods, and the date field that each is about. */
export function readPeriods(draft: Draft): void {
  for (const period of findPeriods(draft.segments, draft.asking.today)) {
    if (isAmount(draft, period)) continue
    draft.periods.push(period)
    for (let at = period.start; at < period.end; at++) draft.use(at)
    const field = findDateBeside(draft, period)
    if (field) draft.periodFields.set(period, field)
  }
}

/** `over 2000` is an amount, as is `2000 pieces`. */
function isAmount(draft: Draft, { start, end, span, operator }: Period): boolean {
  if (span !== 'year') return false
  // `over 2000` is no day, as `after 2000` is.
  if (draft.has(start, 'gt', 'lt') && draft.segments[start]?.known?.period.size === 0) return true
  if (end - start > 1 || operator !== 'between') return false
  const before = previous(draft, start)
  const isCompared = COMPARISONS.some((each) => each !== 'ge' && draft.has(before, each))
  // `2025 revenue` is that of a year.
  const unit = draft.field(end, isPieces) !== undefined || draft.has(end, 'currency')
  return isCompared || draft.has(before, 'between') || unit
}

const isPieces = (at: ReachedField): boolean =>
  isMeasure(at) && FIELD_KINDS[at.field.type].number !== 'scaled'

/** The last place before one that is not bare. */
function previous(draft: Draft, at: number): number {
  let before = at - 1
  while (
    before >= 0 &&
    draft.isBare(before) &&
    !COMPARISONS.some((each) => draft.has(before, each))
  )
    before--
  return before
}

/** `due this week`, `delivery date in May`. */
function findDateBeside(draft: Draft, { start, end }: Period): ReachedField | undefined {
  for (const at of [previous(draft, start), start - 1, end]) {
    const field = draft.isFree(at) ? draft.field(at, isDated) : undefined
    if (!field) continue
    draft.use(at)
    return field
  }
  return undefined
}

/** `over 1,000 EUR`, `at least 5 pieces`, `between 10 and 20`, `100 or more`. */
export function readAmounts(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    if (!draft.isFree(at)) continue
    if (draft.has(at, 'between')) readBetween(draft, at, at + 1)
    else if (isFrom(draft, at)) readBetween(draft, at, at + 1, 'to')
    else if (draft.number(at)) readBetween(draft, at, at, 'to')
    else {
      const named = draft.segments[at]?.known?.comparison
      const comparison = named?.operator ?? COMPARISONS.find((each) => draft.has(at, each))
      const next = draft.skip(at + 1)
      const number = comparison && draft.isFree(next) ? draft.number(next) : undefined
      if (comparison && number) {
        const range = { from: at, to: next + number.length, of: named?.of }
        addAmount(draft, { ...range, comparison, value: number.value })
      }
    }
  }
  readTrailing(draft)
}

/** `100 or more`. */
function readTrailing(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    const number = draft.isFree(at) ? draft.number(at) : undefined
    if (!number) continue
    const after = at + number.length
    const unit =
      draft.isFree(after) && (draft.has(after, 'currency') || draft.field(after, isMeasure))
    const end = unit ? after + 1 : after
    const comparison = (['ge', 'le'] as const).find(
      (each) => draft.isFree(end) && draft.has(end, each),
    )
    const before = previous(draft, at)
    const field = draft.isFree(before) ? draft.field(before, isMeasure) : undefined
    if (comparison && !draft.number(draft.skip(end + 1))) {
      draft.use(end)
      addAmount(draft, { comparison, value: number.value, from: at, to: after })
    } else if (field) {
      addAmount(draft, { comparison: 'eq', value: number.value, from: at, to: after })
    }
  }
}

/** `from 10` of `from 10 to 20 euros`. */
const isFrom = (draft: Draft, at: number): boolean =>
  draft.segments[at]?.known?.period.has('since') === true

/** `between 10 and 20`, `from 10 to 20`, `10 to 20`: the latter two with words for `to` alone. */
function readBetween(draft: Draft, at: number, begin: number, only?: 'to'): void {
  const first = draft.skip(begin)
  const from = draft.isFree(first) ? draft.number(first) : undefined
  if (!from) return
  let joined = first + from.length
  if (draft.has(joined, 'currency')) joined++
  const second = draft.skip(joined + 1)
  const isJoined = only ? isUntil(draft, joined) : draft.has(joined, 'to', 'or')
  const to = isJoined && draft.isFree(joined) ? draft.number(second) : undefined
  if (!to) return
  const range = { from: at, to: second + to.length }
  addAmount(draft, { ...range, comparison: 'between', value: [from.value, to.value] })
}

const isUntil = (draft: Draft, at: number): boolean => draft.has(at, 'to') && !draft.has(at, 'or')

interface Amount {
  comparison: Comparison | 'between'
  value: number | number[]
  from: number
  to: number
  /** The only fields that the amount can be about: for `longer than` the length. */
  of?: readonly string[] | undefined
}

/** The field beside an amount, by its name or unit, else the main one of the object. */
function addAmount(draft: Draft, { comparison, value, from, to, of }: Amount): void {
  const before = previous(draft, from)
  const isCurrency = draft.has(to, 'currency')
  const after = draft.skip(isCurrency ? to + 1 : to)
  const named = [after, before, before - 1].find(
    (at) => draft.isFree(at) && draft.field(at, isMeasure) !== undefined,
  )
  const byUnit = findByUnit(draft, to)
  const at =
    (named === undefined ? undefined : draft.field(named, isMeasure)) ??
    byUnit ??
    (of ? findCalled(draft.subject, of) : findMainMeasure(draft.subject))
  if (!at || (named === undefined && !byUnit && isCounted(draft, after))) {
    if (draft.meaning(after, 'self')) readHaving(draft, { comparison, value, from, to }, after)
    return
  }
  // `orders with a total of at least 1500` are orders; nothing is added up.
  const isNaming = draft.isFree(before) && draft.has(before, 'sum')
  if (isNaming && hasSelfBefore(draft, before)) draft.use(before)
  if (byUnit || isCurrency) draft.use(to)
  if (named !== undefined) draft.use(named)
  for (let each = from; each < to; each++) draft.use(each)
  draft.filters.push({
    at,
    operator: isNegated(draft, from) ? opposite(comparison) : comparison,
    value,
  })
}

const hasSelfBefore = (draft: Draft, at: number): boolean =>
  draft.segments.slice(0, at).some((_, before) => draft.meaning(before, 'self') !== undefined)

/** `with more than 3 orders`: a condition on the groups of those who have them. */
function readHaving(
  draft: Draft,
  { comparison, value, from, to }: Omit<Amount, 'of'>,
  selfAt: number,
): void {
  if (draft.having || draft.selfAt >= 0) return
  const operator = isNegated(draft, from) ? opposite(comparison) : comparison
  draft.having = { at: undefined, operator, value }
  for (let each = from; each < to; each++) draft.use(each)
  draft.use(selfAt)
  draft.selfAt = selfAt
}

/** `more than 10 orders`: their number is not a field of a row. */
const isCounted = (draft: Draft, at: number): boolean =>
  draft.isFree(at) &&
  (draft.meaning(at, 'self') !== undefined || draft.field(at, isDimension) !== undefined)

const OPPOSITES: Readonly<Partial<Record<Operator, Operator>>> = {
  gt: 'le',
  ge: 'lt',
  lt: 'ge',
  le: 'gt',
  eq: 'ne',
}
const opposite = (comparison: Operator): Operator => OPPOSITES[comparison] ?? comparison

/** `5 pieces`: the one field of that unit. */
function findByUnit(draft: Draft, at: number): ReachedField | undefined {
  const typed = draft.isFree(at) ? draft.segments[at]?.text.toLowerCase() : undefined
  if (typed === undefined) return undefined
  return draft.subject.fields.find(
    (each) =>
      each.depth === 0 &&
      isMeasure(each) &&
      renderMessage(each.field.unit ?? '', draft.asking.language.name).toLowerCase() === typed,
  )
}

/** True when a word before negates it. */
export function isNegated(draft: Draft, at: number, ...concepts: readonly Concept[]): boolean {
  const words = concepts.length > 0 ? concepts : (['not'] as const)
  for (let before = at - 1; before >= 0 && before >= at - 4; before--) {
    if (draft.has(before, ...words)) {
      draft.use(before)
      return true
    }
    if (!draft.isStop(before) && !(draft.has(before, 'only') || draft.used.has(before)))
      return false
    if (draft.used.has(before) && !draft.isBare(before)) return false
  }
  return false
}

type Valued = Extract<Meaning, { kind: 'option' | 'flag' }>

/** Options, flags and presets that are named. */
export function readOptions(draft: Draft): void {
  let last: { at: number; filter: Draft['filters'][number] } | undefined
  for (let at = 0; at < draft.segments.length; at++) {
    if (!draft.isFree(at)) continue
    const found = findValued(draft, at)
    if (!found) {
      readPreset(draft, at)
      continue
    }
    const isJoined = last !== undefined && isBetween(draft, last.at, at)
    const isSame = isJoined && last?.filter.at.path === found.at.path && found.kind === 'option'
    const negated = isNegated(draft, at)
    draft.use(at)
    draft.cost += found.cost
    if (isSame && last && found.kind === 'option') widen(last.filter, found.value)
    else last = { at, filter: addValued(draft, found, negated !== isOpposite(draft, at)) }
    if (last) last.at = at
    const beside = previous(draft, at)
    if (draft.isFree(beside) && draft.field(beside)?.path === found.at.path) draft.use(beside)
    const after = draft.skip(at + 1)
    if (
      draft.isFree(after) &&
      found.kind === 'option' &&
      draft.field(after)?.path === found.at.path &&
      !draft.meaning(after, 'self')
    )
      draft.use(after)
  }
}

const isOpposite = (draft: Draft, at: number): boolean => draft.segments[at]?.isOpposite === true

/** The option of the field beside it, `payment open`, else the cheapest. */
function findOption(draft: Draft, at: number): Extract<Meaning, { kind: 'option' }> | undefined {
  const options = (draft.segments[at]?.meanings ?? []).flatMap((each) =>
    each.kind === 'option' ? [each] : [],
  )
  const beside = [at - 1, at + 1, at - 2].flatMap((each) => draft.field(each)?.path ?? [])
  return options.find((each) => beside.includes(each.at.path)) ?? options[0]
}

/** An option, or a flag that the question does not name as a field. */
function findValued(draft: Draft, at: number): Valued | undefined {
  const option = findOption(draft, at)
  const flag = draft.meaning(at, 'flag')
  const field = draft.meaning(at, 'field')
  const self = draft.meaning(at, 'self')
  const best = [option, flag]
    .filter((each) => each !== undefined)
    .toSorted((a, b) => a.cost - b.cost)[0]
  const isOther =
    (field !== undefined && field.cost < (best?.cost ?? 9)) ||
    (self !== undefined && self.cost <= (best?.cost ?? 9))
  return isOther ? undefined : best
}

/** True when only joining words are between, as in `new or approved`. */
function isBetween(draft: Draft, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++)
    if (!draft.has(at, 'or') && !draft.isBare(at) && !draft.has(at, 'not')) return false
  return to > from + 1
}

function widen(filter: Draft['filters'][number], value: string): void {
  const values = Array.isArray(filter.value) ? (filter.value as unknown[]) : [filter.value]
  filter.value = [...values, value]
  filter.operator = filter.operator === 'ne' || filter.operator === 'notIn' ? 'notIn' : 'in'
}

function addValued(draft: Draft, found: Valued, negated: boolean): Draft['filters'][number] {
  const filter: Draft['filters'][number] =
    found.kind === 'option'
      ? { at: found.at, operator: negated ? 'ne' : 'eq', value: found.value as unknown }
      : { at: found.at, operator: 'eq', value: !negated as unknown }
  draft.filters.push(filter)
  return filter
}

function readPreset(draft: Draft, at: number): void {
  const preset = draft.meaning(at, 'preset')
  const others = draft.segments[at]?.meanings.filter(({ kind }) => kind !== 'preset') ?? []
  if (!preset || others.length > 0 || draft.preset !== undefined || isNegated(draft, at)) return
  draft.use(at)
  draft.preset = preset.name
  if (preset.isSelf && draft.selfAt < 0) draft.selfAt = at
}

/** `my orders`. */
export function readMine(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    if (!draft.isFree(at) || !draft.has(at, 'mine', 'iHave')) continue
    const own = draft.subject.fields.filter(
      ({ field, depth }) =>
        depth === 0 && field.references === 'User' && field.column?.kind !== 'tracking',
    )
    const [owner] = own
    if (owner) {
      draft.use(at)
      const { userId, userName } = draft.asking.caller
      draft.filters.push({ at: owner, operator: 'eq', value: userId, named: userName })
      const after = draft.skip(at + 1)
      if (draft.isFree(after) && draft.field(after)?.path === owner.path) draft.use(after)
    }
  }
}

/** `created by me`, `changed by ana`: of the fields that the engine keeps, never the owner. */
export function readAuthors(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    const isMine = draft.isFree(at) && draft.has(at, 'mine')
    // `von mir angelegt`: who comes before what was done.
    const done = isMine ? draft.skip(at + 1) : at
    const field = findAuthor(draft, done, isMine)
    if (!field || !draft.isFree(at)) continue
    const next = draft.has(at + 1, 'me') ? at + 1 : draft.skip(at + 1)
    draft.use(at)
    if (isMine || draft.has(next, 'me')) {
      draft.use(isMine ? done : next)
      const { userId, userName } = draft.asking.caller
      draft.filters.push({ at: field, operator: 'eq', value: userId, named: userName })
    } else draft.valuedBy.set(next, field)
  }
}

/** The field of who did what a place says: `created by`, or `created` behind a person. */
function findAuthor(draft: Draft, at: number, isBehind: boolean): ReachedField | undefined {
  const [created, changed] = isBehind
    ? (['created', 'changed'] as const)
    : (['createdBy', 'changedBy'] as const)
  const name = draft.has(at, created)
    ? 'CreatedBy'
    : draft.has(at, changed)
      ? 'ChangedBy'
      : undefined
  return name && listTracked(draft).find(({ field }) => field.name === name)
}
