/**
 * Names of the model language: their shapes, their defaults, and the nearest one to a misspelt one.
 */
import { findNearestName } from '../kernel/nearest-name.ts'

/** `OrderLines` is `order-lines`, `HTTPServer` is `http-server`: the default slug of a view. */
export function toKebabCase(name: string): string {
  return splitWords(name).join('-').toLowerCase()
}

/**
 * A label's default: the name in words, an `Id` at its end left out. `CustomerId` is "Customer",
 * `OrderLine` "Order line", `VATNumber` "VAT number", `Id` stays "Id".
 */
export function toWords(name: string): string {
  const words = splitWords(name)
  if (words.length > 1 && words.at(-1) === 'Id') words.pop()
  const [first = name, ...rest] = words
  const lower = rest.map((word) => (isAcronym(word) ? word : word.toLowerCase()))
  return [first.charAt(0).toUpperCase() + first.slice(1), ...lower].join(' ')
}

/**
 * The name that was probably meant: the same in another case, or few letters away; else undefined.
 */
export function findNearest(name: string, names: Iterable<string>): string | undefined {
  return findNearestName(name, names)
}

function splitWords(name: string): string[] {
  return name.match(/[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g) ?? [name]
}

function isAcronym(word: string): boolean {
  return word.length > 1 && word === word.toUpperCase()
}
