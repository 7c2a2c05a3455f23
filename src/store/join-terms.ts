/** Terms of an expression side by side, however many an author brings. */

/** SQLite takes no expression that is 1,000 deep, and each term of a row of them is one deeper. */
const SIDE_BY_SIDE = 100

/** Terms under one operator that may be taken in groups, each in brackets; few stay as they are. */
export function joinTerms(terms: readonly string[], operator: 'OR' | 'AND' | '||'): string {
  const join = (some: readonly string[]): string => some.join(` ${operator} `)
  if (terms.length <= SIDE_BY_SIDE) return join(terms)
  const groups = Array.from({ length: Math.ceil(terms.length / SIDE_BY_SIDE) }, (_, at) =>
    terms.slice(at * SIDE_BY_SIDE, (at + 1) * SIDE_BY_SIDE),
  )
  return join(groups.map((group) => `(${join(group)})`))
}
