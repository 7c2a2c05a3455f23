/** The model that serves now. A deploy replaces it whole; a request takes it once and keeps it. */
import { Failure } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import type { Store } from '../store/store.ts'
import { COMPILER_HERE } from './compile-scripts.ts'
import type { Compiler } from './compile-scripts.ts'
import type { Model } from './model.ts'

/** What work is planned with, and what tells that the plan does not hold any more. */
export interface Serving {
  readonly store: Pick<Store, 'migrated'>
  readonly models: CurrentModel
}

/**
 * Whether what was planned with a model may have met the tables of another one: one that serves
 * instead, or whose commit is under way.
 */
export const isDoubtful = ({ store, models }: Serving, planned: Model): boolean =>
  models.get() !== planned || store.migrated() !== undefined

/** Whether another model than `planned` serves, once no commit of a migration is under way. */
export async function isReplaced({ store, models }: Serving, planned: Model): Promise<boolean> {
  await store.migrated()
  return models.get() !== planned
}

/** The code of a refusal for work that met another model than it was planned with. */
export const MODEL_CHANGED = 'MODEL_CHANGED'

/** 503: the model was replaced while the work was planned or ran, and changed nothing. */
export const modelChanged = (cause?: unknown): Failure =>
  new Failure('unavailable', say`The model has changed meanwhile; try again`, {
    code: MODEL_CHANGED,
    headers: { 'Retry-After': '1' },
    ...(cause !== undefined && { cause }),
  })

/** Holds the one model; a request asks once and works with what it got to its end. */
export class CurrentModel {
  /** What makes the next one. */
  readonly compiler: Compiler
  #model: Model

  constructor(model: Model, compiler: Compiler = COMPILER_HERE) {
    this.compiler = compiler
    this.#model = model
  }

  get(): Model {
    return this.#model
  }

  replace(model: Model): void {
    this.#model = model
  }
}
