/** The tables that a statement reads: they decide how long its answer holds. */
/** Names in lower case, sorted, each once. Equal sets are one value. */
export type TableSet = readonly string[] & { readonly '': unique symbol }

const known = new Map<string, TableSet>()

/** Tables that decide what published names show: by members of a company, and by cascades. */
const ACCESS_TABLES = ['svc_users', 'svc_companies', 'svc_user_roles', 'svc_user_companies']

/**
 * Returns the set of these tables, with the tables behind the published ones among them.
 */
export function toTableSet(tables: Iterable<string>): TableSet {
  const names = new Set<string>()
  for (const table of tables) names.add(table.toLowerCase())
  if (ACCESS_TABLES.some((table) => names.has(table)))
    for (const table of ACCESS_TABLES) names.add(table)
  const sorted = [...names].sort()
  const key = sorted.join('\n')
  const same = known.get(key)
  if (same !== undefined) return same
  const set = Object.freeze(sorted) as unknown as TableSet
  known.set(key, set)
  return set
}
