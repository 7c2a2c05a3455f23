/** Columns that a source computes each time they are read, and which of them may be. */
import { SqlFault } from '../../store/gate/fault.ts'
import { type Token, tokenize } from '../../store/gate/tokenize.ts'
import type { SqlRow } from '../../store/sql.ts'

/** As `pragma_table_xinfo` has it. */
const VIRTUAL = 2
const STORED = 3

/** Functions whose work and result are bounded by their arguments. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...['abs', 'coalesce', 'date', 'datetime', 'ifnull', 'iif', 'instr', 'json_extract', 'julianday'],
  ...['length', 'lower', 'ltrim', 'max', 'min', 'nullif', 'round', 'rtrim', 'strftime', 'substr'],
  ...['substring', 'time', 'trim', 'typeof', 'unixepoch', 'upper'],
])

/** Words behind which a bracket opens no call. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['and', 'as', 'case', 'cast', 'else', 'in', 'is', 'not', 'or', 'then', 'when'],
])

/** Operators that match patterns, which may take any time. */
const PATTERNS: ReadonlySet<string> = new Set(['like', 'glob', 'match', 'regexp'])

/** Most texts that are joined: a hostile file would join large ones without end. */
const JOINS_MAX = 8

/**
 * Lists the columns of a table that are computed when they are read, by its text and its columns as
 * `pragma_table_xinfo` has them. One of plain operators and functions over stored columns is like a
 * stored one, and not listed; any other could run whatever a hostile file wants.
 */
export function listComputed(sql: string, infos: readonly SqlRow[]): string[] {
  const generated = infos.filter(({ hidden }) => hidden === VIRTUAL || hidden === STORED)
  const computed = generated.filter(({ hidden }) => hidden === VIRTUAL)
  if (computed.length === 0) return []
  const expressions = listExpressions(sql)
  const names = new Set(generated.map(({ name }) => String(name).toLowerCase()))
  const isKnown = expressions?.length === generated.length
  return computed
    .filter((info) => {
      const expression = isKnown ? expressions[generated.indexOf(info)] : undefined
      return expression === undefined || !isPlain(expression, names)
    })
    .map(({ name }) => String(name))
}

/** The tokens of each `AS (...)` of a CREATE TABLE; undefined for a text that is not plain SQL. */
function listExpressions(sql: string): Token[][] | undefined {
  try {
    const tokens = tokenize(sql)
    const starts = [...tokens.keys()].filter(
      (at) =>
        tokens[at]?.key === 'as' && tokens[at]?.kind === 'word' && tokens[at + 1]?.key === '(',
    )
    return starts.map((at) => readBrackets(tokens, at + 2))
  } catch (error) {
    if (error instanceof SqlFault) return undefined
    throw error
  }
}

function readBrackets(tokens: readonly Token[], start: number): Token[] {
  let depth = 1
  for (let at = start; at < tokens.length; at++) {
    const { kind, key } = tokens[at] ?? {}
    if (kind === 'mark' && key === '(') depth++
    if (kind === 'mark' && key === ')') depth--
    if (depth === 0) return tokens.slice(start, at)
  }
  return tokens.slice(start)
}

function isPlain(expression: readonly Token[], generated: ReadonlySet<string>): boolean {
  const joins = expression.filter(({ key }) => key === '||').length
  return (
    joins <= JOINS_MAX &&
    expression.every(({ kind, key }, at) => {
      if (kind !== 'word' && kind !== 'name') return kind !== 'parameter'
      const next = expression[at + 1]
      const isCalled = next?.kind === 'mark' && next.key === '('
      if (isCalled) return kind === 'word' && (FUNCTIONS.has(key) || KEYWORDS.has(key))
      return !generated.has(key) && !(kind === 'word' && PATTERNS.has(key))
    })
  )
}
