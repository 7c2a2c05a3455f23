/**
 * Bounds what a short text costs to prepare, where no deadline reaches: SQLite copies a WITH
 * expression at each mention, so that thirty short ones can keep it busy for good.
 */
import { SqlFault } from './gate-fault.ts'
import { mayReadTable, type Cte, type Outline } from './gate-outline.ts'

/** How many copies of its WITH expressions a statement may make. */
export const EXPANSIONS_MAX = 500

/** Words whose cost to SQLite's planner grows by a power of their number, and how many may be. */
const WORDS_MAX: Readonly<Record<string, number>> = { natural: 8, over: 100 }

/** @throws SqlFault for more of a costly word than a statement may hold */
export function requireBoundedWords({ tokens }: Outline): void {
  const counts = new Map<string, number>()
  for (const { kind, key, start } of tokens) {
    const limit = kind === 'word' && Object.hasOwn(WORDS_MAX, key) ? WORDS_MAX[key] : undefined
    if (limit === undefined) continue
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (count > limit)
      throw new SqlFault(`More than ${limit} times ${key.toUpperCase()} in a statement`, start)
  }
}

/**
 * @throws SqlFault when the expressions grow beyond `EXPANSIONS_MAX`, contain themselves in a
 *   nested one of the same name, or go round in circles
 */
export function requireBoundedCtes(shape: Outline): void {
  const byName = Map.groupBy(shape.ctes, ({ name }) => name.key)
  const costs = new Map<string, number>()
  const costOf = (cte: Cte, trail: readonly string[]): number => {
    const { key } = cte.name
    const known = costs.get(key)
    if (known !== undefined) return known
    if (trail.includes(key))
      throw new SqlFault(
        `WITH expressions go round in a circle at ${cte.name.value}`,
        cte.name.start,
      )
    const bodies = byName.get(key) ?? []
    const inside = bodies.flatMap(({ open, close }) => mentions(shape, byName, open, close))
    const others = inside.filter((mention) => mention.name.key !== key)
    const cost = others.reduce((sum, other) => sum + costOf(other, [...trail, key]), 1)
    if (cost > EXPANSIONS_MAX) throw refuseExpansion(cte)
    costs.set(key, cost)
    return cost
  }
  for (const cte of shape.ctes) requireOwnScope(cte, byName.get(cte.name.key) ?? [])
  const all = mentions(shape, byName, -1, shape.tokens.length)
  const total = all.reduce((sum, mention) => sum + costOf(mention, []), 0)
  const first = shape.ctes[0]
  if (first && total > EXPANSIONS_MAX) throw refuseExpansion(first)
}

const refuseExpansion = ({ name }: Cte): SqlFault =>
  new SqlFault(
    `WITH expressions that mention each other grow to more than ${EXPANSIONS_MAX} copies`,
    name.start,
  )

function requireOwnScope(cte: Cte, namesakes: readonly Cte[]): void {
  if (namesakes.some((other) => other.open < cte.at && cte.at < other.close))
    throw new SqlFault(
      `${cte.name.value} stands within another of its name: rename it`,
      cte.name.start,
    )
}

/** The expressions that are mentioned between two brackets, once for each mention. */
function mentions(
  { tokens }: Outline,
  byName: ReadonlyMap<string, readonly Cte[]>,
  open: number,
  close: number,
): Cte[] {
  const found: Cte[] = []
  for (let at = open + 1; at < close; at++) {
    if (!mayReadTable(tokens, at)) continue
    const [cte] = byName.get(tokens[at]?.key ?? '') ?? []
    if (cte && cte.at !== at) found.push(cte)
  }
  return found
}
