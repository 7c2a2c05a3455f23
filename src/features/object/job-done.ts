/** The result of a job, written in the transaction of its work. */
import type { Tx } from '../../store/store.ts'
import type { JobRun } from '../../engine/jobs/job.ts'

const DONE = `UPDATE svc_jobs SET Result = @result
  WHERE Id = @id AND State = 'Processing' AND Attempts = @attempt AND Result IS NULL`

/**
 * Records that a run did its work: a later run of the job finds it done.
 * @throws Error for a run that was given up or deleted meanwhile, so that it writes nothing
 */
export async function saveDone(tx: Tx, { job }: JobRun, done: unknown): Promise<void> {
  const args = { id: job.Id, attempt: job.Attempts, result: JSON.stringify(done) }
  if ((await tx.run(DONE, args)) === 0) throw new Error('This run of the job has ended')
}
