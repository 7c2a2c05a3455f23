/**
 * Steadiness of a statement: about the same time for any two values of the size that cells have.
 * Some functions try each character of one value at each of another: `trim` takes 22 s for two
 * values of 64 KB, LIKE 2.5 s, in one step that no deadline reaches into. A statement that may do
 * so never runs on the serving thread.
 */
import type { Token } from './tokenize.ts'

/** Literals up to so many characters are looked for in any value within milliseconds. */
const LITERAL_CHARACTERS_MAX = 200

/** Functions by the place of the argument from which on literals make them steady. */
const FUNCTIONS: ReadonlyMap<string, number> = new Map([
  ...(['instr', 'replace', 'trim', 'ltrim', 'rtrim', 'unhex'] as const).map(
    (name) => [name, 1] as const,
  ),
  // For `like(pattern, text)` the pattern counts; an escape is one character.
  ['like', 0],
  ['glob', 0],
])
const OPERATORS: ReadonlySet<string> = new Set(['like', 'glob'])
/** Operators that make another value of the literal before them, also behind a collation. */
const JOINING: ReadonlySet<string> = new Set(['||', '->', '->>', 'collate'])

/** See above; for the tokens of a whole statement, or of a condition. */
export const isSteady = (tokens: readonly Token[]): boolean =>
  tokens.every(({ kind, key }, at) => {
    const from = kind === 'word' || kind === 'name' ? FUNCTIONS.get(key) : undefined
    if (from === undefined) return true
    if (isMark(tokens[at + 1], '(')) return isSteadyCall(key, listArguments(tokens, at + 1), from)
    if (kind !== 'word' || !OPERATORS.has(key)) return true
    return isLiteral(tokens[at + 1]) && !JOINING.has(tokens[at + 2]?.key ?? '')
  })

const isMark = (token: Token | undefined, value: string): boolean =>
  token?.kind === 'mark' && token.value === value

const isLiteral = (token: Token | undefined): boolean =>
  (token?.kind === 'text' || token?.kind === 'number') &&
  token.value.length <= LITERAL_CHARACTERS_MAX

function isSteadyCall(name: string, args: readonly (readonly Token[])[], from: number): boolean {
  const fixed = from === 0 ? args.slice(0, 1) : args.slice(from)
  if (!fixed.every((tokens) => tokens.length === 1 && isLiteral(tokens[0]))) return false
  // Replacing takes longer the more often it is done if the text only grows.
  const [sought, put] = fixed.map(([token]) => token?.value.length ?? 0)
  return name !== 'replace' || (put ?? 0) <= (sought ?? 0)
}

/** Lists the tokens of each argument; `open` is the place of the bracket. */
function listArguments(tokens: readonly Token[], open: number): Token[][] {
  const args: Token[][] = [[]]
  let depth = 0
  for (const token of tokens.slice(open)) {
    if (isMark(token, '(') && depth++ === 0) continue
    if (isMark(token, ')') && --depth === 0) break
    if (isMark(token, ',') && depth === 1) args.push([])
    else args.at(-1)?.push(token)
  }
  return args
}
