/**
 * Text matching that ignores case and accents for all of Unicode. SQLite's LIKE folds the case of
 * ASCII alone, so a text becomes a GLOB pattern in which every letter is a class of its forms.
 */
import type { PartMatch } from '../../../model/operators.ts'
import { foldCase, foldText, listForms } from '../../grid-search/fold.ts'
import type { Bindings } from '../bindings.ts'

/**
 * Longest search text. SQLite tries it at every place of every text, in one step that no
 * deadline reaches into.
 */
export const TEXT_CHARACTERS_MAX = 200

/** Tells whether a stored text can hold a text: none holds NUL or half a character. */
export const isMatchable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The place in a text where another one is searched. */
export type MatchPlace = 'anywhere' | 'start' | 'end'

/** The pattern of a text at the start, the end or anywhere. */
export function planTextPattern(text: string, at: MatchPlace): string {
  return surround(Array.from(text.normalize('NFC'), matchCharacter).join(''), at, '*')
}

const surround = (pattern: string, at: MatchPlace, any: string): string =>
  `${at === 'start' ? '' : any}${pattern}${at === 'end' ? '' : any}`

/**
 * How a text is looked for: LIKE finds it in texts of ASCII alone, which most are, several times as
 * quickly as GLOB, which is left with the others.
 */
interface TextMatch {
  /** Undefined where no text of ASCII has it. */
  like: string | undefined
  /** Undefined where LIKE finds all. */
  glob: string | undefined
}

function planTextMatch(text: string, at: MatchPlace): TextMatch {
  const characters = [...text.normalize('NFC')]
  const plain = characters.map((each) => listForms(each).find(isAscii))
  const hasOthers = characters.some((each) => !listForms(each).every(isAscii))
  const isPlain = plain.every((each) => each !== undefined)
  return {
    like: isPlain ? surround(plain.map(escapeLike).join(''), at, '%') : undefined,
    glob: hasOthers || !isPlain ? planTextPattern(text, at) : undefined,
  }
}

const isAscii = (character: string): boolean => character <= '\x7f'

const escapeLike = (character: string): string =>
  /[%_\\]/.test(character) ? `\\${character}` : character

/** A condition on values, and how its parameters are bound for another text. */
interface TextCondition {
  /** Composes the test that a value has the text. */
  fits: (value: string) => string
  /** Its parameters as SQL names them. */
  places: readonly string[]
  /** Their values for another text; undefined where that asks for another condition. */
  bind: (text: string) => readonly string[] | undefined
}

/** The condition that a value has a text at its start, its end or anywhere. */
export function planTextCondition(text: string, at: MatchPlace, bindings: Bindings): TextCondition {
  const match = planTextMatch(text, at)
  const [like, glob] = [match.like, match.glob].map((part) => part && bindings.add(part))
  const isLike = (value: string) => `${value} LIKE ${like} ESCAPE '\\'`
  const isGlob = (value: string) =>
    `(octet_length(${value}) > length(${value}) AND ${value} GLOB ${glob})`
  const compare = (value: string): string => {
    if (glob === undefined) return isLike(value)
    return like === undefined ? isGlob(value) : `(${isLike(value)} OR ${isGlob(value)})`
  }
  return {
    fits: (value) =>
      glob === undefined || NAME.test(value)
        ? compare(value)
        : `(SELECT ${compare('_text')} FROM (SELECT ${value} AS _text LIMIT -1 OFFSET 0))`,
    places: [like, glob].filter((part) => part !== undefined),
    bind: (other) => {
      const next = planTextMatch(other, at)
      const isAlike = (next.like === undefined) === (like === undefined)
      if (!isAlike || (next.glob === undefined) !== (glob === undefined)) return undefined
      return [next.like, next.glob].filter((part) => part !== undefined)
    },
  }
}

/** Names, which SQLite does not compute again at each mention: `"Name"`. */
const NAME = /^(?:"(?:[^"]|"")*"|\w+)$/

/** Tells whether a text holds another one, as the patterns have it. */
export function matchesText(text: string, searchText: string, match: PartMatch): boolean {
  const [held, wanted] = [foldText(text), foldText(searchText.normalize('NFC'))]
  return MATCHES[match](held, wanted)
}

const MATCHES: Readonly<Record<PartMatch, (held: string, wanted: string) => boolean>> = {
  contains: (held, wanted) => held.includes(wanted),
  startsWith: (held, wanted) => held.startsWith(wanted),
  endsWith: (held, wanted) => held.endsWith(wanted),
}

/** Compares two texts without case; a text that is not composed is not a search text. */
export const isSameText = (text: string, searchText: string): boolean =>
  text === text.normalize('NFC') && foldCase(text) === foldCase(searchText)

const classes = new Map<string, string>()

function matchCharacter(character: string): string {
  if (character === '*' || character === '?' || character === '[') return `[${character}]`
  return classes.getOrInsertComputed(character, composeClass)
}

/** Forms side by side in Unicode are ranges; the most common ones come first. */
function composeClass(character: string): string {
  const forms = listForms(character)
  if (forms.length === 1) return character
  const codes = forms.map((form) => form.codePointAt(0) ?? 0).sort((one, other) => one - other)
  let text = ''
  for (let at = 0; at < codes.length;) {
    let end = at
    while (codes[end + 1] === (codes[end] ?? 0) + 1) end++
    const [first, last] = [at, end].map((each) => String.fromCodePoint(codes[each] ?? 0))
    text += end === at ? first : `${first}${end > at + 1 ? '-' : ''}${last}`
    at = end + 1
  }
  return `[${text}]`
}
