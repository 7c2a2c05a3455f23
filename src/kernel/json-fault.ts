/**
 * Finds the place where a text stops being JSON. Run only after `JSON.parse` refused the text,
 * whose message tells no place.
 */
import { type Message, say } from './messages.ts'

/** Lines and columns begin at 1; columns count characters (UTF-16 units). */
export interface JsonFault {
  line: number
  column: number
  /** The problem at that place, in words that repeat nothing of the text. */
  problem: Message
}

/** The search for a fault runs on the serving thread: this bounds it to a few milliseconds. */
const SEARCHED_CHARACTERS_MAX = 256 * 1024

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const UNICODE = /u[0-9a-fA-F]{4}/y
const WORD = /true|false|null/y
const BLANK = /[ \t\n\r]*/y

/** The token that may come next, by the position within the innermost container. */
type Expectation = 'value' | 'firstItem' | 'firstName' | 'name' | 'colon' | 'commaOrEnd' | 'end'

const PROBLEM: Readonly<Record<Expectation, Message>> = {
  value: say`expected a value`,
  firstItem: say`expected a value or ]`,
  firstName: say`expected a name in double quotes, or }`,
  name: say`expected a name in double quotes`,
  colon: say`expected a colon`,
  commaOrEnd: say`expected a comma or the closing bracket`,
  end: say`expected nothing more`,
}

const TOO_EARLY = say`the text ends too early`

/**
 * Finds the first place at which `text` is not JSON (RFC 8259); undefined where it is further in
 * than others could be kept waiting for. Does not recurse, so depth cannot hurt it.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: ('[' | '{')[] = []
  let at = 0
  let expected: Expectation = 'value'
  for (;;) {
    at += match(BLANK, text, at)
    const step = next(text, at, expected, open)
    if (step === undefined) return locate(text, at, PROBLEM[expected])
    at += step.length
    if (at > SEARCHED_CHARACTERS_MAX) return undefined
    expected = step.expected
    if (at >= text.length) return locate(text, at, TOO_EARLY)
  }
}

interface Step {
  length: number
  expected: Expectation
}

function next(
  text: string,
  at: number,
  expected: Expectation,
  open: ('[' | '{')[],
): Step | undefined {
  const character = text[at]
  const after = (length: number): Step => ({
    length,
    expected: open.length === 0 ? 'end' : 'commaOrEnd',
  })
  if (closes(character, expected, open)) {
    open.pop()
    return after(1)
  }
  switch (expected) {
    case 'end':
      return undefined
    case 'colon':
      return character === ':' ? { length: 1, expected: 'value' } : undefined
    case 'commaOrEnd':
      if (character !== ',') return undefined
      return { length: 1, expected: open.at(-1) === '{' ? 'name' : 'value' }
    case 'firstName':
    case 'name': {
      const length = matchString(text, at)
      return length > 0 ? { length, expected: 'colon' } : undefined
    }
    default: {
      if (character === '{' || character === '[') {
        open.push(character)
        return { length: 1, expected: character === '{' ? 'firstName' : 'firstItem' }
      }
      const length = matchString(text, at) || match(NUMBER, text, at) || match(WORD, text, at)
      return length > 0 ? after(length) : undefined
    }
  }
}

function closes(
  character: string | undefined,
  expected: Expectation,
  open: readonly ('[' | '{')[],
): boolean {
  const innermost = open.at(-1)
  if (character === ']')
    return innermost === '[' && (expected === 'firstItem' || expected === 'commaOrEnd')
  if (character === '}')
    return innermost === '{' && (expected === 'firstName' || expected === 'commaOrEnd')
  return false
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

/** A string by its letters: an expression would take its time over one that never ends. */
function matchString(text: string, from: number): number {
  if (text[from] !== '"') return 0
  for (let at = from + 1; at < text.length; at++) {
    // Further than is searched: whatever it is, it ends there.
    if (at > SEARCHED_CHARACTERS_MAX) return Infinity
    const letter = text[at] ?? ''
    if (letter === '"') return at + 1 - from
    if (letter < ' ') return 0
    if (letter !== '\\') continue
    const escaped = text[at + 1] ?? ''
    const length = escaped === 'u' ? match(UNICODE, text, at + 1) : 1
    if (length === 0 || !'u"\\/bfnrt'.includes(escaped)) return 0
    at += length
  }
  return 0
}

function locate(text: string, offset: number, problem: Message): JsonFault {
  const before = text.slice(0, offset)
  const lastBreak = before.lastIndexOf('\n')
  return {
    line: before.split('\n').length,
    column: offset - lastBreak,
    problem: offset >= text.length ? TOO_EARLY : problem,
  }
}
