/** Which rows of which tables a transaction changed, as far as anyone wants to know. */

/** More keys than these are not told. */
export const CHANGED_KEYS_MAX = 500

type Keys = readonly (string | number)[]

/** Keys by table, in lower case; undefined for a table whose rows are not told. */
export class ChangedRows {
  readonly #tables = new Map<string, (string | number)[] | undefined>()

  get tables(): ReadonlyMap<string, Keys | undefined> {
    return this.#tables
  }

  /** Adds rows of a table; what was not told once stays so. */
  add(table: string, keys: Keys | undefined): void {
    const name = table.toLowerCase()
    const known = this.#tables.has(name) ? this.#tables.get(name) : []
    const all = known && keys ? [...new Set([...known, ...keys])] : undefined
    this.#tables.set(name, all && all.length <= CHANGED_KEYS_MAX ? all : undefined)
  }

  addAll(others: ChangedRows): void {
    for (const [table, keys] of others.tables) this.add(table, keys)
  }
}
