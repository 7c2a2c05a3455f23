/** Names of what background exports and imports are about. */
import type { JobRow } from '../../engine/jobs/job.ts'
import type { AppContext } from '../../server/context.ts'

/** Returns the present label of a job's object: its source ends with the name of the view. */
export function labelOf({ models }: AppContext, { Source }: Pick<JobRow, 'Source'>) {
  const name = Source.slice(Source.indexOf('/') + 1)
  return models.get().viewByKey.get(name.toLowerCase())?.label ?? name
}
