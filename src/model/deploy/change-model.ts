/** Changes of the model that a running server is asked for. */
import { Failure } from '../../kernel/failure.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { DEPLOY_OVERTAKEN } from './overtaken.ts'

/** Deploys, designers' saves and changes of rights. */
const changing = new Semaphore(1)

/** Attempts at planning a change that others, made another way, may overtake. */
const ATTEMPTS = 3

/**
 * Plans a change of the model and carries it out, one after another by turns of their users, so
 * that none makes another plan again. A change that is overtaken after all, as by the watcher of a
 * folder, is planned again. `work` takes the model when it is called.
 * @throws what `work` throws, unavailable (503) when too many wait
 */
export function changeModel<T>(by: number, work: () => Promise<T>): Promise<T> {
  const attempt = async (left: number): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const isOvertaken = error instanceof Failure && error.code === DEPLOY_OVERTAKEN
      if (!isOvertaken || left === 0) throw error
      return attempt(left - 1)
    }
  }
  return changing.run(() => attempt(ATTEMPTS - 1), String(by))
}
