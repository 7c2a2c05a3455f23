/** Jobs that ended long ago are forgotten, a few at a time. */
import { Loop } from '../../kernel/background.ts'
import { MINUTE } from '../../kernel/setting.ts'
import { systemScope } from '../../store/store.ts'
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
  const lasting = { Succeeded: retention, Deleted: retention, Failed: FAILED_FACTOR * retention }
  const loop: Loop = new Loop({
    name: 'jobs that are over',
    everyMs: LOOK_MS,
    log,
    steps: Object.entries(lasting).map(([state, milliseconds]) => async () => {
      const before = new Date(clock.now().getTime() - milliseconds)
      const forgetSome = () =>
        store.write((tx) => forgetJobs(tx, state as keyof typeof lasting, before), SCOPE)
      while (!loop.isStopping && (await forgetSome()));
    }),
    failure: 'jobs that are over could not be forgotten',
  })
  return loop
}
