/** Progress of work on objects that a job does. */
import type { JobRun } from '../../engine/jobs/job.ts'
import type { Progress } from '../../engine/progress.ts'
import type { AppContext } from '../../server/context.ts'

/** Reports progress to the job, and by the job to the hub; a step may end a stopped run. */
export const followRun = (
  { progress }: Pick<AppContext, 'progress'>,
  run: JobRun,
): Pick<Progress, 'report'> => ({
  report: (_, owner, report) => {
    if (report.State !== 'running')
      return progress.report(`job:${run.job.Id}`, owner, { ...report, Kind: run.job.Name })
    run.signal.throwIfAborted()
    run.progress(report.Done, report.Total)
  },
})
