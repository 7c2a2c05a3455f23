/** The shape of a statement: its brackets, its WITH clauses, its verb and its target. */
import { SqlFault } from './fault.ts'
import type { Token } from './tokenize.ts'

/** A common table expression of the author. */
export interface Cte {
  name: Token
  /** Token index of its name. */
  at: number
  /** Token indexes of the brackets around its body. */
  open: number
  close: number
}

export interface Outline {
  tokens: readonly Token[]
  /** For each bracket, the index of its partner. */
  partner: ReadonlyMap<number, number>
  ctes: readonly Cte[]
  /** The word that says what the statement does, behind its WITH. */
  verb: Token | undefined
  /** Index of `verb`; the number of tokens for a statement without one. */
  verbAt: number
  /** Offset of the text behind the opening `WITH [RECURSIVE]`. */
  withAt: number | undefined
  /** Index of the table that an INSERT, UPDATE or DELETE names. */
  targetAt: number | undefined
}

/** Deepest nesting of brackets; SQLite's own parser gives up a little above it. */
export const BRACKET_DEPTH_MAX = 40

const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'replace'])

/**
 * Reads the shape of a statement from its tokens.
 *
 * @throws SqlFault for brackets that do not match, a second statement, a WITH that SQLite would
 *   read otherwise
 */
export function outline(tokens: readonly Token[]): Outline {
  const partner = matchBrackets(tokens)
  const shape = { tokens, partner }
  const lists = tokens.flatMap((_, at) => (isWord(tokens[at], 'with') ? [readWith(shape, at)] : []))
  const opening = isWord(tokens[0], 'with') ? lists[0] : undefined
  const verbAt = opening?.end ?? 0
  return {
    ...shape,
    ctes: lists.flatMap(({ ctes }) => ctes),
    verb: tokens[verbAt],
    verbAt,
    withAt: opening && tokens[opening.begin]?.start,
    targetAt: findTarget(tokens, verbAt),
  }
}

/** Checks that a token is this keyword, unquoted. */
export const isWord = (token: Token | undefined, ...words: string[]): boolean =>
  token?.kind === 'word' && words.includes(token.key)

/** Checks that a token is this operator or bracket. */
export const isMark = (token: Token | undefined, mark: string): boolean =>
  token?.kind === 'mark' && token.value === mark

/** Checks that SQLite may take a token as a name: even a string where a name must be. */
export const isName = (token: Token | undefined): token is Token =>
  token !== undefined && (token.kind === 'word' || token.kind === 'name' || token.kind === 'text')

/**
 * Checks that SQLite may take the name at `at` as that of a table to read: in its grammar one
 * follows FROM, JOIN, IN, a comma or an opening bracket.
 */
export const mayReadTable = (tokens: readonly Token[], at: number): boolean =>
  isName(tokens[at]) &&
  !isMark(tokens[at + 1], '.') &&
  (isWord(tokens[at - 1], 'from', 'join', 'in') ||
    isMark(tokens[at - 1], ',') ||
    isMark(tokens[at - 1], '('))

/** Checks that a token is the verb of a data-changing statement. */
export const isWriteVerb = (verb: Token | undefined): boolean =>
  verb?.kind === 'word' && WRITES.has(verb.key)

function matchBrackets(tokens: readonly Token[]): Map<number, number> {
  const partner = new Map<number, number>()
  const open: number[] = []
  for (const [at, token] of tokens.entries()) {
    if (isMark(token, ';'))
      throw new SqlFault('Write one statement without a semicolon: remove the ;', token.start)
    if (isMark(token, '(') && open.push(at) > BRACKET_DEPTH_MAX)
      throw new SqlFault(`Brackets nest deeper than ${BRACKET_DEPTH_MAX}`, token.start)
    if (!isMark(token, ')')) continue
    const from = open.pop()
    if (from === undefined) throw new SqlFault('This ) has no opening (', token.start)
    partner.set(from, at).set(at, from)
  }
  const left = tokens[open.at(-1) ?? -1]
  if (left) throw new SqlFault('This ( is never closed', left.start)
  return partner
}

/** Reads `WITH [RECURSIVE] name [(columns)] AS [[NOT] MATERIALIZED] (…), …` as SQLite does. */
function readWith(
  { tokens, partner }: Pick<Outline, 'tokens' | 'partner'>,
  withAt: number,
): { ctes: Cte[]; begin: number; end: number } {
  const begin = withAt + (isWord(tokens[withAt + 1], 'recursive') ? 2 : 1)
  const ctes: Cte[] = []
  let at = begin
  for (;;) {
    const name = tokens[at]
    let open = at + 1
    if (isMark(tokens[open], '(')) open = (partner.get(open) ?? open) + 1
    const hasAs = isWord(tokens[open], 'as')
    if (isWord(tokens[++open], 'not')) open++
    if (isWord(tokens[open], 'materialized')) open++
    const close = partner.get(open)
    if (!isName(name) || !hasAs || close === undefined || close < open)
      throw new SqlFault(
        'After WITH stands: name AS (SELECT …), …; a name that is a keyword is put in "quotes"',
        tokens[withAt]?.start ?? 0,
      )
    ctes.push({ name, at, open, close })
    if (!isMark(tokens[close + 1], ',')) return { ctes, begin, end: close + 1 }
    at = close + 2
  }
}

function findTarget(tokens: readonly Token[], verbAt: number): number | undefined {
  const verb = tokens[verbAt]
  if (!isWriteVerb(verb)) return undefined
  let at = verbAt + 1
  if (isWord(tokens[at], 'or')) at += 2
  if (isWord(tokens[at], 'into', 'from')) at++
  return at
}
