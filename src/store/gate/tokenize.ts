/**
 * SQLite's lexical grammar (3.45, `tokenize.c`), exactly where a text is accepted: what this cuts
 * into tokens, SQLite cuts into the same ones. Where the two could differ, the text is refused.
 */
import { SqlFault } from './fault.ts'

/**
 * `word`: unquoted, a keyword or a name. `name`: quoted as "x", `x` or [x]. `text`: 'x'.
 * `mark`: an operator or a bracket.
 */
type TokenKind = 'word' | 'name' | 'text' | 'blob' | 'number' | 'parameter' | 'mark'

export interface Token {
  kind: TokenKind
  /** Text as SQLite reads it: without quotes, a parameter without its `@`. */
  value: string
  /** `value` in lower case as SQLite folds names: ASCII letters only. */
  key: string
  start: number
  end: number
}

/** Longest authored statement, in UTF-16 units. */
const SQL_CHARS_MAX = 100_000

const SPACE = /[ \t\n\f\r]+/y
const LINE_COMMENT = /--[^\n]*/y
const WORD = /[A-Za-z_\p{L}][\w$\p{L}\p{M}\p{N}]*/uy
const NUMBER = /0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y
const PARAMETER = /@[A-Za-z_][A-Za-z0-9_]*/y
const BLOB = /[xX]'[^']*'/y
const MARK = /\|\||->>|->|<<|>>|<=|>=|<>|==|!=|[(),.;=<>+\-*/%&|~]/y

const QUOTED = [
  { open: "'", pattern: /'[^']*(?:''[^']*)*'/y, kind: 'text' },
  { open: '"', pattern: /"[^"]*(?:""[^"]*)*"/y, kind: 'name' },
  { open: '`', pattern: /`[^`]*(?:``[^`]*)*`/y, kind: 'name' },
  { open: '[', pattern: /\[[^\]]*\]/y, kind: 'name' },
] as const

/** Characters that SQLite takes as part of a name or number that has begun. */
const NAME_PART = /[\w$\u0080-\uffff]/

/** Lower case as SQLite folds names: ASCII letters only. */
export const foldName = (name: string): string =>
  name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * Cuts a text into tokens, without blanks and comments.
 *
 * @throws SqlFault where the text is not SQL, or has unavailable syntax: other parameters than
 *   `@Name`, an open comment or quotation, control characters, signs from outside of ASCII.
 */
export function tokenize(sql: string): Token[] {
  if (sql.length > SQL_CHARS_MAX)
    throw new SqlFault(`The statement is longer than ${SQL_CHARS_MAX} characters`, SQL_CHARS_MAX)
  requirePlainText(sql)
  const tokens: Token[] = []
  let at = 0
  while (at < sql.length) {
    const blank = skipBlank(sql, at)
    if (blank > at) {
      at = blank
      continue
    }
    const token = readToken(sql, at)
    tokens.push(token)
    at = token.end
  }
  return tokens
}

function requirePlainText(sql: string): void {
  const nul = sql.indexOf('\0')
  if (nul >= 0) throw new SqlFault('The statement contains a NUL character: remove it', nul)
  if (!sql.isWellFormed())
    throw new SqlFault('The statement contains half of a surrogate pair: remove it', 0)
}

/** The end of the blank or comment that begins here, or `at`. */
function skipBlank(sql: string, at: number): number {
  const space = match(SPACE, sql, at) ?? match(LINE_COMMENT, sql, at)
  if (space !== undefined) return at + space.length
  if (!sql.startsWith('/*', at)) return at
  const close = sql.indexOf('*/', at + 2)
  if (close < 0)
    throw new SqlFault('The comment that begins here is never closed: close it with */', at)
  return close + 2
}

function readToken(sql: string, at: number): Token {
  const quoted = QUOTED.find(({ open }) => sql[at] === open)
  if (quoted) return readQuoted(sql, at, quoted)
  const blob = match(BLOB, sql, at)
  if (blob !== undefined) return makeToken('blob', blob, at)
  const word = match(WORD, sql, at)
  if (word !== undefined) return makeToken('word', word, at)
  const number = match(NUMBER, sql, at)
  if (number !== undefined) return readNumber(sql, at, number)
  if (sql[at] === '@') return readParameter(sql, at)
  const mark = match(MARK, sql, at)
  if (mark !== undefined) return makeToken('mark', mark, at)
  throw refuseCharacter(sql, at)
}

function readQuoted(sql: string, at: number, quoted: (typeof QUOTED)[number]): Token {
  const raw = match(quoted.pattern, sql, at)
  if (raw === undefined) {
    throw new SqlFault(`The quote that begins with ${quoted.open} here is never closed`, at)
  }
  const { open } = quoted
  const value = raw.slice(1, -1).replaceAll(open + open, open)
  const read = open === '[' ? raw.slice(1, -1) : value
  return { kind: quoted.kind, value: read, key: foldName(read), start: at, end: at + raw.length }
}

function readNumber(sql: string, at: number, number: string): Token {
  const next = sql[at + number.length]
  if (next !== undefined && NAME_PART.test(next))
    throw new SqlFault(`A number ends in "${next}": put a blank or an operator after it`, at)
  return makeToken('number', number, at)
}

/** `@a(b)` and `@a::b` are one parameter to SQLite: refused, so that no bracket hides in one. */
function readParameter(sql: string, at: number): Token {
  const raw = match(PARAMETER, sql, at)
  const next = raw === undefined ? undefined : sql[at + raw.length]
  if (raw === undefined || (next !== undefined && (NAME_PART.test(next) || /[(:]/.test(next))))
    throw new SqlFault('A parameter is written @Name, with letters, digits and _ only', at)
  const token = makeToken('parameter', raw, at)
  return { ...token, value: raw.slice(1), key: token.key.slice(1) }
}

function refuseCharacter(sql: string, at: number): SqlFault {
  const sign = String.fromCodePoint(sql.codePointAt(at) ?? 0)
  if (/[?:$#]/.test(sign)) return new SqlFault('Parameters are written @Name', at)
  if (/[\u2018-\u201f\u00b4\u02bc]/.test(sign))
    return new SqlFault(`${sign} is a typographic quotation mark: write ' or "`, at)
  const code = (sql.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const shown = /[\p{L}\p{N}\p{P}\p{S}]/u.test(sign) ? `${sign} (U+${code})` : `U+${code}`
  return new SqlFault(`The character ${shown} is only allowed in quotes and comments`, at)
}

function makeToken(kind: TokenKind, raw: string, at: number): Token {
  return { kind, value: raw, key: foldName(raw), start: at, end: at + raw.length }
}

function match(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(sql)?.[0]
}
