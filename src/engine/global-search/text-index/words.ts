/**
 * Words of texts, as the index of the global search has them and as queries ask for them: the same
 * reading on both sides, so that a snippet marks exactly the words that were found.
 */
import { foldText } from '../../grid-search/fold.ts'

/** A word in a text: its form to compare, and its place (UTF-16 units, as JSON texts count). */
export interface IndexedWord {
  word: string
  start: number
  length: number
}

/** Most characters of a word; longer ones, which are not typed, are cut to bound the index. */
const WORD_CHARACTERS_MAX = 64

/** Written without blanks: each character is a word, and several of them a phrase. */
const ALONE = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}'
const WORDS = new RegExp(`[${ALONE}]\\p{M}*|(?:(?![${ALONE}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')

/** Accents and points that are set over or under letters; vowel signs of other scripts stay. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u064b-\u065f\u0670]/g

/** Letters that are written with others where a keyboard lacks them, and have no accent to drop. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
}
const SPELLED_LETTERS = new RegExp(`[${Object.keys(SPELLED).join('')}]`, 'g')
const PLAIN = /^[a-z0-9]*$/

/** A word as it is compared: without regard to case, accents and forms of width. */
export function foldWord(text: string): string {
  const lower = text.toLowerCase()
  if (PLAIN.test(lower)) return lower.slice(0, WORD_CHARACTERS_MAX)
  const folded = foldText(text.normalize('NFKD').replace(ACCENTS, ''))
    .replace(SPELLED_LETTERS, (letter) => SPELLED[letter] ?? letter)
    .normalize('NFC')
  // A compatibility form may hold signs that are not part of a word.
  return (folded.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).join('').slice(0, WORD_CHARACTERS_MAX)
}

/** Most texts have no other characters, and are read at several times the speed. */
const ASCII = /^[\0-\x7f]*$/
const ASCII_WORDS = /[a-z0-9]+/g

/** The words of a text in their order. */
export function readWords(text: string): IndexedWord[] {
  return ASCII.test(text) ? readAscii(text) : readAny(text)
}

function readAscii(text: string): IndexedWord[] {
  const words: IndexedWord[] = []
  for (const { 0: word, index } of text.toLowerCase().matchAll(ASCII_WORDS))
    words.push({ word: word.slice(0, WORD_CHARACTERS_MAX), start: index, length: word.length })
  return words
}

function readAny(text: string): IndexedWord[] {
  const words: IndexedWord[] = []
  for (const match of text.matchAll(WORDS)) {
    const word = foldWord(match[0])
    if (word !== '') words.push({ word, start: match.index, length: match[0].length })
  }
  return words
}
