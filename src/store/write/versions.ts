/** Versions of tables: how often each changed, and the ones that a commit is changing right now. */
import type { Follower, TableChanges } from '../store.ts'

/**
 * The versions of one file's tables, by name in lower case. A commit can be seen from some moment
 * between `beginCommit` and `endCommit`; the versions rise at its end.
 */
export class Versions {
  readonly #counts = new Map<string, number>()
  #committing: TableChanges | undefined
  #migrated: PromiseWithResolvers<void> | undefined
  readonly #followers: Follower[] = []

  /** Returns how often a table changed since the start. */
  find(table: string): number {
    return this.#counts.get(table) ?? 0
  }

  /** See `Store.stamp`. Counts only rise, so that their sum is the same only when each one is. */
  stamp(tables: readonly string[]): number | undefined {
    const committing = this.#committing
    if (committing === 'all') return undefined
    let sum = 0
    for (const table of tables) {
      if (committing?.has(table)) return undefined
      sum += this.#counts.get(table) ?? 0
    }
    return sum
  }

  follow(follower: Follower): void {
    this.#followers.push(follower)
  }

  /** Checks that a follower wants to know which rows of a table change. */
  isFollowed(table: string): boolean {
    return this.#followers.some((follower) => follower.follows(table))
  }

  /** Notes that readers may see a commit from here on. There is one at a time. */
  beginCommit(changes: TableChanges): void {
    this.#committing = changes
    if (changes === 'all') this.#migrated = Promise.withResolvers()
    for (const follower of this.#followers) follower.begin(changes)
  }

  /** Ends the commit that was begun, if any, well or not: versions of its tables rise. */
  endCommit(): void {
    const changes = this.#committing
    if (changes === undefined) return
    this.lift(changes === 'all' ? [...this.#counts.keys()] : changes.keys())
    this.#committing = undefined
    this.#migrated?.resolve()
    this.#migrated = undefined
    for (const follower of this.#followers) follower.end?.(changes)
  }

  /** See `Store.migrated`. */
  migrated(): Promise<void> | undefined {
    return this.#migrated?.promise
  }

  /** Lifts the versions of tables. */
  lift(tables: Iterable<string>): void {
    for (const table of tables) this.#counts.set(table, this.find(table) + 1)
  }
}
