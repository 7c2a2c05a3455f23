/** Jobs of the server, followed to their end. */
import { ServerError } from '../api/server-error.ts'
import { markJobsSeen, noteJobs } from './jobs.ts'

/** A job as each kind tells it. */
interface Job {
  State: string
  Done: number
  Total: number | null
  Error: string | null
}

const POLL_MS = 500

/** States in which a job comes to nothing more. */
const ENDS: Readonly<Record<string, 'cancelled' | 'refused' | undefined>> = {
  Deleted: 'cancelled',
  Failed: 'refused',
}

/**
 * Asks for a job until it has what `find` looks for; undefined for one that was cancelled. Its end
 * is seen by that.
 * @throws ServerError as the job tells it; the signal's reason once it is aborted
 */
export async function followJob<J extends Job, Result>(
  jobId: number,
  load: () => Promise<J>,
  find: (job: J) => Result | null,
  { signal, onProgress }: { signal?: AbortSignal; onProgress: (job: Job) => void },
): Promise<Result | undefined> {
  noteJobs()
  for (;;) {
    const job = await load()
    const found = find(job)
    const end = ENDS[job.State]
    if (found !== null || end !== undefined) markJobsSeen([jobId])
    if (found !== null) return found
    if (end === 'cancelled') return undefined
    if (end === 'refused') throw new ServerError(409, { error: job.Error ?? job.State })
    onProgress(job)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    signal?.throwIfAborted()
  }
}
