/**
 * Types of a query's output columns, by its text: a column straight from a table has that column's
 * type, the rest that of their expressions. Nothing runs. The decimal places of sums, differences
 * and products are found by `output-scales.ts`.
 */
import { isMark, isName, isWord, outline, type Outline } from '../../store/gate/outline.ts'
import { type Token, tokenize } from '../../store/gate/tokenize.ts'
import type { FieldType } from '../compiled/field-features.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

/** The type of a table's column by its lower-case name; undefined where it is not sure. */
export type FindColumnType = (key: string) => FieldType | undefined

/** Tokens of an expression: from the first to before the end. */
export interface TextSpan {
  from: number
  to: number
}

interface Known {
  shape: Outline
  columnOf: FindColumnType
  /** Expressions by the lower-case name that any SELECT of the text gives them. */
  named: ReadonlyMap<string, readonly TextSpan[]>
  /** The type of a parameter by its lower-case name. */
  parameterOf: FindColumnType
  /** Types of spans that were looked up; undefined at first: one may hold its own name. */
  found: Map<TextSpan, FieldType | undefined>
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const INTEGERS = words(`count length octet_length instr unicode sign unixepoch row_number rank
  dense_rank ntile json_array_length json_valid likelihood`)
const TEXTS = words(`lower upper trim ltrim rtrim substr substring replace printf format char concat
  group_concat string_agg hex typeof quote strftime time datetime timediff soundex json_type`)
export const OF_ARGUMENTS =
  words(`coalesce ifnull max min iif nullif lag lead first_value last_value
  nth_value likely unlikely`)
const DECIMALS = words(`avg total round julianday percent_rank cume_dist acos acosh asin asinh atan
  atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power radians sin
  sinh sqrt tan tanh trunc`)
const CASTS: Readonly<Record<string, FieldType>> = {
  integer: 'Integer',
  int: 'Integer',
  real: 'Decimal',
  numeric: 'Decimal',
  decimal: 'Decimal',
  text: 'Text',
}
export const COMPARES = words('and or not in like glob between is isnull notnull exists')
export const COMPARE_MARKS = ['=', '==', '<>', '!=', '<', '<=', '>', '>=']
export const ARITHMETIC = ['+', '-', '*', '/', '%', '&', '|', '<<', '>>']
const ENDS_ITEMS = ['from', 'where', 'group', 'order', 'limit', 'union', 'intersect', 'except']

/** Output columns by lower-case name, each with the type of its expression where that is known. */
export function findOutputTypes(
  text: string,
  columnOf: FindColumnType,
): ReadonlyMap<string, FieldType> {
  const shape = outline(tokenize(text))
  const typeOf = planTypes(shape, columnOf)
  return new Map(
    listItems(shape, shape.verbAt).flatMap(({ name, ...span }) => {
      const type = typeOf(span)
      return type === undefined ? [] : [[name, type] as const]
    }),
  )
}

/** Gives the type of any expression of a statement. */
export function planTypes(
  shape: Outline,
  columnOf: FindColumnType,
  parameterOf: FindColumnType = () => undefined,
): (span: TextSpan) => FieldType | undefined {
  const known: Known = {
    shape,
    columnOf,
    parameterOf,
    named: listNamed(shape),
    found: new Map(),
  }
  return (span) => typeOf(known, span)
}

/** Expressions by the lower-case name that any SELECT of the text gives them. */
function listNamed(shape: Outline): ReadonlyMap<string, readonly TextSpan[]> {
  const items = shape.tokens.flatMap((token, at) =>
    isWord(token, 'select') ? listItems(shape, at) : [],
  )
  return Map.groupBy(items, ({ name }) => name)
}

/** Lists the items of a SELECT, by the name that each has. */
export function listItems(shape: Outline, selectAt: number): (TextSpan & { name: string })[] {
  const { tokens } = shape
  return listExpressions(shape, selectAt).flatMap((item) => {
    const last = tokens[item.to - 1]
    if (!isName(last) || isWord(last, 'end')) return []
    if (isWord(tokens[item.to - 2], 'as'))
      return [{ name: last.key, from: item.from, to: item.to - 2 }]
    const isPath = item.to - item.from === 1 || isMark(tokens[item.to - 2], '.')
    return [{ name: last.key, from: item.from, to: isPath ? item.to : item.to - 1 }]
  })
}

/** Lists the expressions of a SELECT, each with the name that it may have. */
export function listExpressions(shape: Outline, selectAt: number): TextSpan[] {
  const { tokens } = shape
  const from = selectAt + (isWord(tokens[selectAt + 1], 'distinct', 'all') ? 2 : 1)
  let to = from
  for (; to < tokens.length && !isMark(tokens[to], ')'); to = next(shape, to))
    if (isWord(tokens[to], ...ENDS_ITEMS)) break
  return splitAt(shape, { from, to }, (token) => isMark(token, ','))
}

/** The token behind this one; brackets count as one. */
export const next = ({ tokens, partner }: Outline, at: number): number =>
  (isMark(tokens[at], '(') ? (partner.get(at) ?? at) : at) + 1

/** Splits a span at tokens outside of brackets and of CASE. */
export function splitAt(
  shape: Outline,
  { from, to }: TextSpan,
  isBreak: (token: Token) => boolean,
): TextSpan[] {
  const parts: TextSpan[] = []
  let start = from
  let cases = 0
  for (let at = from; at < to; at = next(shape, at)) {
    const token = shape.tokens[at]
    if (isWord(token, 'case')) cases++
    if (isWord(token, 'end')) cases--
    if (!token || cases > 0 || !isBreak(token)) continue
    parts.push({ from: start, to: at })
    start = at + 1
  }
  return [...parts, { from: start, to }]
}

function typeOf(known: Known, span: TextSpan): FieldType | undefined {
  const { shape } = known
  const { tokens, partner } = shape
  const parts = (isBreak: (token: Token) => boolean): TextSpan[] => splitAt(shape, span, isBreak)
  const isCompare = (token: Token): boolean =>
    (token.kind === 'word' && COMPARES.has(token.key)) ||
    (token.kind === 'mark' && COMPARE_MARKS.includes(token.value))
  if (parts(isCompare).length > 1) return 'Integer'
  const terms = parts((token) => token.kind === 'mark' && ARITHMETIC.includes(token.value))
  const isCall = isMark(tokens[span.from + 1], '(') && partner.get(span.from + 1) === span.to - 1
  const isStar = span.to - span.from === 1 && isMark(tokens[span.from], '*')
  if (terms.length > 1 && !isStar) return typeOfTerms(known, terms)
  if (parts((token) => isMark(token, '||')).length > 1) return 'Text'
  if (isMark(tokens[span.from], '(') && partner.get(span.from) === span.to - 1)
    return typeInBrackets(known, { from: span.from + 1, to: span.to - 1 })
  if (isWord(tokens[span.from], 'case')) return typeOfCase(known, span)
  if (isCall) return typeOfCall(known, span)
  const [call] = parts((token) => isWord(token, 'over', 'filter'))
  return call && call.to < span.to ? typeOf(known, call) : typeOfName(known, span)
}

const isWhole = (type: FieldType | undefined): boolean =>
  type !== undefined && FIELD_KINDS[type].number === 'whole'

/** Whole numbers alone give a whole number. */
const typeOfTerms = (known: Known, terms: readonly TextSpan[]): FieldType =>
  terms.filter(({ from, to }) => to > from).every((term) => isWhole(typeOf(known, term)))
    ? 'Integer'
    : 'Decimal'

function typeInBrackets(known: Known, span: TextSpan): FieldType | undefined {
  const { shape } = known
  if (!isWord(shape.tokens[span.from], 'select')) return typeOf(known, span)
  const to = shape.tokens.findIndex((token, at) => at > span.from && isWord(token, 'from'))
  const [item] = listItems(shape, span.from)
  return typeOf(known, item ?? { from: span.from + 1, to: to < 0 ? span.to : to })
}

/** The type of the first result that has one. */
function typeOfCase(known: Known, { from, to }: TextSpan): FieldType | undefined {
  const inner = { from: from + 1, to: to - 1 }
  const branches = splitAt(known.shape, inner, (token) => isWord(token, 'when', 'then', 'else'))
  const results = branches.filter(({ from: at }) =>
    isWord(known.shape.tokens[at - 1], 'then', 'else'),
  )
  return firstType(known, results)
}

function firstType(known: Known, spans: readonly TextSpan[]): FieldType | undefined {
  for (const span of spans) {
    const type = typeOf(known, span)
    if (type !== undefined) return type
  }
  return undefined
}

function typeOfCall(known: Known, { from, to }: TextSpan): FieldType | undefined {
  const name = known.shape.tokens[from]?.key ?? ''
  const inner = { from: from + 2, to: to - 1 }
  if (name === 'cast') return CASTS[known.shape.tokens[inner.to - 1]?.key ?? '']
  if (INTEGERS.has(name)) return 'Integer'
  if (DECIMALS.has(name)) return 'Decimal'
  if (TEXTS.has(name)) return 'Text'
  if (name === 'date') return 'Date'
  const given = splitAt(known.shape, inner, (token) => isMark(token, ','))
  if (name === 'sum' || name === 'abs') return typeOfTerms(known, given)
  if (!OF_ARGUMENTS.has(name)) return undefined
  return firstType(known, name === 'iif' ? given.slice(1) : given)
}

/** A literal, or a column: of an inner SELECT, else of a table. */
function typeOfName(known: Known, { from, to }: TextSpan): FieldType | undefined {
  const { shape, columnOf } = known
  const token = shape.tokens[to - 1]
  const isPath = to - from === 1 || isMark(shape.tokens[to - 2], '.')
  if (!token || !isPath) return undefined
  if (token.kind === 'number') return /^[0-9]+$/.test(token.value) ? 'Integer' : 'Decimal'
  if (token.kind === 'text') return 'Text'
  if (token.kind === 'parameter') return known.parameterOf(token.key)
  if (!isName(token) || isWord(token, 'null')) return undefined
  return typeOfNamed(known, token.key, from) ?? columnOf(token.key)
}

/** The type of an expression that another SELECT calls so; `at` is the offset of the name. */
function typeOfNamed(known: Known, name: string, at: number): FieldType | undefined {
  const { named, found } = known
  for (const span of named.get(name) ?? []) {
    if (span.from <= at && at < span.to) continue
    if (!found.has(span)) {
      found.set(span, undefined)
      found.set(span, typeOf(known, span))
    }
    const type = found.get(span)
    if (type !== undefined) return type
  }
  return undefined
}
