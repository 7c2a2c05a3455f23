/** Shadows before authored SQL, which itself is never edited. */

/** `WITH …⏎SELECT * FROM (⏎authored⏎)`. */
export const composeRead = (head: string, text: string): string =>
  `${head}SELECT * FROM (\n${text}\n)`

/** Levels of brackets that the engine sets around a query at most: page, filters, JSON, bytes. */
const COMPOSED_LEVELS = 6

/** Composes a query as deep as the engine ever sets one: none is too deep for SQLite later. */
export const composeDeep = (head: string, text: string): string =>
  `${head}${'SELECT * FROM (\n'.repeat(COMPOSED_LEVELS)}${text}${'\n)'.repeat(COMPOSED_LEVELS)}`

/** `WITH …⏎SELECT 1 FROM (⏎query⏎) WHERE (⏎condition⏎)`: how a condition is checked. */
export const composeCondition = (head: string, query: string, condition: string): string =>
  `${head}SELECT 1 FROM (\n${query}\n) WHERE (\n${condition}\n)`

/**
 * The head (`WITH a AS (…), …⏎`, or '') before an INSERT, UPDATE or DELETE. Its own WITH, which
 * opens up to `withAt`, goes on in the head's; RECURSIVE is a noise word to SQLite.
 */
export function composeDml(head: string, text: string, withAt: number | undefined): string {
  if (head === '') return text
  return withAt === undefined ? head + text : `${head.trimEnd()},\n${text.slice(withAt)}`
}
