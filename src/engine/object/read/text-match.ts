/**
 * Text matching that ignores case for all of Unicode. SQLite's LIKE folds ASCII only, so a text
 * becomes a GLOB pattern in which every letter with another case is a class of its forms.
 */
import { foldText, listCaseForms } from '../../search/fold.ts'

/**
 * Longest search text. SQLite tries it at every place of every text, in one step that no
 * deadline reaches into.
 */
export const TEXT_CHARACTERS_MAX = 200

/** Whether any stored text can hold it: no text holds NUL or half a character. */
export const isMatchable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The pattern of a text at the start, the end or anywhere. */
export function planTextPattern(text: string, at: 'anywhere' | 'start' | 'end'): string {
  let pattern = ''
  for (const character of text.normalize('NFC')) pattern += matchCharacter(character)
  return `${at === 'start' ? '' : '*'}${pattern}${at === 'end' ? '' : '*'}`
}

/**
 * How a text is looked for anywhere: LIKE, which is quicker than GLOB by a third, decides where it
 * can, and else leaves few to GLOB.
 */
export interface TextMatch {
  /** Undefined where it would leave all. */
  like: string | undefined
  /** Undefined where LIKE alone decides. */
  glob: string | undefined
}

/** See `TextMatch`: LIKE knows the cases of ASCII alone, so `_` stands for every other letter. */
export function planTextMatch(text: string): TextMatch {
  const characters = [...text.normalize('NFC')]
  const isPlain = characters.map(isSameInLike)
  const like = characters.map((character, at) => (isPlain[at] ? character : '_')).join('')
  return {
    like: isPlain.includes(true) ? `%${like}%` : undefined,
    glob: isPlain.includes(false) ? planTextPattern(text, 'anywhere') : undefined,
  }
}

/** Whether LIKE takes for it exactly the characters of its fold; `k` is the Kelvin sign, too. */
function isSameInLike(character: string): boolean {
  if (character === '%' || character === '_') return false
  const isLetter = /^[a-zA-Z]$/.test(character)
  return listCaseForms(character).length === (isLetter ? 2 : 1)
}

/** Whether a text holds another one, as the patterns have it. */
export function matchesText(
  text: string,
  searchText: string,
  operator: 'contains' | 'startsWith' | 'endsWith',
): boolean {
  const [held, wanted] = [foldText(text), foldText(searchText.normalize('NFC'))]
  if (operator === 'startsWith') return held.startsWith(wanted)
  return operator === 'endsWith' ? held.endsWith(wanted) : held.includes(wanted)
}

/** Whether two texts differ in case alone; one that is not composed is no search text. */
export const isSameText = (text: string, searchText: string): boolean =>
  text === text.normalize('NFC') && foldText(text) === foldText(searchText)

function matchCharacter(character: string): string {
  if (character === '*' || character === '?' || character === '[') return `[${character}]`
  const forms = listCaseForms(character)
  return forms.length === 1 ? character : `[${forms.join('')}]`
}
