/** Shared parts of the routes of jobs. */
import { systemScope } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { loadScope, USER_ADMINS } from '../../access/rights/admin-scope.ts'
import type { JobReach } from '../../engine/jobs/job-records.ts'
import type { AppContext } from '../../server/context.ts'
import { rolesGate } from '../../server/gate.ts'

const GATE = rolesGate('System', 'Admin')

export const SCOPE = systemScope('jobs belong to every company')

export const AREA = {
  name: 'Jobs',
  description:
    'Work that is done after a commit, at least once. System sees all jobs, an Admin those of ' +
    'the companies that they administer, a user what they asked for.',
}

/** Describes a route of jobs for the document; all have one gate. */
export const plan = (operationId: string, summary: string, description: string) => ({
  'x-gate': GATE,
  operationId,
  summary,
  description: `${description} Gate: System or Admin.`,
})

/** Which jobs a caller looks after. @throws denied for one who administers nothing any more */
export async function reachOf(app: AppContext, caller: Caller): Promise<JobReach> {
  return (await loadScope(app.store, caller, USER_ADMINS)).companies
}
