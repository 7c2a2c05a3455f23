import type { Element } from '../element.ts'
import type { Argument } from '../model.ts'
import { readText, readWords } from './attributes.ts'

/** `OrderId=Id Line=Number` as pairs of names. */
export function readPairs(element: Element, attribute: string): [string, string][] {
  return readWords(element, attribute).map((pair) => {
    const [left = '', right = left] = pair.split('=')
    return [left, right]
  })
}

/** `With="OrderId=Id Year='last' Id"`: a name alone is the column of its name. */
export function readWith(element: Element): Argument[] {
  const text = readText(element, 'With') ?? ''
  const parts = text.matchAll(/([A-Za-z][A-Za-z0-9_]*)(?:=(?:'([^']*)'|([A-Za-z][A-Za-z0-9_]*)))?/g)
  return [...parts].map(([, name = '', literal, column]) => ({
    name,
    literal,
    column: literal === undefined ? (column ?? name) : undefined,
  }))
}
