/**
 * Words that come near a word that was typed: one letter is wrong, left out, too many or exchanged
 * with its neighbour, two of them in a long word. They are looked for among the words of the index
 * where nothing has the word itself. Rights to its records are checked as for any other word.
 */
import { Yielder } from '../../../kernel/yielder.ts'
import type { Reader } from '../../../store/store.ts'
import { codeOf, type Scope } from './entries.ts'
import type { Spelling, Term } from './match.ts'

/** Fewest letters of a corrected word: shorter ones come near too many others. */
const LETTERS_MIN = 4
/** Letters from which on a word may have two wrong ones. */
const LONG_WORD = 8
/** Weight of a spelling, by the number of its wrong letters. */
const WEIGHTS = [1, 0.6, 0.3]
/** Spellings of a term; the nearest are taken. */
const SPELLINGS_MAX = 100
/** Most words of the index that are compared with one term. */
const WORDS_MAX = 50_000

/** People mistype the first letter seldom, and numbers are meant as they are. */
const LETTERS = /^\p{L}+$/u

/** True when a term may be another word than was meant. */
export const mayBeMistyped = (term: Term): boolean => findWord(term) !== undefined

function findWord([typed]: Term): string | undefined {
  const [word = '', ...others] = typed?.phrase ?? []
  const isWord = others.length === 0 && word.length >= LETTERS_MIN && LETTERS.test(word)
  return isWord ? word : undefined
}

/** The terms with the spellings of a scope that come near them, beside the typed ones. */
export async function loadSpellings(
  reader: Reader,
  scope: Scope,
  terms: readonly Term[],
): Promise<Term[]> {
  const yielder = new Yielder()
  const spelled: Term[] = []
  for (const term of terms) {
    const word = findWord(term)
    spelled.push(
      word === undefined ? term : [...term, ...(await loadNear(reader, scope, word, yielder))],
    )
  }
  return spelled
}

const WORDS = `SELECT json_group_array(word) FROM (
  SELECT substr(term, @code) AS word FROM main.svc_search_words
  WHERE term >= @from AND term < @to AND length(term) >= @length LIMIT ${WORDS_MAX})`

async function loadNear(
  reader: Reader,
  { id }: Scope,
  typed: string,
  yielder: Yielder,
): Promise<Spelling[]> {
  const most = typed.length >= LONG_WORD ? 2 : 1
  const code = codeOf(id)
  const [first = ''] = typed
  const args = {
    code: code.length + 1,
    from: code + first,
    to: `${code}${first}\u{10ffff}`,
    length: code.length + typed.length - most,
  }
  const words = JSON.parse(
    (await reader.text({ sql: WORDS, args, runs: 'lane' })) || '[]',
  ) as string[]
  const near = new Map<string, number>()
  for (const word of words) {
    const found = findNearestStart(typed, word, most)
    if (found && found.distance < (near.get(found.start) ?? Infinity))
      near.set(found.start, found.distance)
    await yielder.yieldWhenDue()
  }
  return [...near]
    .sort(([a, far], [b, further]) => far - further || (a < b ? -1 : 1))
    .slice(0, SPELLINGS_MAX)
    .map(([start, distance]) => ({ phrase: [start], weight: WEIGHTS[distance] ?? 0 }))
}

/**
 * The longest beginning of a word that is nearest to the typed one, and the number of wrong
 * letters, by the restricted Damerau-Levenshtein distance; undefined for more than `most`.
 */
export function findNearestStart(
  typed: string,
  word: string,
  most: number,
): { start: string; distance: number } | undefined {
  const length = Math.min(word.length, typed.length + most)
  let former: number[] = []
  let row = Array.from({ length: length + 1 }, (_, at) => at)
  for (let line = 1; line <= typed.length; line++) {
    const next = [line]
    for (let at = 1; at <= length; at++) {
      const isSame = typed[line - 1] === word[at - 1]
      const isExchanged = typed[line - 1] === word[at - 2] && typed[line - 2] === word[at - 1]
      const replaced = (row[at - 1] ?? 0) + (isSame ? 0 : 1)
      const cheapest = Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1)
      const exchanged = isExchanged && line > 1 && at > 1 ? (former[at - 2] ?? 0) + 1 : Infinity
      next.push(Math.min(cheapest, exchanged))
    }
    if (Math.min(...next) > most) return undefined
    ;[former, row] = [row, next]
  }
  // The typed word may be unfinished: letters after it are not mistakes.
  const distance = Math.min(...row.slice(Math.max(0, typed.length - 1)))
  return distance > most ? undefined : { start: word.slice(0, row.lastIndexOf(distance)), distance }
}
