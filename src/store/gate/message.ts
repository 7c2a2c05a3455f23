/** SQLite's refusals in plain English, with the place in the authored text. */
import { findNearestName } from '../../kernel/nearest-name.ts'
import { SqlFault, suggestName } from './fault.ts'
import { foldName, type Token } from './tokenize.ts'

/** The text and the names that a message may draw on. */
interface MessageSource {
  text: string
  tokens: readonly Token[]
  tables: Iterable<string>
  columns: Iterable<string>
  /** SQLite's message for a beginning of the authored text; undefined when it compiles. */
  tryBeginning(beginning: string): string | undefined
}

const NAMED: readonly {
  pattern: RegExp
  say(name: string, scope: MessageSource): string
}[] = [
  {
    pattern: /^no such table: (?:main\.)?(.+)$/,
    say: (name, { tables }) => `No table is named ${name}${suggestName(name, tables)}`,
  },
  {
    pattern: /^no such column: (.+)$/,
    say: (name, { columns, text, tokens }) =>
      text[findName(name, tokens)] === '"'
        ? `No column is named ${name} here: write text in single quotes, '${name}'`
        : `No column is named ${name} here${suggestName(lastPart(name), columns)}`,
  },
  {
    pattern: /^ambiguous column name: (.+)$/,
    say: (name) => `Several tables have a column ${name}: write the table or its alias before it`,
  },
  {
    pattern: /^table (?:.+) has no column named (.+)$/,
    say: (name, { columns }) => `The table has no column ${name}${suggestName(name, columns)}`,
  },
  {
    pattern: /^no such function: (.+)$/,
    say: (name) => `The function ${name} is not available`,
  },
  {
    pattern: /^wrong number of arguments to function (.+)\(\)$/,
    say: (name) => `The function ${name} takes another number of arguments`,
  },
  {
    pattern: /^misuse of (?:aggregate|window function)(?: function)?:? (.+?)\(\)$/,
    say: (name) => `${name}() may not stand here: aggregates belong into a SELECT of their own`,
  },
]

/** Returns a fault in place of SQLite's message about the authored text. */
export function plainFault(message: string, scope: MessageSource): SqlFault {
  for (const { pattern, say } of NAMED) {
    const name = pattern.exec(message)?.[1]
    if (name !== undefined) return new SqlFault(say(name, scope), findName(name, scope.tokens))
  }
  const unexpected = /^near "(.*)": syntax error$/s.exec(message)?.[1]
  if (unexpected !== undefined) {
    const offset = findSyntaxError(message, scope)
    const advice = adviseSyntax(unexpected, offset, scope)
    return new SqlFault(`"${unexpected}" is not expected here${advice}`, offset)
  }
  if (message === 'incomplete input')
    return new SqlFault('The statement ends too early', scope.text.length)
  if (message === 'parser stack overflow' || message.startsWith('Expression tree is too large'))
    return new SqlFault('It is nested too deeply: move parts of it into WITH expressions', 0)
  return new SqlFault(`SQLite refuses this: ${message}`, scope.tokens[0]?.start ?? 0)
}

/** Words that a statement is built of. */
const KEYWORDS = `
  SELECT FROM WHERE GROUP ORDER HAVING JOIN LIMIT UNION INSERT INTO VALUES UPDATE DELETE SET WHEN
  THEN ELSE END DISTINCT BETWEEN EXISTS RETURNING`
  .trim()
  .split(/\s+/)

/** Suggests the likely fix: for a word of another database, a comma too many, a misspelt word. */
function adviseSyntax(unexpected: string, offset: number, scope: MessageSource): string {
  const at = scope.tokens.findIndex(({ start }) => start === offset)
  const before = scope.tokens[at - 1]
  const key = unexpected.toLowerCase()
  if (before?.key === 'top') return ': write LIMIT at the end instead of TOP'
  if (key === 'isnull') return ': write coalesce, or IS NULL behind the value'
  if (before?.value === ',') return ': remove the comma before it'
  const word = [key, before?.kind === 'word' ? before.key : ''].find((each) =>
    isMisspelt(each, scope),
  )
  return word === undefined ? '' : `; did you mean ${findNearestName(word, KEYWORDS)}?`
}

/** Nearly a keyword, and neither one nor the name of a table or column. */
function isMisspelt(word: string, { tables, columns }: MessageSource): boolean {
  const nearest = /^[a-z]{3,}$/.test(word) ? findNearestName(word, KEYWORDS) : undefined
  if (nearest === undefined || nearest.toLowerCase() === word) return false
  return ![...tables, ...columns].some((name) => name.toLowerCase() === word)
}

/** `Totl` of `o.Totl`. */
const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/** The first token that bears a name; of `o.Regin` it is the one behind the point. */
function findName(name: string, tokens: readonly Token[]): number {
  const parts = foldName(name).split('.')
  const qualified = tokens.findIndex(
    (token, at) =>
      token.key === parts.at(-1) && (parts.length === 1 || tokens[at - 2]?.key === parts.at(-2)),
  )
  return tokens[qualified]?.start ?? 0
}

/** Tokens that are tried one by one; further ones are not distinguished. */
const ATTEMPTS_MAX = 50

/** The token at which the parser stopped: the first one up to which the text fails alike. */
function findSyntaxError(message: string, scope: MessageSource): number {
  const alike = scope.tokens
    .filter(({ start, end }) => message.startsWith(`near "${scope.text.slice(start, end)}"`))
    .slice(0, ATTEMPTS_MAX)
  const found = alike.find(({ end }) => scope.tryBeginning(scope.text.slice(0, end)) === message)
  return (found ?? alike[0])?.start ?? scope.text.length
}
