/** Changes of comments, told to those who have their record open. */
import type { RecordPlace } from './comment-records.ts'

type CommentListener = (place: RecordPlace) => void

/** Tells subscribers of each record whose comments changed, after the commit. */
export class CommentChanges {
  readonly #listeners = new Set<CommentListener>()

  /** Calls `listener` with the record of each change. */
  subscribe(listener: CommentListener): void {
    this.#listeners.add(listener)
  }

  tell(place: RecordPlace): void {
    for (const listener of this.#listeners) listener(place)
  }
}
