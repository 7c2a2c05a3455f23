/** Names of the language from any source names. */
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

/** Least tables that share the beginning of a name. */
const SHARING_MIN = 3

/** Finds how every table's name begins, as `wp_` in WordPress; '' where they share nothing. */
export function findPrefix(tables: readonly string[]): string {
  const prefix = /^[A-Za-z0-9]+_/.exec(tables[0] ?? '')?.[0] ?? ''
  const isShared =
    prefix !== '' &&
    tables.length >= SHARING_MIN &&
    tables.every((name) => name.startsWith(prefix) && /^[A-Za-z]/.test(name.slice(prefix.length)))
  return isShared ? prefix : ''
}

/** The name of a table without what only says that it is one: `tblOrders` is `Orders`. */
export const bareName = (raw: string, prefix: string): string =>
  raw.slice(prefix.length).replace(/^tbl_?(?=[A-Z]|(?<=_)[a-z])/, '')
