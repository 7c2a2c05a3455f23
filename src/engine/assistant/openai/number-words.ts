/** Numbers in words, `forty-two thousand`, as texts of a model carry them beside digits. */
import DATA from './number-words.json'

/** One part of a word: `zwei`, `und` and `vierzig` of `zweiundvierzig`. */
type Part =
  | { kind: 'small' | 'one'; value: number }
  | { kind: 'scale'; value: number; isAlone: boolean }
  | { kind: 'join' | 'filler' | 'point' }

/** A word that is made of parts of numbers, with its place in the text. */
interface NumberWord {
  start: number
  end: number
  parts: readonly Part[]
}

const listParts = (
  words: Readonly<Record<string, number>>,
  toPart: (value: number) => Part,
): [string, Part][] => Object.entries(words).map(([word, value]) => [word, toPart(value)])

const PARTS: ReadonlyMap<string, Part> = new Map([
  ...listParts(DATA.small, (value) => ({ kind: 'small', value })),
  ...listParts(DATA.one, (value) => ({ kind: 'one', value })),
  ...listParts(DATA.scales, (value) => ({ kind: 'scale', value, isAlone: true })),
  ...listParts(DATA.scalesOfNumbers, (value) => ({ kind: 'scale', value, isAlone: false })),
  ...DATA.joins.map((word): [string, Part] => [word, { kind: 'join' }]),
  ...DATA.fillers.map((word): [string, Part] => [word, { kind: 'filler' }]),
  ...DATA.points.map((word): [string, Part] => [word, { kind: 'point' }]),
])

const BETWEEN = [...DATA.joins, ...DATA.fillers, ...DATA.points]
const NUMBERS = [...PARTS.keys()].filter((word) => !BETWEEN.includes(word))

const isNumber = ({ kind }: Part): boolean => kind === 'small' || kind === 'one' || kind === 'scale'

/** The longest part first: `vierzig` is not `vier`. */
const byLength = (words: Iterable<string>): string =>
  [...words].toSorted((a, b) => b.length - a.length).join('|')

const PART = new RegExp(byLength(PARTS.keys()), 'y')
/** A word with the markup that no reader sees in it. */
const WORD = /\p{L}(?:[*_~`\u200c\u200d]*[\p{L}\p{M}])*/gu
const MARKUP = /[*_~`\u200c\u200d]/g
const GAP = String.raw`[*_~\x60\u2010-\u2015-]|[^\S\n]`
const IS_GAP = new RegExp(`^(?:${GAP})*$`)

/** Parts of a word; undefined for one that has others, too. */
function readParts(word: string): readonly Part[] | undefined {
  const plain = word.replace(MARKUP, '').normalize('NFC').toLowerCase()
  const parts: Part[] = []
  PART.lastIndex = 0
  while (PART.lastIndex < plain.length) {
    const [found] = PART.exec(plain) ?? []
    const part = found === undefined ? undefined : PARTS.get(found)
    if (!part) return undefined
    parts.push(part)
  }
  // `and` may stand in a word, as the others stand apart alone.
  const isWhole = parts.every((part) => isNumber(part) || part.kind === 'join')
  return parts.length === 1 || isWhole ? parts : undefined
}

/** Words of a text that are made of parts of numbers, from left to right. */
function listNumberWords(text: string): NumberWord[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const parts = readParts(word)
    return parts ? [{ start: index, end: index + word.length, parts }] : []
  })
}

/** A number of a text, in digits, words or both: `1.2 million`. */
interface WrittenNumber {
  start: number
  end: number
}

/**
 * Joins digits and the words beside them to the numbers that a reader sees. `one` and `half` alone
 * are none, nor is a scale of many: `one of them`, `Millionen`.
 */
export function joinNumberWords(text: string, digits: readonly WrittenNumber[]): WrittenNumber[] {
  const tokens: (WrittenNumber & Partial<NumberWord>)[] = [...listNumberWords(text), ...digits]
  tokens.sort((a, b) => a.start - b.start)
  const found: WrittenNumber[] = []
  for (let at = 0; at < tokens.length;) {
    const first = tokens[at]
    const after = first ? endOfNumber(text, tokens, at) : at
    const last = tokens[after - 1]
    const group = tokens.slice(at, after)
    if (first && last && group.some(isFigure)) found.push({ start: first.start, end: last.end })
    at = Math.max(after, at + 1)
  }
  return found
}

/** The token behind the number that begins at one; the same where none begins there. */
function endOfNumber(
  text: string,
  tokens: readonly (WrittenNumber & Partial<NumberWord>)[],
  from: number,
): number {
  if (tokens[from]?.parts && !tokens[from].parts.some(isNumber)) return from
  let end = from + 1
  for (let at = from + 1; at < tokens.length; at++) {
    const [before, token] = [tokens[at - 1], tokens[at]]
    if (!before || !token?.parts) break
    if (!IS_GAP.test(text.slice(before.end, token.start))) break
    const group = tokens.slice(from, at)
    if (token.parts.some(isNumber)) {
      if (!mayFollow(group, token.parts)) break
      end = at + 1
    }
  }
  return end
}

/** True when a word goes on with a number: `hundred and` with `five`, `5` with `million` alone. */
function mayFollow(group: readonly Partial<NumberWord>[], parts: readonly Part[]): boolean {
  const before = group.at(-1)?.parts?.at(-1)
  const [first] = parts
  if (!before) return first?.kind === 'scale'
  const isHalf = first?.kind === 'one' && first.value < 1
  if (before.kind === 'point') return true
  if (before.kind === 'filler') return isHalf || first?.kind === 'scale'
  if (before.kind !== 'join') return true
  const joined = group.at(-2)?.parts?.at(-1)
  return isHalf || (joined?.kind === 'scale' && joined.value >= 100)
}

/** True for what is a number without others beside it. */
const isFigure = ({ parts }: Partial<NumberWord>): boolean =>
  !parts ||
  parts.some((part) => part.kind === 'small' || (part.kind === 'scale' && part.isAlone)) ||
  parts.filter(isNumber).length > 1

/** The number that words say behind one in digits; undefined where they say none. */
export function readNumberWords(words: string, digits: number | undefined): number | undefined {
  const parts = listNumberWords(words).flatMap((word) => word.parts)
  let total = 0
  let current = digits ?? 0
  let before: Part | undefined
  for (const part of parts) {
    if (part.kind === 'point') return undefined
    if (part.kind === 'scale') {
      // `dozen` and `hundred` count what is before them, the others all since the last of them.
      if (part.value < 1000) current = (current || 1) * part.value
      else [total, current] = [total + (current || 1) * part.value, 0]
    } else if (part.kind === 'small' || part.kind === 'one') {
      if (!isAddable(current, part.value, before?.kind === 'join')) return undefined
      current += part.value
    }
    before = part
  }
  return total + current
}

/** True for `forty` and `two`, `zweiund` and `vierzig`, `hundred` and `twelve`. */
function isAddable(current: number, value: number, isJoined: boolean): boolean {
  const last = current % 100
  if (last === 0 || value < 1) return true
  if (!Number.isInteger(last)) return false
  const isTens = (number: number): boolean => number >= 20 && number % 10 === 0
  return (isTens(last) && value < 10) || (isJoined && last < 10 && isTens(value))
}

const LETTER_SCALE = /^[kKmMbB](?![\p{L}\d])/u

/** The end of a word that would scale the value before a text: `million`, `k`; 0 for none. */
export function endOfScale(text: string): number {
  if (LETTER_SCALE.test(text)) return 1
  const [first] = text.matchAll(WORD)
  if (!first || !IS_GAP.test(text.slice(0, first.index))) return 0
  const isScale = readParts(first[0])?.[0]?.kind === 'scale'
  return isScale ? first.index + first[0].length : 0
}

const OPEN = new RegExp(
  String.raw`(?:\d[kKmMbB]?|\]\]|${byLength(NUMBERS)}|(?<!\p{L})(?:${byLength(BETWEEN)}))` +
    String.raw`(?:${GAP})*$`,
  'iu',
)

/** True when the number or value at the end of a text may go on behind it. */
export const isNumberOpen = (text: string): boolean => OPEN.test(text.normalize('NFC'))
