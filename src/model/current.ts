/** The model that serves now. A deploy replaces it whole; a request takes it once and keeps it. */
import { Failure } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import type { Store } from '../store/store.ts'
import { type Compiler, COMPILER_HERE } from './compile/compile-scripts.ts'
import type { Model } from './model.ts'

/** The store and models that a plan is made with; they tell when it no longer holds. */
export interface Serving {
  readonly store: Pick<Store, 'migrated'>
  readonly models: CurrentModel
}

/**
 * True when a plan made with a model may have met the tables of another one: a model that serves
 * instead, or whose commit is under way.
 */
export const mayBeReplaced = ({ store, models }: Serving, planned: Model): boolean =>
  !models.holds(planned) || store.migrated() !== undefined

/**
 * True when a model serves that plans records otherwise than `planned`, once no commit of a
 * migration is under way.
 */
export async function isReplaced({ store, models }: Serving, planned: Model): Promise<boolean> {
  await store.migrated()
  return !models.holds(planned)
}

/** The code of a refusal for work that met another model than it was planned with. */
const MODEL_CHANGED = 'MODEL_CHANGED'

/**
 * Unavailable (503): the model was replaced while the work was planned or ran; nothing changed.
 * `names` are the changed parts that the caller may know.
 */
export const modelChanged = (cause?: unknown, names: readonly string[] = []): Failure =>
  new Failure(
    'unavailable',
    names.length > 0
      ? say`The model changed in the meantime (${names.join(', ')}). Try again.`
      : say`The model changed in the meantime. Try again.`,
    {
      code: MODEL_CHANGED,
      headers: { 'Retry-After': '1' },
      ...(cause !== undefined && { cause }),
    },
  )

/** True when a transaction was refused because of another model: none of its changes remain. */
export const isModelChanged = (error: unknown): boolean =>
  error instanceof Failure && error.code === MODEL_CHANGED

/**
 * Most plans for work that a caller waits for: before each but the first, a deploy has come between
 * that touched the plan.
 */
export const PLANS_MAX = 10

/** Options of replanning. */
interface Replanning {
  /** Most plans; unlimited for background work. */
  plansMax?: number
  /** Set for work that writes nothing: its result counts only if its plan still holds then. */
  isReading?: boolean
}

/**
 * Does work that is planned with the model that serves; from its beginning and with the model of
 * then, as often as another one comes between that touches the plan: whatever the work failed at
 * may be for that. Work that failed must have committed nothing. @throws what `work` throws
 */
export async function planAnewWhenReplaced<T>(
  serving: Serving,
  work: (model: Model) => Promise<T>,
  { plansMax = PLANS_MAX, isReading = false }: Replanning = {},
): Promise<T> {
  for (let plans = 1; ; plans++) {
    const model = serving.models.get()
    try {
      const answer = await work(model)
      if (!isReading || !mayBeReplaced(serving, model)) return answer
      await serving.store.migrated()
      throw modelChanged()
    } catch (error) {
      if (plans >= plansMax) throw error
      const isOutdated = isModelChanged(error) || (await isReplaced(serving, model))
      if (!isOutdated) throw error
    }
  }
}

/** Replanning of work in the background: through as many deploys as it has to. */
export const NOBODY_WAITS: Replanning = { plansMax: Infinity }

/** Holds the one model; a request asks once and works with what it got to its end. */
export class CurrentModel {
  /** The compiler of the next model. */
  readonly compiler: Compiler
  #model: Model

  constructor(model: Model, compiler: Compiler = COMPILER_HERE) {
    this.compiler = compiler
    this.#model = model
  }

  get(): Model {
    return this.#model
  }

  /**
   * True when a plan made with a model is as the serving one would make it: records always count,
   * and of the documents (see `Model.documents`) those that the plan uses.
   */
  holds(planned: Model, documents: readonly string[] = []): boolean {
    const now = this.#model
    if (planned === now) return true
    return (
      planned.recordHash === now.recordHash &&
      documents.every((key) => planned.documents.get(key) === now.documents.get(key))
    )
  }

  /** Throws, or does nothing while a plan `holds`. @throws unavailable (`MODEL_CHANGED`) */
  requireHeld(planned: Model, documents?: readonly string[]): undefined {
    if (!this.holds(planned, documents)) throw modelChanged()
    return undefined
  }

  replace(model: Model): void {
    this.#model = model
  }
}
