/** Rows of each table that a transaction changed, where a follower wants to know them. */

/** More keys than these are not listed. */
export const CHANGED_KEYS_MAX = 2000

type Keys = readonly (string | number)[]

/** Keys by table, in lower case; undefined for a table whose rows are not listed. */
export class ChangedRows {
  readonly #tables = new Map<string, Set<string | number> | undefined>()

  get tables(): ReadonlyMap<string, Keys | undefined> {
    return new Map([...this.#tables].map(([table, keys]) => [table, keys && [...keys]]))
  }

  /** Adds rows of a table; a table that was added without its rows stays without them. */
  add(table: string, keys: Keys | undefined): void {
    this.#add(table.toLowerCase(), keys)
  }

  #add(name: string, keys: Iterable<string | number> | undefined): void {
    const known = this.#tables.has(name) ? this.#tables.get(name) : new Set<string | number>()
    if (keys) for (const key of keys) known?.add(key)
    const isListed = known !== undefined && keys !== undefined && known.size <= CHANGED_KEYS_MAX
    this.#tables.set(name, isListed ? known : undefined)
  }

  addAll(others: ChangedRows): void {
    for (const [table, keys] of others.#tables) this.#add(table, keys)
  }
}
