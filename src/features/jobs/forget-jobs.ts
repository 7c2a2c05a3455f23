/** Jobs that ended long ago are forgotten, a few at a time. */
import { Loop } from '../../kernel/background.ts'
import { MINUTE } from '../../kernel/setting.ts'
import { systemScope } from '../../store/store.ts'
import { JOB_STATE_NAMES, JOB_STATES, type JobEnd } from '../../store/tables/jobs.ts'
import { JOBS } from '../../engine/floor.ts'
import { forgetJobs } from '../../engine/jobs/job-records.ts'
import type { AppContext } from '../../server/context.ts'

const SCOPE = systemScope('jobs belong to every company')

const LOOK_MS = 10 * MINUTE

/** Factor by which dead letters, which may still be repaired, stay longer than done jobs. */
const FAILED_FACTOR = 4

/** Forgets what `Svc:Jobs:Retention` does not keep. */
export function openForgetting({ store, clock, settings, log }: AppContext): Loop {
  const retention = settings.get(JOBS.retention)
  const lasting: Readonly<Record<JobEnd, number>> = {
    closed: retention,
    deadLetter: FAILED_FACTOR * retention,
  }
  const loop: Loop = new Loop({
    name: 'jobs that are over',
    everyMs: LOOK_MS,
    log,
    steps: JOB_STATE_NAMES.flatMap((state) => {
      const { end } = JOB_STATES[state]
      if (end === undefined) return []
      return async () => {
        const before = new Date(clock.now().getTime() - lasting[end])
        const forgetSome = () => store.write((tx) => forgetJobs(tx, state, before), SCOPE)
        while (!loop.isStopping && (await forgetSome()));
      }
    }),
    failure: 'jobs that are over could not be forgotten',
  })
  return loop
}
