/**
 * Warnings of authored SQL that silently gives wrong figures: it takes days and hours of an instant
 * by the clocks of UTC, or rounds Decimals in binary floats.
 */
import { isMark, isName, isWord, outline, type Outline } from '../../store/gate/outline.ts'
import { type Token, tokenize } from '../../store/gate/tokenize.ts'
import {
  COMPARE_MARKS,
  type FindColumnType,
  planTypes,
  splitAt,
  type TextSpan,
} from './output-types.ts'
import type { FieldType } from '../compiled/field-features.ts'
import type { Moment } from '../fields/field-kind.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

/** A warning, and the offset of what it is about. */
interface SqlAdvice {
  offset: number
  message: string
  /** True when it is about the caller's zone. */
  isOfZone: boolean
}

/** Types known for the names of a statement. */
export interface SqlNames {
  columnOf: FindColumnType
  parameterOf: FindColumnType
  /** True when a parameter is bound, by its lower-case name. */
  isBound: (key: string) => boolean
}

/** A statement with the types of its expressions. */
interface Typed extends SqlNames {
  text: string
  shape: Outline
  typeOf: (span: TextSpan) => FieldType | undefined
}

/** The warnings, in the order of the text. */
export function adviseOnSql(text: string, names: SqlNames): SqlAdvice[] {
  const shape = outline(tokenize(text))
  const typeOf = planTypes(shape, names.columnOf, names.parameterOf)
  const typed: Typed = { ...names, text, shape, typeOf }
  return shape.tokens.flatMap((token, at) => {
    const ofZone = adviseOnCut(typed, at) ?? adviseOnComparison(typed, at)
    const message = ofZone ?? adviseOnRounding(typed, at)
    const isOfZone = ofZone !== undefined
    return message === undefined ? [] : [{ offset: token.start, message, isOfZone }]
  })
}

/** Lists the spans of a call's arguments; undefined without a call at `at`. */
function argumentsAt({ shape }: Typed, at: number): TextSpan[] | undefined {
  const close = shape.partner.get(at + 1)
  if (close === undefined || close < at || !isMark(shape.tokens[at + 1], '(')) return undefined
  return splitAt(shape, { from: at + 2, to: close }, (token) => isMark(token, ','))
}

const textOf = ({ text, shape: { tokens } }: Typed, { from, to }: TextSpan): string =>
  text.slice(tokens[from]?.start, tokens[to - 1]?.end)

/** Functions that take a part of a time, with the place of the time among their arguments. */
const CUTTING: ReadonlyMap<string, number> = new Map([
  ['substr', 0],
  ['substring', 0],
  ['date', 0],
  ['time', 0],
  ['strftime', 1],
])
/** Formats with seconds write a whole instant, or its seconds. */
const WHOLE_FORMAT = /%[fsSTJ]/

function adviseOnCut(typed: Typed, at: number): string | undefined {
  const { tokens } = typed.shape
  const name = tokens[at]?.kind === 'word' ? (tokens[at]?.key ?? '') : ''
  const place = CUTTING.get(name)
  const given = place === undefined ? undefined : argumentsAt(typed, at)
  const time = given?.[place ?? 0]
  if (!given || !time || momentOf(typed.typeOf(time)) !== 'instant') return undefined
  const isCut = name === 'substr' || name === 'substring'
  if (!isCut && given.some((span) => isShift(typed, span))) return undefined
  const format = given[0] && tokens[given[0].from]
  if (name === 'strftime' && WHOLE_FORMAT.test(format?.value ?? '')) return undefined
  const instant = textOf(typed, time)
  if (/^@now$/i.test(instant))
    return `${name} takes the day or hour of @Now in UTC: write @Today for the caller's day`
  return `${name} goes by the clocks of UTC: ${joinZone(instant)}`
}

const joinZone = (instant: string): string =>
  `JOIN svc_zone z ON ${instant} >= z.FromAt AND ${instant} < z.ToAt, and write ` +
  `strftime('%Y-%m', ${instant}, z.Shift)`

/** True when a modifier turns the time into that of a zone. */
const isShift = ({ shape: { tokens } }: Typed, { from, to }: TextSpan): boolean =>
  tokens.slice(from, to).some(({ key }) => key === 'shift' || key === 'utcoffsetminutes')

/** Advises on an instant compared with a day, or with the beginning of one as LIKE has it. */
function adviseOnComparison(typed: Typed, at: number): string | undefined {
  const { tokens } = typed.shape
  const token = tokens[at]
  const isBetween = isWord(token, 'between')
  const isLike = isWord(token, 'like', 'glob')
  const isMarked = token?.kind === 'mark' && COMPARE_MARKS.includes(token.value)
  if (!isBetween && !isLike && !isMarked) return undefined
  const left = operandBefore(typed, isWord(tokens[at - 1], 'not') ? at - 1 : at)
  const right = operandAfter(typed, at + 1)
  if (!left || !right) return undefined
  const [first, second] = [typed.typeOf(left), typed.typeOf(right)]
  if (isLike) {
    if (momentOf(first) !== 'instant') return undefined
    return `${token?.value ?? ''} goes by the clocks of UTC: ${joinZone(textOf(typed, left))}`
  }
  if (momentOf(first) === 'instant' && isDay(typed, right, second))
    return adviseOnDay(typed, left, right)
  if (momentOf(second) === 'instant' && isDay(typed, left, first))
    return adviseOnDay(typed, right, left)
  return undefined
}

const DAY = /^\d{4}-\d\d(-\d\d)?$/

const momentOf = (type: FieldType | undefined): Moment | undefined =>
  type && FIELD_KINDS[type].moment

function isDay({ shape }: Typed, { from, to }: TextSpan, type: FieldType | undefined): boolean {
  const token = shape.tokens[from]
  return (
    momentOf(type) === 'day' || (to - from === 1 && token?.kind === 'text' && DAY.test(token.value))
  )
}

function adviseOnDay(typed: Typed, instant: TextSpan, day: TextSpan): string {
  const [one, other] = [textOf(typed, instant), textOf(typed, day)]
  const parameter = typed.shape.tokens
    .slice(day.from, day.to)
    .find(({ kind, key }) => kind === 'parameter' && typed.isBound(`${key}_start`))
  const advice = parameter
    ? `compare it with @${parameter.value}_Start or @${parameter.value}_End`
    : `JOIN svc_zone z ON ${one} >= z.FromAt AND ${one} < z.ToAt, and compare ` +
      `date(${one}, z.Shift)`
  return `${one} is an instant and ${other} a day, which begins at midnight UTC here: ${advice}`
}

const isOpenAround = (token: Token | undefined): boolean =>
  token?.kind === 'mark' && ['+', '-', '*', '/', '%', '||', '->', '->>'].includes(token.value)

/** The column, parameter, literal or call that ends before `end`. */
function operandBefore({ shape: { tokens, partner } }: Typed, end: number): TextSpan | undefined {
  const open = isMark(tokens[end - 1], ')') ? partner.get(end - 1) : undefined
  let from = open ?? end - 1
  if (open !== undefined && isName(tokens[open - 1]) && !isKeyword(tokens[open - 1])) from--
  if (open === undefined && isMark(tokens[from - 1], '.')) from -= 2
  return from < 0 || isOpenAround(tokens[from - 1]) ? undefined : { from, to: end }
}

/** The same that begins at `from`. */
function operandAfter({ shape: { tokens, partner } }: Typed, from: number): TextSpan | undefined {
  let to = from + 1
  if (isMark(tokens[from], '(')) to = (partner.get(from) ?? from) + 1
  else if (isMark(tokens[to], '.')) to += 2
  else if (isMark(tokens[to], '(')) to = (partner.get(to) ?? to) + 1
  return to > tokens.length || isOpenAround(tokens[to]) ? undefined : { from, to }
}

const isKeyword = (token: Token | undefined): boolean =>
  isWord(token, 'and', 'or', 'not', 'where', 'on', 'when', 'then', 'else', 'select', 'having', 'in')

/** Digits of an inner `round` that takes away nothing but what binary left. */
const REST_DIGITS = 4

function adviseOnRounding(typed: Typed, at: number): string | undefined {
  const { tokens } = typed.shape
  const token = tokens[at]
  const given = token?.kind === 'word' ? argumentsAt(typed, at) : undefined
  if (!given || !token) return undefined
  if (token.key === 'round' && given[0] && namesDecimal(typed, given[0]))
    return isRoundedTwice(typed, at, given) ? undefined : adviseOnRound
  const isFormat = token.key === 'printf' || token.key === 'format'
  const format = given[0] && tokens[given[0].from]?.value
  if (!isFormat || !/%[-+ 0,!]*\d*\.\d+f/.test(format ?? '')) return undefined
  return given.slice(1).some((span) => namesDecimal(typed, span))
    ? `${token.value} rounds a Decimal in binary floats (0.475 becomes 0.47): leave the number ` +
        'as it is, and give its Field, Column or Series a Format'
    : undefined
}

const adviseOnRound =
  'round counts in binary floats (0.475 becomes 0.47): leave it out, for the Scale of a Column ' +
  'or Field rounds right and a sum of Decimals needs no rounding; of a quotient write ' +
  'round(round(x * 100, 6)) / 100'

/** True when an expression has a Decimal of a table or a parameter in it. */
function namesDecimal({ shape: { tokens }, typeOf }: Typed, { from, to }: TextSpan): boolean {
  for (let at = from; at < to; at++) {
    const isNamed = tokens[at]?.kind === 'parameter' || isName(tokens[at])
    if (!isNamed || isMark(tokens[at + 1], '(') || isMark(tokens[at + 1], '.')) continue
    const type = typeOf({ from: at, to: at + 1 })
    if (type && FIELD_KINDS[type].number === 'scaled') return true
  }
  return false
}

/** `round(round(x * 100, 6))`: the inner one takes the rest away, the outer one rounds right. */
function isRoundedTwice(typed: Typed, at: number, given: readonly TextSpan[]): boolean {
  const { tokens, partner } = typed.shape
  const [value] = given
  if (value && isWord(tokens[value.from], 'round') && partner.get(value.from + 1) === value.to - 1)
    return isFine(typed, argumentsAt(typed, value.from))
  const outer = at - 2
  const end = partner.get(at + 1)
  const isInner = isWord(tokens[outer], 'round') && isMark(tokens[at - 1], '(')
  const isAlone =
    end !== undefined && (isMark(tokens[end + 1], ')') || isMark(tokens[end + 1], ','))
  return isInner && isAlone && isFine(typed, given)
}

function isFine({ shape: { tokens } }: Typed, given: readonly TextSpan[] | undefined): boolean {
  const digits = given?.[1] && tokens[given[1].from]
  return digits?.kind === 'number' && Number(digits.value) >= REST_DIGITS
}
