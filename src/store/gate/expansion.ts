/**
 * Bounds what a short text costs to prepare, where no deadline reaches: SQLite copies a WITH
 * expression at each mention, so that thirty short ones can keep it busy for good.
 */
import { SqlFault } from './fault.ts'
import {
  BRACKET_DEPTH_MAX,
  type Cte,
  isMark,
  isName,
  isWord,
  mayReadTable,
  type Outline,
} from './outline.ts'

/** Most copies of its WITH expressions that a statement may make. */
const EXPANSIONS_MAX = 500

/** Tokens of a statement: beyond them SQLite takes long for many a shape. */
const TOKENS_MAX = 8000

/** Words whose cost to SQLite's planner grows by a power of their number, and how many may be. */
const WORDS_MAX: Readonly<Record<string, number>> = {
  natural: 8,
  over: 100,
  using: 12,
  when: 400,
  select: 120,
  union: 30,
  except: 30,
  intersect: 30,
  as: 1000,
}

/** Tables and WITH expressions that one FROM may join. */
const SOURCES_MAX = 24
/** Calls of functions in a statement. */
const CALLS_MAX = 300
/** Rows of VALUES and of lists of rows. */
const ROWS_MAX = 500
/** Most times that columns of the innermost of nested queries are written out in the outermost. */
const COPIES_MAX = 5000

/** @throws SqlFault for more costly parts to prepare than a statement may hold */
export function requireBoundedSize(shape: Outline, tables: ReadonlySet<string>): void {
  const { tokens } = shape
  if (tokens.length > TOKENS_MAX)
    throw new SqlFault(`The statement has more than ${TOKENS_MAX} words and signs`, 0)
  requireBoundedWords(shape)
  requireBounded(tokens, CALLS_MAX, 'calls of functions', (at) => isCall(tokens, at))
  requireBounded(tokens, ROWS_MAX, 'rows in a list', (at) => isRowEnd(tokens, at))
  requireBoundedJoins(shape, tables)
  requireBoundedNesting(shape)
}

const isCall = (tokens: Outline['tokens'], at: number): boolean =>
  tokens[at]?.kind === 'word' &&
  isMark(tokens[at + 1], '(') &&
  !BRACKETED.has(tokens[at]?.key ?? '')

/** Keywords before a bracket that calls nothing. */
const BRACKETED: ReadonlySet<string> = new Set(
  'in as and or not from join on where values exists select when then else by having over'.split(
    ' ',
  ),
)

const isRowEnd = (tokens: Outline['tokens'], at: number): boolean =>
  isMark(tokens[at], ')') && isMark(tokens[at + 1], ',') && isMark(tokens[at + 2], '(')

function requireBounded(
  tokens: Outline['tokens'],
  limit: number,
  what: string,
  counts: (at: number) => boolean,
): void {
  let count = 0
  for (const [at, { start }] of tokens.entries())
    if (counts(at) && ++count > limit)
      throw new SqlFault(`More than ${limit} ${what} in a statement`, start)
}

function requireBoundedWords({ tokens }: Outline): void {
  for (const [word, limit] of Object.entries(WORDS_MAX)) {
    const name = `times ${word.toUpperCase()}`
    requireBounded(tokens, limit, name, (at) => isWord(tokens[at], word))
  }
}

/** Bounds the joins of each list; a bracket and a SELECT each begin a list of their own. */
function requireBoundedJoins({ tokens, ctes }: Outline, tables: ReadonlySet<string>): void {
  const names = new Set([...tables, ...ctes.map(({ name }) => name.key)])
  const counts = [0]
  for (const [at, token] of tokens.entries()) {
    if (isMark(token, '(')) counts.push(0)
    else if (isMark(token, ')')) counts.pop()
    else if (isWord(token, 'select')) counts[counts.length - 1] = 0
    const isSource = names.has(token.key) && mayReadTable(tokens, at)
    const isQuery = isMark(token, '(') && isWord(tokens[at - 1], 'from', 'join')
    if (!isSource && !isQuery) continue
    const list = counts.length - (isQuery ? 2 : 1)
    const count = (counts[list] ?? 0) + 1
    counts[list] = count
    if (count > SOURCES_MAX)
      throw new SqlFault(`More than ${SOURCES_MAX} tables in a FROM`, token.start)
  }
}

/**
 * SQLite puts the expressions of an inner query in the place of each mention of its columns, so
 * that a name mentioned four times on each of twelve levels is written out 16 million times.
 */
function requireBoundedNesting(shape: Outline): void {
  const { tokens, ctes } = shape
  const known = new Map<number, number>()
  const costOf = (open: number, close: number, depth: number): number => {
    const counted = known.get(open)
    if (counted !== undefined || depth > ctes.length + BRACKET_DEPTH_MAX) return counted ?? 1
    const { most, inner } = readLevel(shape, open, close)
    const costs = inner.map(([from, to]) => costOf(from, to, depth + 1))
    const cost = Math.max(1, ...costs) * (costs.length > 0 ? Math.max(1, most) : 1)
    known.set(open, cost)
    if (cost > COPIES_MAX)
      throw new SqlFault(
        'Nested queries that mention a column several times each grow too large: name it once',
        tokens[Math.max(0, open)]?.start ?? 0,
      )
    return cost
  }
  costOf(-1, tokens.length, 0)
}

/** How often the most frequent name is mentioned between two brackets, and the queries in there. */
function readLevel({ tokens, partner, ctes }: Outline, open: number, close: number) {
  const counts = new Map<string, number>()
  const inner: [number, number][] = []
  for (let at = open + 1; at < close; at++) {
    const token = tokens[at]
    const end = partner.get(at)
    if (end !== undefined && end > at && isWord(tokens[at + 1], 'select', 'with', 'values')) {
      if (!ctes.some((cte) => cte.open === at)) inner.push([at, end])
      at = end
    } else if (token && isName(token) && token.kind !== 'text') {
      const cte = mayReadTable(tokens, at) && ctes.find(({ name }) => name.key === token.key)
      if (cte && cte.at !== at && !(cte.open < at && at < cte.close))
        inner.push([cte.open, cte.close])
      else if (!isMark(tokens[at + 1], '.') && !WORDS.has(token.key))
        counts.set(token.key, (counts.get(token.key) ?? 0) + 1)
    }
  }
  return { most: Math.max(0, ...counts.values()), inner }
}

/** Frequent words that do not name a column. */
const WORDS: ReadonlySet<string> = new Set(
  `and or not as on in is null when then else end case from join left inner where by select
  between like coalesce sum count min max round cast real integer text iif desc asc`.split(/\s+/),
)

/**
 * @throws SqlFault when the expressions grow beyond `EXPANSIONS_MAX`, contain themselves in a
 *   nested one of the same name, or go round in circles
 */
export function requireBoundedCtes(shape: Outline): void {
  const byName = Map.groupBy(shape.ctes, ({ name }) => name.key)
  const costs = new Map<string, number>()
  const costOf = (cte: Cte, trail: readonly string[]): number => {
    const { key } = cte.name
    const known = costs.get(key)
    if (known !== undefined) return known
    if (trail.includes(key))
      throw new SqlFault(
        `WITH expressions refer to each other in a circle at ${cte.name.value}`,
        cte.name.start,
      )
    const bodies = byName.get(key) ?? []
    const inside = bodies.flatMap(({ open, close }) => mentions(shape, byName, open, close))
    const others = inside.filter((mention) => mention.name.key !== key)
    const cost = others.reduce((sum, other) => sum + costOf(other, [...trail, key]), 1)
    if (cost > EXPANSIONS_MAX) throw refuseExpansion(cte)
    costs.set(key, cost)
    return cost
  }
  for (const cte of shape.ctes) requireOwnScope(cte, byName.get(cte.name.key) ?? [])
  const all = mentions(shape, byName, -1, shape.tokens.length)
  const total = all.reduce((sum, mention) => sum + costOf(mention, []), 0)
  const first = shape.ctes[0]
  if (first && total > EXPANSIONS_MAX) throw refuseExpansion(first)
}

const refuseExpansion = ({ name }: Cte): SqlFault =>
  new SqlFault(
    `WITH expressions that mention each other grow to more than ${EXPANSIONS_MAX} copies`,
    name.start,
  )

function requireOwnScope(cte: Cte, namesakes: readonly Cte[]): void {
  if (namesakes.some((other) => other.open < cte.at && cte.at < other.close))
    throw new SqlFault(
      `${cte.name.value} is inside another of the same name: rename it`,
      cte.name.start,
    )
}

/** The expressions that are mentioned between two brackets, once for each mention. */
function mentions(
  { tokens }: Outline,
  byName: ReadonlyMap<string, readonly Cte[]>,
  open: number,
  close: number,
): Cte[] {
  const found: Cte[] = []
  for (let at = open + 1; at < close; at++) {
    if (!mayReadTable(tokens, at)) continue
    const [cte] = byName.get(tokens[at]?.key ?? '') ?? []
    if (cte && cte.at !== at) found.push(cte)
  }
  return found
}
