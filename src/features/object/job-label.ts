/** Names of what background exports and imports are about. */
import type { JobRow } from '../../engine/jobs/job.ts'
import type { AppContext } from '../../server/context.ts'

/** The name of a job's view, with which its source ends: `import-data/Orders`. */
export const viewNameOf = ({ Source }: Pick<JobRow, 'Source'>): string =>
  Source.slice(Source.indexOf('/') + 1)

/** Returns the present label of a job's object. */
export function labelOf({ models }: AppContext, job: Pick<JobRow, 'Source'>) {
  const name = viewNameOf(job)
  return models.get().viewByKey.get(name.toLowerCase())?.label ?? name
}
