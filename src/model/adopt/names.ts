/** Names of the language from any source names, and English singulars and plurals. */
import { type DeclaredParameters, findReserved } from '../compile/parameters.ts'

/** Names in use, in lower case, as SQL and requests ignore case. */
export class TakenNames {
  readonly #taken: Set<string>

  constructor(names: Iterable<string> = []) {
    this.#taken = new Set([...names].map((name) => name.toLowerCase()))
  }

  /** The first of the wishes that is free, else the first with a number behind it. */
  take(...wishes: readonly string[]): string {
    const free = wishes.find((wish) => !this.#taken.has(wish.toLowerCase()))
    const [first = ''] = wishes
    let name = free ?? first
    for (let at = 2; this.#taken.has(name.toLowerCase()); at++) name = `${first}${at}`
    this.#taken.add(name.toLowerCase())
    return name
  }
}

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/

/** Most characters of a name: the language takes 100, a prefix or suffix needs some. */
const NAME_LENGTH_MAX = 80
const LETTERS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  ø: 'oe',
  å: 'aa',
  ł: 'l',
  đ: 'd',
}

/** A name of the language that is as near as can be; `fallback` where nothing of it is left. */
export const toName = (raw: string, fallback: string): string =>
  spell(raw, fallback).slice(0, NAME_LENGTH_MAX)

function spell(raw: string, fallback: string): string {
  if (NAME.test(raw)) return raw
  const latin = raw
    .normalize('NFC')
    .replace(/[äöüßæøåłđ]/gi, (letter) => {
      const plain = LETTERS[letter.toLowerCase()] ?? ''
      return letter === letter.toLowerCase() ? plain : capitalize(plain)
    })
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[%]/g, ' percent ')
    .replace(/#/g, ' number ')
  const words = latin.match(/[A-Za-z0-9_]+/g) ?? []
  const joined = words.map((word, at) => (at === 0 ? word : capitalize(word))).join('')
  const name = joined.replace(/^[0-9_]+(?=[A-Za-z])/, '')
  return NAME.test(name) ? name : fallback
}

const RESERVED = /^(?:rowversion|rowid|oid|_rowid_|formloadtime|isnew)$/i

/** A column's name; one that the engine or the deployed application uses has a word behind it. */
export function toColumnName(raw: string, at: number, declared: DeclaredParameters): string {
  const name = toName(raw, `Column${at + 1}`)
  const isOwn =
    RESERVED.test(name) ||
    /^permit__|^action__|__label$/i.test(name) ||
    findReserved(name, declared) !== undefined
  if (!isOwn) return name
  const other = `${name.replace(/^_+|_+$/g, '').replaceAll('__', '_')}Value`
  return toColumnName(other, at, declared)
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** `order_details` and `order details` are `OrderDetails`; one in capitals is a word. */
export function toPascal(raw: string, fallback: string): string {
  const name = toName(raw, fallback)
  const words = name.split('_').filter((word) => word !== '')
  const isShouted = name === name.toUpperCase() && name.length > 3
  return words.map((word) => capitalize(isShouted ? word.toLowerCase() : word)).join('')
}

/**
 * The words of a name in lower case: of `CustomerID`, `customer_id` and `CUSTOMER_ID` the same.
 */
export const splitWords = (name: string): string[] =>
  (name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\d+|\p{Lo}+/gu) ?? []).map((word) =>
    word.toLowerCase(),
  )

/** Words whose plural equals the singular, and words with irregular plurals. */
const IRREGULAR: readonly (readonly [one: string, many: string])[] = [
  ['person', 'people'],
  ['child', 'children'],
  ['man', 'men'],
  ['woman', 'women'],
]
const UNCOUNTED = /(?:data|info|news|series|staff|equipment|stock|media)$/i

/** Returns the plural of a word; a list where there is no such word. */
export function toPlural(one: string): string {
  const irregular = swapEnd(one, IRREGULAR)
  if (irregular !== undefined) return irregular
  if (UNCOUNTED.test(one)) return `${one}List`
  if (/[^aeiou]y$/i.test(one)) return `${one.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/i.test(one) ? `${one}es` : `${one}s`
}

/** The word for one of them; the same where it is that already. */
export function toSingular(many: string): string {
  const irregular = swapEnd(
    many,
    IRREGULAR.map(([one, other]) => [other, one]),
  )
  if (irregular !== undefined) return irregular
  if (UNCOUNTED.test(many) || /(?:ss|us|is|as|os)$/i.test(many)) return many
  if (/[^aeiou]ies$/i.test(many)) return `${many.slice(0, -3)}y`
  if (/(?:sses|shes|ches|xes|zes|uses)$/i.test(many)) return many.slice(0, -2)
  return /[a-z]s$/i.test(many) ? many.slice(0, -1) : many
}

function swapEnd(
  word: string,
  pairs: readonly (readonly [from: string, to: string])[],
): string | undefined {
  for (const [from, to] of pairs) {
    if (!word.toLowerCase().endsWith(from)) continue
    const before = word.charAt(word.length - from.length - 1)
    const first = word.charAt(word.length - from.length)
    // `Human` is not a `man`: the word begins the name, or a word of it.
    if (before !== '' && first !== first.toUpperCase()) continue
    return word.slice(0, -from.length) + (first === first.toUpperCase() ? capitalize(to) : to)
  }
  return undefined
}
