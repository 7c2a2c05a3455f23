/** Translates the model beside the requests, so that none of them has to wait for it. */
import type { Log } from '../kernel/log.ts'
import { translateFor } from '../model/compile/translate.ts'
import type { CurrentModel } from '../model/current.ts'

/** How long others wait for the thread. */
const TURN_MS = 3
/** How long the thread is left to others in between. */
const PAUSE_MS = 6

/** Holds the model that serves in all of the languages that it has texts in. */
export class Translating {
  readonly #models: CurrentModel
  readonly #log: Log
  #isStopped = false
  #running: Promise<void> | undefined

  constructor(models: CurrentModel, log: Log) {
    this.#models = models
    this.#log = log
    models.follow(() => this.start())
  }

  /** Begins, in turns; a model that takes this one's place is translated in its turn. */
  start(): void {
    this.#running ??= this.#run()
      .catch((error: unknown) => this.#log.error('the model could not be translated', error))
      .finally(() => (this.#running = undefined))
  }

  /** Resolves when every language is there, or nothing goes on any more. */
  async settled(): Promise<void> {
    await this.#running
  }

  stop(): Promise<void> {
    this.#isStopped = true
    return this.settled()
  }

  async #run(): Promise<void> {
    for (;;) {
      const model = this.#models.get()
      const mayGoOn = (): boolean => !this.#isStopped && this.#models.get() === model
      for (const language of model.languages) {
        while (mayGoOn() && !translateFor(model, language, TURN_MS)) await Bun.sleep(PAUSE_MS)
      }
      if (this.#isStopped || this.#models.get() === model) return
    }
  }
}
