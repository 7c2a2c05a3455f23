/** The model that serves now. A deploy replaces it whole; a request takes it once and keeps it. */
import type { Model } from './model.ts'

export class CurrentModel {
  #model: Model

  constructor(model: Model) {
    this.#model = model
  }

  get(): Model {
    return this.#model
  }

  replace(model: Model): void {
    this.#model = model
  }
}
