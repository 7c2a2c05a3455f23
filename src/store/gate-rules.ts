/** The gate's first pass: rules that a statement's tokens must keep. */
import { SqlFault, findNearestName } from './gate-fault.ts'
import {
  BRACKET_WORDS,
  FUNCTION_HINTS,
  FUNCTIONS,
  MODULES,
  PUBLISHED_TABLES,
} from './gate-lists.ts'
import { requireArguments } from './gate-arguments.ts'
import { requireBoundedCtes, requireBoundedSize } from './gate-expansion.ts'
import { isMark, isName, isWord, mayReadTable, type Cte, type Outline } from './gate-outline.ts'
import type { Token } from './tokenize.ts'

/** What the rules must know of the database. */
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
    throw new SqlFault(`${name.value} is taken: give this WITH expression another name`, name.start)
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
    // Where a string may be data as well, pass two sees what it opens, but for these.
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

/** Whether a string stands where SQLite takes it as the name of a table for certain. */
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

/** To SQLite `@id` and `@Id` are two parameters, to a request one. */
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
