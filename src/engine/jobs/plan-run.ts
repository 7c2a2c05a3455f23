/** Runs of jobs that are planned with the model, also when it is replaced during one. */
import { say } from '../../kernel/messages.ts'
import { NOBODY_WAITS, planAnewWhenReplaced, type Serving } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import type { JobRun } from './job.ts'

/**
 * Does the work of a run with the serving model; from its beginning, within the same try, each time
 * a deploy comes between that touches its plan. Work that failed must have committed nothing.
 * @throws what `work` throws, and the abort reason of a run that was asked to stop
 */
export function planRun<T>(
  serving: Serving,
  run: Pick<JobRun, 'signal' | 'log'>,
  work: (model: Model) => Promise<T>,
): Promise<T> {
  let isFirst = true
  const planned = async (model: Model): Promise<T> => {
    run.signal.throwIfAborted()
    if (!isFirst) run.log(say`The model has changed. The job starts over.`)
    isFirst = false
    return work(model)
  }
  return planAnewWhenReplaced(serving, planned, NOBODY_WAITS)
}
