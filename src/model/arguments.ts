/** Arguments that a link, an effect or an embedded view hands on. */
import type { Argument } from './compiled/effect.ts'

/** `OrderId=Id Year='last' Id`: a name alone is the column of its name. */
export function parseWith(text: string): Argument[] {
  const parts = text.matchAll(/([A-Za-z][A-Za-z0-9_]*)(?:=(?:'([^']*)'|([A-Za-z][A-Za-z0-9_]*)))?/g)
  return [...parts].map(([, name = '', literal, column]) => ({
    name,
    literal,
    column: literal === undefined ? (column ?? name) : undefined,
  }))
}
