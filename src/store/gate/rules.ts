/** The gate's first pass: rules that a statement's tokens must keep. */
import { findNearestName } from '../../kernel/nearest-name.ts'
import { requireBoundedCtes, requireBoundedSize } from './expansion.ts'
import { SqlFault } from './fault.ts'
import {
  BRACKET_WORDS,
  CAST_TYPES,
  DATE_FUNCTIONS,
  FORMAT_FUNCTIONS,
  FUNCTION_HINTS,
  FUNCTIONS,
  MODULES,
  PUBLISHED_TABLES,
} from './lists.ts'
import { type Cte, isMark, isName, isWord, mayReadTable, type Outline } from './outline.ts'
import type { Token } from './tokenize.ts'
import { ZONE_PARAMETER, ZONE_TABLE } from '../read/zone-table.ts'

/** Names of the database that the rules must know. */
export interface KnownNames {
  /** Lower-case table names, published engine tables included. */
  tables: ReadonlySet<string>
  /** Lower-case column names of all tables. */
  columns: ReadonlySet<string>
  /** Lower-case names of all virtual table modules that the library carries. */
  modules: ReadonlySet<string>
  /** Lower-case names of tables that are there and that authored SQL may not name. */
  hidden: ReadonlySet<string>
}

const ROWID_NAMES: ReadonlySet<string> = new Set(['rowid', 'oid', '_rowid_'])
const CLOCK_WORDS: ReadonlySet<string> = new Set([
  'current_date',
  'current_time',
  'current_timestamp',
])

/**
 * Holds every token to the rules that reads, writes and conditions share.
 *
 * @throws SqlFault at the first token that breaks one
 */
export function requireRules(shape: Outline, known: KnownNames): void {
  for (const cte of shape.ctes) requireOwnName(cte, known)
  for (const [at, token] of shape.tokens.entries()) {
    if (token.kind === 'parameter' && token.key === ZONE_PARAMETER)
      throw new SqlFault(`@${token.value} is the engine's: read ${ZONE_TABLE}`, token.start)
    if (token.kind === 'blob')
      throw new SqlFault("BLOB literals (x'…') are not available", token.start)
    if (!isName(token)) continue
    requireReachableName(shape.tokens, at, token, known)
    if (token.kind !== 'text') requireAvailableWord(shape.tokens, at, token, known)
    if (isMark(shape.tokens[at + 1], '(')) requireCallable(shape, at, token)
  }
  requireOneSpelling(shape.tokens)
  requireBoundedCtes(shape)
  requireBoundedSize(shape, known.tables)
}

/** A common table expression may not bear a name that means something else to the engine. */
function requireOwnName({ name }: Cte, known: KnownNames): void {
  const isTaken =
    known.tables.has(name.key) ||
    known.modules.has(name.key) ||
    /^(svc|sqlite|pragma)_/.test(name.key)
  if (isTaken)
    throw new SqlFault(
      `${name.value} is already used: give this WITH expression another name`,
      name.start,
    )
}

/** Schemas, the engine's own tables, unlisted modules: however the name is quoted. */
function requireReachableName(
  tokens: readonly Token[],
  at: number,
  token: Token,
  known: KnownNames,
): void {
  const qualifies = isMark(tokens[at + 1], '.')
  if (qualifies && (token.key === 'main' || token.key === 'temp'))
    throw new SqlFault(`Name tables without "${token.value}."`, token.start)
  if (qualifies && isName(tokens[at + 2]) && isMark(tokens[at + 3], '.'))
    throw new SqlFault('Name columns by their table or its alias, without a schema', token.start)
  if (token.kind === 'text' && !mustNameTable(tokens, at)) {
    // If a string may be data as well, pass two sees what it opens, but for these.
    if (known.hidden.has(token.key) && mayReadTable(tokens, at))
      throw new SqlFault(`${token.value} is not available`, token.start)
    return
  }
  if (/^(sqlite|pragma)_/.test(token.key))
    throw new SqlFault(`${token.value} is not available`, token.start)
  if (token.key.startsWith('svc_') && !Object.hasOwn(PUBLISHED_TABLES, token.key))
    throw new SqlFault(
      `Of the engine's tables only ${Object.keys(PUBLISHED_TABLES).join(', ')} may be read`,
      token.start,
    )
  if (known.modules.has(token.key) && !MODULES.has(token.key))
    throw new SqlFault(`The table function ${token.value} is not available`, token.start)
}

/** Checks that SQLite takes a string at this place as the name of a table for certain. */
const mustNameTable = (tokens: readonly Token[], at: number): boolean =>
  isMark(tokens[at + 1], '(') || isWord(tokens[at - 1], 'from', 'join', 'into', 'update')

function requireAvailableWord(
  tokens: readonly Token[],
  at: number,
  token: Token,
  known: KnownNames,
): void {
  if (ROWID_NAMES.has(token.key) && !known.columns.has(token.key))
    throw new SqlFault(`${token.value} is not available: use the key columns`, token.start)
  if (token.kind !== 'word') return
  if (CLOCK_WORDS.has(token.key))
    throw new SqlFault(`Write @Now or @Today instead of ${token.value}`, token.start)
  if (token.key === 'indexed' && isWord(tokens[at + 1], 'by'))
    throw new SqlFault('INDEXED BY is not available: SQLite chooses the index', token.start)
}

/** A name before a bracket is a function of the list, or no call at all. */
function requireCallable(shape: Outline, at: number, token: Token): void {
  const { tokens } = shape
  if (token.kind === 'word' && BRACKET_WORDS.has(token.key)) {
    if (token.key === 'cast') requireArguments(shape, at)
    return
  }
  if (shape.ctes.some((cte) => cte.at === at) || at === shape.targetAt) return
  if (isTargetAlias(shape, at) || isTypeName(shape, at)) return
  if (token.kind !== 'text' && FUNCTIONS.has(token.key)) {
    requireArguments(shape, at)
    return
  }
  if (isMark(tokens[at - 1], '.'))
    throw new SqlFault(`${token.value} is a column: it takes no brackets`, token.start)
  throw refuseFunction(token)
}

function refuseFunction(token: Token): SqlFault {
  const hint = FUNCTION_HINTS.get(token.key)
  const nearest = findNearestName(token.key, FUNCTIONS)
  const advice = hint ? `: ${hint}` : nearest ? `; the nearest is ${nearest}` : ''
  return new SqlFault(`The function ${token.value} is not available${advice}`, token.start)
}

/** `INSERT INTO orders AS o (Number) …`. */
const isTargetAlias = ({ targetAt, tokens }: Outline, at: number): boolean =>
  targetAt !== undefined && at === targetAt + 2 && isWord(tokens[at - 1], 'as')

/** `CAST(Total AS DECIMAL(10, 2))`: the type is held to its list with its CAST. */
function isTypeName({ tokens, partner }: Outline, at: number): boolean {
  let from = at - 1
  while (tokens[from]?.kind === 'word' && !isWord(tokens[from], 'as')) from--
  const close = partner.get(at + 1)
  const open = close === undefined ? undefined : partner.get(close + 1)
  return isWord(tokens[from], 'as') && open !== undefined && isWord(tokens[open - 1], 'cast')
}

/** Requires one spelling: to SQLite `@id` and `@Id` are two parameters, to a request one. */
function requireOneSpelling(tokens: readonly Token[]): void {
  const spellings = new Map<string, string>()
  for (const token of tokens) {
    if (token.kind !== 'parameter') continue
    const first = spellings.get(token.key) ?? token.value
    spellings.set(token.key, first)
    if (first !== token.value)
      throw new SqlFault(
        `@${token.value} is also written @${first}: write it in one way`,
        token.start,
      )
  }
}

/** A call: the name of the function, and the tokens of each argument. */
interface Call {
  name: Token
  parts: (readonly Token[])[]
}

/**
 * Holds the arguments of the call at `at` to the rules of its function.
 *
 * @throws SqlFault for a date function that would read the clock, a format or character that could
 *   make text that is not UTF-8 or has no bounds, a CAST to anything but the plain types
 */
function requireArguments(shape: Outline, at: number): void {
  const name = shape.tokens[at]
  if (!name) return
  const call = { name, parts: splitArguments(shape, at + 1) }
  if (DATE_FUNCTIONS.has(name.key)) requireGivenTime(call)
  if (FORMAT_FUNCTIONS.has(name.key)) requireBoundedFormat(call)
  if (name.key === 'char') requireCharacters(call)
  if (name.key === 'cast' && name.kind === 'word') requirePlainType(call)
}

function splitArguments({ tokens, partner }: Outline, open: number): Token[][] {
  const close = partner.get(open) ?? open
  if (close === open + 1) return []
  const parts: Token[][] = [[]]
  for (let at = open + 1; at < close; at++) {
    const token = tokens[at]
    if (!token) break
    if (isMark(token, ',')) {
      parts.push([])
      continue
    }
    const end = isMark(token, '(') ? (partner.get(at) ?? at) : at
    parts.at(-1)?.push(...tokens.slice(at, end + 1))
    at = end
  }
  return parts
}

const CLOCKS: ReadonlySet<string> = new Set(['now', 'subsec', 'subsecond'])
const ZONES: ReadonlySet<string> = new Set(['localtime', 'utc'])

/** Requires a time value: without one, or with 'now' or 'subsec', SQLite takes the clock. */
function requireGivenTime({ name, parts }: Call): void {
  const times = name.key === 'strftime' ? parts.slice(1, 2) : parts.slice(0, 1)
  if (name.key === 'timediff') times.push(...parts.slice(1, 2))
  if (times.length === 0)
    throw new SqlFault(`Give ${name.value} a time, such as @Now or @Today`, name.start)
  const strings = parts.flat().filter((token) => token.kind === 'text')
  const clock =
    strings.find((token) => token.key === 'now') ??
    times.flat().find((token) => token.kind === 'text' && CLOCKS.has(token.key))
  if (clock) throw new SqlFault(`Write @Now or @Today instead of '${clock.value}'`, clock.start)
  const zone = strings.find((token) => ZONES.has(token.key))
  if (zone)
    throw new SqlFault(
      `'${zone.value}' is the server's own zone: add @UtcOffsetMinutes || ' minutes' instead`,
      zone.start,
    )
}

const FORMAT_PART = /%(?:%|[-+ 0,!]*\d{0,3}(?:(?:\.\d{1,2})?[dieEfgGxXou]|s))|[^%]/gy

/** Widths of three digits at most, and no precision for text: it would cut letters into bytes. */
function requireBoundedFormat({ name, parts }: Call): void {
  const first = parts[0]
  const format = first?.length === 1 ? first[0] : undefined
  const isBounded = format?.kind === 'text' && format.value.replace(FORMAT_PART, '') === ''
  if (!isBounded)
    throw new SqlFault(
      `${name.value} begins with a format in quotes made of %d %s %f %x %e %g and %%, ` +
        'with up to three digits of width and no precision for %s',
      format?.start ?? name.start,
    )
}

/** Requires codes of characters. A surrogate is not one: text that holds one is not UTF-8. */
function requireCharacters({ name, parts }: Call): void {
  const isPlain = parts.every((part) => {
    const code = part.length === 1 && part[0]?.kind === 'number' ? Number(part[0].value) : NaN
    return Number.isInteger(code) && code > 0 && !(code >= 0xd800 && code <= 0xdfff)
  })
  if (!isPlain)
    throw new SqlFault('char takes numbers of characters only, such as char(10)', name.start)
}

function requirePlainType({ name, parts }: Call): void {
  const whole = parts.flat()
  const typeAt = whole.findLastIndex((token) => isWord(token, 'as')) + 1
  const size = whole.findIndex((token, at) => at >= typeAt && isMark(token, '('))
  const words = whole.slice(typeAt, size < 0 ? undefined : size)
  const isPlain = words.every((token) => token.kind === 'word' && CAST_TYPES.has(token.key))
  if (typeAt === 0 || words.length === 0 || !isPlain)
    throw new SqlFault('CAST takes TEXT, INTEGER, REAL or NUMERIC', words[0]?.start ?? name.start)
}
