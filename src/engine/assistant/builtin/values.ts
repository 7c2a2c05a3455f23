/**
 * Words that neither the language nor the model knows, found among the data that the caller sees:
 * in names of records that a field refers to, else in the values of a field itself.
 */
import type { Operator } from '../../../model/operators.ts'
import { type Draft, type DraftFilter, isList, type UnknownText } from './draft.ts'
import type { Lookups, Row } from './lookups.ts'
import { listOtherNames } from './place-names.ts'
import { findByKey } from './record-number.ts'
import { findTarget, type ReachedField } from './scope.ts'
import { findPiece, longestOf } from './text-pieces.ts'
import { isRemark, listPlaces, listShown, listTexts } from './value-places.ts'
import { toPlain } from './words.ts'
import { isServed } from '../../object/read/find-view.ts'

/** Values that hold a word, of which one may be meant. */
const CANDIDATES_MAX = 40
/** Most texts of one question that may be values; with more it is not a question of this kind. */
export const UNKNOWN_MAX = 6
/** Texts that are found nowhere, behind which the others are not looked for. */
const MISSING_MAX = 3
/** Most characters of a value; a longer text is not a name. */
const TEXT_MAX = 200
/** Most records that one name may mean. */
const MEANT_MAX = 20

interface Found {
  filter: DraftFilter
  /** 0 for the very text; more for a part of it. */
  distance: number
  /** True where the text is a part of the value alone. */
  isPart: boolean
  /** The conditions on other fields that it may be as well. */
  others?: DraftFilter[]
}

/** Makes conditions of the unknown texts; returns the texts that were found nowhere. */
export async function resolveValues(lookups: Lookups, draft: Draft): Promise<string[]> {
  if (draft.unknown.length > UNKNOWN_MAX) return draft.unknown.map(({ text }) => text)
  const missing: string[] = []
  for (const unknown of draft.unknown) {
    const found = await findValue(lookups, draft, unknown)
    if (!found) {
      missing.push(unknown.text)
      // A refusal names no more of them.
      if (missing.length >= MISSING_MAX) break
      continue
    }
    draft.use(...unknown.segments)
    draft.cost += found.distance
    unknown.found = { ...found.filter }
    unknown.others = found.others ?? []
    addFound(draft, found.filter, unknown)
  }
  return missing
}

/**
 * Makes conditions of words that would go unheard, but are written as a name and are the very name
 * of a record: a customer called Still.
 */
export async function resolveNames(
  lookups: Lookups,
  draft: Draft,
  isUnheard: (at: number) => boolean,
): Promise<void> {
  for (const [at, { text }] of draft.segments.entries()) {
    if (at === 0 || !/^\p{Lu}/u.test(text) || !isUnheard(at)) continue
    const plain = { text, hint: undefined, isHintOnly: false, isNegated: false, isName: true }
    const unknown: UnknownText = { ...plain, segments: [at] }
    const found = await findWritten(lookups, draft, unknown)
    if (!found || found.isPart) continue
    draft.unknown.push({ ...unknown, found: { ...found.filter }, others: found.others ?? [] })
    draft.use(at)
    addFound(draft, found.filter)
  }
}

/** `in UK or France`: values of one field are alternatives; of `not in UK or France` none is. */
function addFound(draft: Draft, filter: DraftFilter, unknown?: UnknownText): void {
  const { filters } = draft
  const isNegated = NONE_OF.includes(filter.operator)
  const alike = isNegated ? NONE_OF : ONE_OF
  const same = filters.find(
    (each) =>
      each.at.path === filter.at.path &&
      alike.includes(each.operator) &&
      alike.includes(filter.operator),
  )
  // `the topics Painting and Garden`: a list can have both.
  const isBoth = isList(filter.at) && !isNegated && !isEither(draft, unknown)
  if (!same || isBoth) {
    filters.push(filter)
    return
  }
  same.value = [same.value, filter.value].flat()
  if (same.named !== undefined) same.named = `${same.named}, ${filter.named}`
  same.operator = isNegated ? 'notIn' : 'in'
}

/** True where `or` stands before a text. */
function isEither(draft: Draft, unknown: UnknownText | undefined): boolean {
  let before = (unknown?.segments[0] ?? 0) - 1
  while (before > 0 && draft.isBare(before)) before--
  return draft.has(before, 'either')
}

const ONE_OF: readonly Operator[] = ['eq', 'in']
const NONE_OF: readonly Operator[] = ['ne', 'notIn']

/** Distance of a value that is found by another name of its place. */
const BY_OTHER_NAME = 0.25

/** The value of an unknown text as it is written, else by another name of its country or city. */
export async function findValue(
  lookups: Lookups,
  draft: Draft,
  unknown: UnknownText,
): Promise<Found | undefined> {
  const keyed = await findByKey(lookups, draft, unknown)
  if (keyed) return { filter: keyed, distance: 0, isPart: false }
  const found = await findWritten(lookups, draft, unknown)
  if (found) return found
  const piece = findPiece(unknown.text)
  const alike = piece === undefined ? undefined : await findWritten(lookups, draft, unknown, piece)
  if (alike) return alike
  for (const text of listOtherNames(unknown.text)) {
    const other = await findWritten(lookups, draft, { ...unknown, text })
    if (other && isWhole(other)) return { ...other, distance: other.distance + BY_OTHER_NAME }
  }
  return undefined
}

/** True where the text is a whole name, not a part of one: AT is no part of a street. */
const isWhole = ({ isPart }: Found): boolean => !isPart

async function findWritten(
  lookups: Lookups,
  draft: Draft,
  unknown: UnknownText,
  piece?: string,
): Promise<Found | undefined> {
  const all: Found[] = []
  for (const at of listPlaces(draft, unknown)) {
    const best = all.find(({ distance }) => distance === 0)
    if (best && !mayBeBoth(at)) continue
    const found = await lookIn(lookups, at, { unknown, piece })
    // `town Kiel` says of which field it is.
    if (found && !found.isPart && isSaidOf(draft, unknown, at)) return found
    if (found) all.push(found)
  }
  const [first, ...others] = all.toSorted((one, other) => one.distance - other.distance)
  if (!first) return undefined
  const isAsGood = (each: Found): boolean =>
    !isTracked(each.filter.at) &&
    (each.distance === first.distance || (first.distance === 0 && isOtherName(first, each)))
  return { ...first, others: others.filter(isAsGood).map(({ filter }) => filter) }
}

/** True right behind the field; `customers in Wien` are of a city as well as of that name. */
function isSaidOf(draft: Draft, { hint, segments }: UnknownText, at: ReachedField): boolean {
  if (hint?.path !== at.path) return false
  const isApart = segments.length > 0 && draft.field((segments[0] ?? 0) - 1)?.path !== at.path
  return !isApart || !mayBeBoth(at)
}

/** True for a field of who wrote a record, and one behind it. */
const isTracked = ({ field, via }: ReachedField): boolean =>
  field.column?.kind === 'tracking' || (via !== undefined && isTracked(via))

/** True where the very name of a record may be that of another one: of a customer and of a city. */
const mayBeBoth = (at: ReachedField): boolean =>
  !isTracked(at) && findTarget(at.field, at.grant) !== undefined

/** True for the very name of a record of another kind. */
const isOtherName = ({ filter }: Found, { filter: other, isPart }: Found): boolean => {
  const [one, second] = [filter, other].map(({ at }) => findTarget(at.field, at.grant)?.view.entity)
  return !isPart && second !== undefined && one !== second
}

async function lookIn(
  lookups: Lookups,
  at: ReachedField,
  { unknown, piece }: { unknown: UnknownText; piece: string | undefined },
): Promise<Found | undefined> {
  const words = toWordsOf(unknown.text)
  const longest = piece ?? longestOf(unknown.text)
  if (!longest || unknown.text.length > TEXT_MAX) return undefined
  const look: Look = { at, unknown, words, longest }
  const target = findTarget(at.field, at.grant)
  return target ? lookInRecords(lookups, look, target) : lookInTexts(lookups, look)
}

interface Look {
  at: ReachedField
  unknown: UnknownText
  words: readonly string[]
  /** The word that says most, or the part of it that is looked up. */
  longest: string
}

/** Values of a field, or names of records that it refers to, that begin with one of some texts. */
export async function listNames(
  lookups: Lookups,
  at: ReachedField,
  starts: readonly string[],
): Promise<string[]> {
  const target = findTarget(at.field, at.grant)
  const { view, grant } = target ?? at
  const fields = target ? listTexts(target, listShown(view)) : [at.field.name]
  if (fields.length === 0) return []
  const Filters = {
    Logic: 'or',
    Filters: fields.flatMap((Field) =>
      starts.map((Value) => ({ Field, Operator: 'startsWith', Value })),
    ),
  }
  const asked = { ObjectName: view.name, Limit: CANDIDATES_MAX * starts.length, Filters }
  const rows = await lookups.ask(
    { view, grant },
    target ? { ...asked, Fields: fields } : { ...asked, GroupBy: fields },
  )
  return rows.map((row) =>
    fields
      .map((name) => String(row[name] ?? ''))
      .join(' ')
      .trim(),
  )
}

/** Records with the name, by their keys. */
async function lookInRecords(
  lookups: Lookups,
  look: Look,
  { view, grant }: Pick<ReachedField, 'view' | 'grant'>,
): Promise<Found | undefined> {
  const [key] = view.keys
  if (!key) return undefined
  const shown = listShown(view)
  const texts = listTexts({ view, grant }, [...shown, key])
  if (texts.length === 0 || !isServed(view, grant, key)) return undefined
  const request = {
    ObjectName: view.name,
    Fields: [key.name, ...texts],
    Limit: CANDIDATES_MAX,
    Filters: holdsIn(texts, look.longest),
  }
  const rows = await lookups.ask({ view, grant }, request)
  const nameOf = (row: Row): string => texts.map((name) => String(row[name] ?? '')).join(' ')
  const near = nearest(
    rows,
    (row) => [...texts.map((name) => String(row[name] ?? '')), nameOf(row)],
    look.words,
  )
  if (!near || near.rows.length > MEANT_MAX || !mayMean(look, near.distance)) return undefined
  const called = texts.filter((name) => shown.some((field) => field.name === name))
  const named = near.rows
    .map((row) =>
      (called.length > 0 ? called : texts).map((name) => String(row[name] ?? '')).join(' '),
    )
    .join(', ')
  const filter = toFilter(
    look,
    near.rows.map((row) => row[key.name]),
  )
  const distance = near.distance + look.at.depth / 2
  return { filter: { ...filter, named }, distance, isPart: near.distance > 0 }
}

/** True for a text that is surely a value: written as a name, or behind the field it is of. */
const isCertain = ({ at, unknown: { isName, hint } }: Pick<Look, 'at' | 'unknown'>): boolean =>
  isName || hint?.path === at.path

const isFigure = ({ text }: UnknownText): boolean => /^[\d.,]+$/.test(text)

/**
 * True where a name that holds the words may be meant by them. Any word may begin a name that is
 * meant (`stonebow`), but `stock` does not mean Victuailles en stock, and 5 no Box of 500.
 */
const mayMean = (look: Look, distance: number): boolean =>
  distance === 0 || isCertain(look) || (distance <= 1 && !isFigure(look.unknown))

/** True for the name of the record itself, of which some words may be said. */
const isOwnName = ({ depth, view, field }: ReachedField): boolean =>
  depth === 0 && listShown(view).includes(field)

/** Values of a text; or values that hold the word, where it is not a whole value. */
async function lookInTexts(lookups: Lookups, look: Look): Promise<Found | undefined> {
  const { at, unknown, words, longest } = look
  const { view, grant, field } = at
  const rows = await lookups.ask(
    { view, grant },
    {
      ObjectName: view.name,
      GroupBy: [field.name],
      Limit: CANDIDATES_MAX,
      Filters: holdsIn([field.name], longest),
    },
  )
  const near = nearest(rows, (row) => [String(row[field.name] ?? '')], words)
  if (!near || (isRemark(field) && !isCertain(look))) return undefined
  const distance = near.distance + at.depth / 2
  if (near.distance === 0) {
    const values = near.rows.map((row) => row[field.name])
    return { filter: toFilter(look, values), distance: distance + 0.2, isPart: false }
  }
  if (
    words.length > 1 &&
    isOwnName(at) &&
    near.rows.length <= MEANT_MAX &&
    mayMean(look, near.distance)
  )
    return {
      filter: toFilter(
        look,
        near.rows.map((row) => row[field.name]),
      ),
      distance: distance + 0.2,
      isPart: true,
    }
  if (unknown.isNegated || words.length > 1 || !isCertain(look)) return undefined
  if (isFigure(unknown)) return undefined
  const filter: DraftFilter = { at, operator: 'contains', value: unknown.text }
  return { filter, distance: distance + 1, isPart: true }
}

function toFilter({ at, unknown }: Look, values: readonly unknown[]): DraftFilter {
  const [only] = values
  const isOne = values.length === 1
  if (unknown.isNegated)
    return { at, operator: isOne ? 'ne' : 'notIn', value: isOne ? only : values }
  return { at, operator: isOne ? 'eq' : 'in', value: isOne ? only : values }
}

const toWordsOf = (text: string): string[] =>
  toPlain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** A filter on the word as typed; without regard to case, it finds texts with its letters. */
const holdsIn = (fields: readonly string[], word: string) => ({
  Logic: 'or',
  Filters: fields.map((Field) => ({ Field, Operator: 'contains', Value: word })),
})

/** The rows whose text equals the typed one; else rows whose text begins with it, or holds it. */
function nearest(rows: readonly Row[], names: (row: Row) => string[], words: readonly string[]) {
  const typed = words.join(' ')
  const rank = (row: Row): number => {
    const ranks = names(row).map((name) => {
      const plain = toWordsOf(name).join(' ')
      if (plain === typed) return 0
      if (plain.startsWith(`${typed} `)) return 1
      return ` ${plain} `.includes(` ${typed} `) ? 1.5 : Infinity
    })
    return Math.min(...ranks)
  }
  const ranked = rows.map((row) => ({ row, distance: rank(row) }))
  const distance = Math.min(...ranked.map((each) => each.distance))
  if (!Number.isFinite(distance)) return undefined
  return {
    distance,
    rows: ranked.flatMap((each) => (each.distance === distance ? [each.row] : [])),
  }
}
