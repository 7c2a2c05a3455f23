/** Jobs that come again: `/api/v1/hangfire/recurring`. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { renewScope, USER_ADMINS } from '../../access/rights/admin-scope.ts'
import { findStates, type JobReach } from '../../engine/jobs/job-records.ts'
import type { RecurringJob } from '../../engine/jobs/recurring-job.ts'
import type { RecurringState } from '../../engine/jobs/recurring-jobs.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { AREA, plan, reachOf, SCOPE } from './plan.ts'
import { byName, RecurringEntry, RecurringList } from './schema.ts'

const LIST = {
  response: Envelope(RecurringList),
  detail: plan(
    'listRecurringJobs',
    'Jobs that come again by themselves',
    'Those of schedules in the model and in extensions, by name. System sees all of them, an ' +
      'Admin those of the companies that they administer.',
  ),
}

const change = (operationId: string, summary: string, description: string) => ({
  params: byName,
  response: Envelope(RecurringEntry),
  detail: plan(operationId, summary, description),
})

const TRIGGER = change(
  'triggerRecurringJob',
  'Has it done once, now',
  'Its times stay as they are; one that is paused stays paused. Its runs are done one by one.',
)

const PAUSE = change(
  'pauseRecurringJob',
  'Has it come no more',
  'Until it is resumed; also over a restart. Runs that wait already are done.',
)

const RESUME = change(
  'resumeRecurringJob',
  'Has it come again',
  'What was missed meanwhile is not made up for.',
)

const isReached = (reach: JobReach, { companyId }: RecurringJob): boolean =>
  reach === undefined || (companyId !== null && reach.has(companyId))

const toEntry = (state: RecurringState, lastState: string | undefined) => ({
  Name: state.job.name,
  Job: state.job.job,
  Cron: state.job.cron,
  TimeZone: state.job.timeZone,
  Missed: state.job.missed,
  CompanyId: state.job.companyId,
  Paused: state.paused,
  NextRun: state.nextRun?.toISOString() ?? null,
  LastRun: state.lastRun?.toISOString() ?? null,
  LastState: lastState ?? null,
  LastJobId: state.lastJobId ?? null,
})

async function list({ store, recurring }: AppContext, reach: JobReach) {
  const states = (await recurring.listStates()).filter(({ job }) => isReached(reach, job))
  const last = await findStates(
    store,
    states.flatMap(({ lastJobId }) => lastJobId ?? []),
  )
  return states.map((state) => toEntry(state, last.get(state.lastJobId ?? 0)))
}

/** Writes a change, checked by the rights at that time, and audits it. */
async function write(
  { app, caller, traceId }: RequestCall,
  name: string,
  action: 'trigger' | 'pause' | 'resume',
) {
  const { store, recurring, clock } = app
  const jobs = await recurring.list()
  await store.write(async (tx) => {
    const { companies } = await renewScope(tx, caller, USER_ADMINS)
    const job = jobs.find((each) => each.name === name && isReached(companies, each))
    if (!job) throw missing()
    await recurring[action](tx, job)
    const facts = { now: clock.now(), source: 'hangfire/recurring', traceId }
    const entry = { entity: 'svc_recurring' as const, id: job.name, action, changes: {} }
    await writeAudit(tx, actorOf(caller, facts), entry)
  }, SCOPE)
  const entry = (await list(app, await reachOf(app, caller))).find(({ Name }) => Name === name)
  if (!entry) throw missing()
  return ok(entry)
}

/** Gate: System or Admin; each sees those in their reach. */
export const RECURRING_ROUTES: RouteGroup = {
  prefix: '/api/v1/hangfire',
  area: AREA.name,
  routes: [
    route('GET', '/recurring', LIST, async ({ app, caller }) =>
      ok(await list(app, await reachOf(app, caller))),
    ),
    route('POST', '/recurring/:name/trigger', TRIGGER, (call) =>
      write(call, call.params.name, 'trigger'),
    ),
    route('POST', '/recurring/:name/pause', PAUSE, (call) =>
      write(call, call.params.name, 'pause'),
    ),
    route('POST', '/recurring/:name/resume', RESUME, (call) =>
      write(call, call.params.name, 'resume'),
    ),
  ],
}

const missing = () =>
  notFound(say`There is no such recurring job`, { code: 'RECURRING_JOB_NOT_FOUND' })
