/** Changes that users make to what is theirs alone, told to their other clients. */

/** A change of a user's own: a setting, in all companies, or views of an object in one. */
type OwnChange =
  | { readonly kind: 'setting'; readonly userId: number; readonly key: string }
  | {
      readonly kind: 'views'
      readonly userId: number
      readonly companyId: number
      readonly object: string
    }

type OwnListener = (change: OwnChange) => void

/** Tells subscribers of each change, after its commit. */
export class OwnChanges {
  readonly #listeners = new Set<OwnListener>()

  /** Calls `listener` with each change; the returned function ends the subscription. */
  subscribe(listener: OwnListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  tell(change: OwnChange): void {
    for (const listener of this.#listeners) listener(change)
  }
}
