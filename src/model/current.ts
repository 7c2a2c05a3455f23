/** The model that serves now. A deploy replaces it whole; a request takes it once and keeps it. */
import type { Model } from './model.ts'

/** Holds the one model; a request asks once and works with what it got to its end. */
export class CurrentModel {
  #model: Model
  readonly #followers: (() => void)[] = []

  constructor(model: Model) {
    this.#model = model
  }

  get(): Model {
    return this.#model
  }

  replace(model: Model): void {
    this.#model = model
    for (const follower of this.#followers) follower()
  }

  /** Tells `follower` of every replacement from now on. */
  follow(follower: () => void): void {
    this.#followers.push(follower)
  }
}
