/**
 * Joins of an instant with `svc_zone`, the caller's zone as spans of instants, made fast. SQLite
 * finds a range between two columns by trying every span on every row. A copy of the table with a
 * row for each year of a span is found by an equality, so the join asks that copy, and names the
 * year of the instant besides. The rows are the same: an instant falls in one year of one span.
 */
import { SqlFault } from '../gate/fault.ts'
import { isMark, isWord, outline, type Outline } from '../gate/outline.ts'
import { type Token, tokenize } from '../gate/tokenize.ts'
import { composeZoneYear, ZONE_TABLE, ZONE_YEAR_COLUMN, ZONE_YEARS_TABLE } from './zone-table.ts'

/** A change of the text: what goes in at `start` in the place of the text up to `end`. */
interface Edit {
  start: number
  end: number
  text: string
}

/**
 * A statement behind its shadows with its joins of `svc_zone` by year, where it joins as the
 * reference shows: `JOIN svc_zone z ON o.At >= z.FromAt AND o.At < z.ToAt`, or with both conditions
 * behind WHERE. Any other text is returned as it is.
 */
export function joinZoneByYear(text: string): string {
  if (!text.includes(ZONE_YEARS_TABLE)) return text
  const shape = outlineOf(text)
  const edits = shape?.tokens.flatMap((_, at) => planJoin(shape, at) ?? []) ?? []
  let done = 0
  let result = ''
  for (const { start, end, text: added } of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(done, start) + added
    done = end
  }
  return result + text.slice(done)
}

/** Outlines a statement; undefined where the gate does not take it, as for too long a text. */
function outlineOf(text: string): Outline | undefined {
  try {
    return outline(tokenize(text))
  } catch (error) {
    if (error instanceof SqlFault) return undefined
    throw error
  }
}

/** Checks that the SELECT around `at` has a `*` or `z.*`, which would show the copy's columns. */
function isShownWhole({ tokens, partner }: Outline, at: number): boolean {
  for (let before = at - 1; before >= 0; before--) {
    const open = partner.get(before)
    if (open !== undefined && open > before) return false
    if (open !== undefined) before = open
    else if (isMark(tokens[before], '*') && isStar(tokens[before - 1])) return true
  }
  return false
}

const isStar = (before: Token | undefined): boolean =>
  isWord(before, 'select', 'distinct', 'all') || isMark(before, ',') || isMark(before, '.')

/** The edits for the `svc_zone` at `at`; undefined where its join has another form. */
function planJoin(shape: Outline, at: number): Edit[] | undefined {
  const { tokens } = shape
  const table = tokens[at]
  const isTable = isWord(tokens[at - 1], 'from', 'join') || isMark(tokens[at - 1], ',')
  if (table?.key !== ZONE_TABLE || table.kind === 'text' || !isTable) return undefined
  if (isShownWhole(shape, at)) return undefined
  const alias = isWord(tokens[at + 1], 'as') ? tokens[at + 2] : tokens[at + 1]
  const isAliased = alias !== undefined && isPlainName(alias)
  const found = findRange(shape, at, isAliased ? alias.key : ZONE_TABLE)
  if (!found) return undefined
  const { instants, end, instant, name } = found
  const range = `${name}.${ZONE_YEAR_COLUMN} = ${composeZoneYear(instant)}`
  return [
    {
      start: table.start,
      end: table.end,
      text: isAliased ? ZONE_YEARS_TABLE : `${ZONE_YEARS_TABLE} AS ${ZONE_TABLE}`,
    },
    // So that no index on the instant tempts SQLite to read a table once for every span.
    ...instants.map((start) => ({ start, end: start, text: '+' })),
    { start: end, end, text: ` AND ${range}` },
  ]
}

/** Words that a condition of ON or WHERE ends with. */
const CLAUSES = [
  ...['join', 'left', 'inner', 'cross', 'right', 'full', 'natural', 'on', 'where'],
  ...['group', 'order', 'having', 'limit', 'union', 'except', 'intersect', 'window', 'returning'],
]
/** Joins that keep rows of `svc_zone` whatever their condition says, or have another one. */
const WHOLE = ['right', 'full', 'natural']
/** Words behind which no range can be found any more. */
const ENDS = ['group', 'order', 'having', 'limit', 'union', 'except', 'intersect', 'window']
const KEYWORDS: ReadonlySet<string> = new Set([...CLAUSES, 'as', 'using', 'set', 'not'])

const isPlainName = ({ kind, key }: Token): boolean =>
  kind === 'name' || (kind === 'word' && !KEYWORDS.has(key))

/** The two comparisons that hold an instant to a span. */
interface Range {
  /** The instant, as it is written. */
  instant: string
  /** The two offsets of the instant. */
  instants: number[]
  /** Offset behind the second comparison. */
  end: number
  /** The table as it is qualified there. */
  name: string
}

/** Looks for the range behind an ON or the WHERE that the table's rows certainly pass. */
function findRange({ tokens, partner }: Outline, at: number, alias: string): Range | undefined {
  let joinAt = isWord(tokens[at - 1], 'join') ? at - 1 : undefined
  if (tokens.slice(at - 3, at).some((each) => isWord(each, ...WHOLE))) return undefined
  for (let next = at + 1; next < tokens.length; next++) {
    const close = partner.get(next)
    if (close !== undefined && close < next) return undefined
    if (close !== undefined) next = close
    const token = tokens[next]
    if (isWord(token, ...WHOLE, 'using', ...ENDS)) return undefined
    if (isWord(token, 'join')) joinAt = next
    if (!isWord(token, 'on', 'where')) continue
    const isOwn = joinAt === at - 1
    const mayLack = !isOwn && joinAt !== undefined && isWord(tokens[joinAt - 1], 'left', 'outer')
    if (isWord(token, 'on') && mayLack) continue
    const range = listConjuncts({ tokens, partner }, next + 1)
      .map((from) => readRange(tokens, from, alias))
      .find((each) => each !== undefined)
    if (range) return range
  }
  return undefined
}

/** Lists where the parts of a condition begin that all must hold; empty where that is unsure. */
function listConjuncts({ tokens, partner }: Pick<Outline, 'tokens' | 'partner'>, from: number) {
  const starts = [from]
  for (let at = from; at < tokens.length; at++) {
    const close = partner.get(at)
    if (close !== undefined && close < at) break
    if (close !== undefined) at = close
    else if (isWord(tokens[at], 'or', 'case', 'between')) return []
    else if (isWord(tokens[at], 'and')) starts.push(at + 1)
    else if (isWord(tokens[at], ...CLAUSES)) break
  }
  return starts
}

/** `X >= z.FromAt AND X < z.ToAt`, in any order, each either way round. */
function readRange(tokens: readonly Token[], at: number, alias: string): Range | undefined {
  const first = readComparison(tokens, at, alias)
  if (!first || !isWord(tokens[first.next], 'and')) return undefined
  const second = readComparison(tokens, first.next + 1, alias)
  if (second?.instant.key !== first.instant.key) return undefined
  if (new Set([first.bound, second.bound]).size < 2) return undefined
  const behind = tokens[second.next]
  const isEnd = behind === undefined || isMark(behind, ')') || isWord(behind, 'and', ...CLAUSES)
  if (!isEnd) return undefined
  return {
    instant: first.instant.text,
    instants: [first.instant.start, second.instant.start],
    end: tokens[second.next - 1]?.end ?? 0,
    name: first.name,
  }
}

interface Operand {
  key: string
  text: string
  start: number
  next: number
}

interface SpanComparison {
  bound: string
  instant: Operand
  name: string
  /** Index of the token behind it. */
  next: number
}

const FORMS: Readonly<Record<string, readonly [operator: string, turned: string]>> = {
  fromat: ['>=', '<='],
  toat: ['<', '>'],
}

function readComparison(
  tokens: readonly Token[],
  at: number,
  alias: string,
): SpanComparison | undefined {
  const left = readOperand(tokens, at)
  const right = left && readOperand(tokens, left.next + 1)
  if (!left || !right) return undefined
  const operator = tokens[left.next]
  for (const [bound, [straight, turned]] of Object.entries(FORMS)) {
    const key = `${alias}.${bound}`
    if (right.key === key && left.key !== key && isMark(operator, straight))
      return { bound, instant: left, name: nameOf(right), next: right.next }
    if (left.key === key && right.key !== key && isMark(operator, turned))
      return { bound, instant: right, name: nameOf(left), next: right.next }
  }
  return undefined
}

const nameOf = ({ text }: Operand): string => text.slice(0, text.lastIndexOf('.'))

/** A column: `At` or `o.At`. */
function readOperand(tokens: readonly Token[], at: number): Operand | undefined {
  const [one, dot, other] = tokens.slice(at, at + 3)
  if (!one || !isPlainName(one)) return undefined
  if (!isMark(dot, '.')) return { key: one.key, text: write(one), start: one.start, next: at + 1 }
  if (!other || (other.kind !== 'word' && other.kind !== 'name')) return undefined
  return {
    key: `${one.key}.${other.key}`,
    text: `${write(one)}.${write(other)}`,
    start: one.start,
    next: at + 3,
  }
}

const write = ({ value }: Token): string => `"${value.replaceAll('"', '""')}"`
