import type { Element } from '../element.ts'
import { readText, readWords } from './attributes.ts'

/** `OrderId=Id Line=Number` as pairs of names. */
export function readPairs(element: Element, attribute: string): [string, string][] {
  return readWords(element, attribute).map((pair) => {
    const [left = '', right = left] = pair.split('=')
    return [left, right]
  })
}

/** An argument of a `With`: a name with the column or the literal that gives its value. */
export interface WithArgument {
  name: string
  column: string | undefined
  literal: string | undefined
}

/** `With="OrderId=Id Year='last' Id"`: a name alone is the column of its name. */
export function readWith(element: Element): WithArgument[] {
  const text = readText(element, 'With') ?? ''
  const parts = text.matchAll(/([A-Za-z][A-Za-z0-9_]*)(?:=(?:'([^']*)'|([A-Za-z][A-Za-z0-9_]*)))?/g)
  return [...parts].map(([, name = '', literal, column]) => ({
    name,
    literal,
    column: literal === undefined ? (column ?? name) : undefined,
  }))
}
