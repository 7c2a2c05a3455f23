/** The results of jobs, written in the transaction of its work. */
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

/** Characters of the faults that the result of a job lists. */
const FAULTS_CHARACTERS_MAX = 40_000

/** The first of the faults, as many as the result of a job has room for. */
export function fitFaults<F>(faults: readonly F[]): F[] {
  let characters = 0
  return faults.filter(
    (fault) => (characters += JSON.stringify(fault).length) < FAULTS_CHARACTERS_MAX,
  )
}
