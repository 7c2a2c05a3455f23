/** Jobs: `/api/v1/hangfire`. */
import { denied } from '../../kernel/failure.ts'
import { renderStored } from '../../kernel/stored-messages.ts'
import type { Tx } from '../../store/store.ts'
import { JOB_STATES } from '../../store/tables/jobs.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { renewScope, USER_ADMINS } from '../../access/rights/admin-scope.ts'
import type { JobProgress } from '../../engine/jobs/active-run.ts'
import { renderHistory, renderLog } from '../../engine/jobs/job-history.ts'
import {
  countJobs,
  deleteJob,
  listJobs,
  requeueJob,
  requireJob,
} from '../../engine/jobs/job-records.ts'
import type { JobArguments, JobRow } from '../../engine/jobs/job.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { ok } from '../../server/reply.ts'
import { FEW_VALUES } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { openForgetting } from './forget-jobs.ts'
import { OWN_JOB_ROUTES } from './own-routes.ts'
import { AREA, plan, reachOf, SCOPE } from './plan.ts'
import { RECURRING_ROUTES } from './recurring-routes.ts'
import { RESUME_ROUTES } from './resume-route.ts'
import {
  byId,
  JobDescription,
  JobPage,
  JobsQuery,
  RequeueRequest,
  Servers,
  Statistics,
} from './schema.ts'

const STATISTICS = {
  response: Envelope(Statistics),
  detail: plan('getJobStatistics', 'How many jobs each state has', 'Counted, not estimated.'),
}

const LIST = {
  query: JobsQuery,
  response: Envelope(JobPage),
  detail: plan('listJobs', 'Jobs, the newest first', 'Narrowed by state, queue and name.'),
}

const GET = {
  params: byId,
  response: Envelope(JobDescription),
  detail: plan(
    'getJob',
    'A job with its arguments, log and history',
    'As it is now. Arguments, result and log are for the user whose job it is, and for System: ' +
      'to another Admin they are null, and the log is empty.',
  ),
}

const REQUEUE = {
  params: byId,
  body: RequeueRequest,
  response: Envelope(JobDescription),
  detail: {
    ...FEW_VALUES,
    ...plan(
      'requeueJob',
      'Restarts a job',
      'With all of its tries, and with other arguments where some are given: a dead letter is ' +
        'restarted with other arguments by System, or by a caller who may start it with their ' +
        'own (Execute on a procedure). 409 for one that runs or waits for a worker.',
    ),
    'x-example': {},
  },
}

const DELETE = {
  params: byId,
  response: Envelope(JobDescription),
  detail: plan(
    'deleteJob',
    'Ends a job for good',
    'A running job is stopped; jobs that wait for it are deleted, too.',
  ),
}

const SERVERS = {
  response: Envelope(Servers),
  detail: plan('listJobServers', 'The processes that run jobs', 'There is one.'),
}

function toEntry(app: AppContext, row: JobRow, language: string) {
  const run = JOB_STATES[row.State].isRunning ? app.jobs.findRun(row.Id) : undefined
  const stored = row.Progress === null ? null : (JSON.parse(row.Progress) as JobProgress)
  const { Id, Name, State, Queue, Priority, UserId, CompanyId, Source, CreatedAt, DueAt } = row
  const { StartedAt, FinishedAt, Attempts, AttemptsMax, Error } = row
  return {
    Id,
    Name,
    State,
    Queue,
    Priority,
    RunsAs: { UserId, CompanyId },
    Source,
    CreatedAt,
    DueAt: JOB_STATES[State].isDue ? DueAt : null,
    StartedAt,
    FinishedAt,
    Attempts,
    AttemptsMax,
    Progress: run?.latest ?? stored,
    Error: Error === null ? null : renderStored(Error, language),
  }
}

/**
 * Returns true when a caller may see a job's arguments and result: its own user and System. It was
 * made by that user's rights, or by the engine's, and may reveal records that another Admin of the
 * company is not shown. The address of a file would give them the file, too.
 */
const showsWork = (caller: Caller, { UserId, ImpersonatorId, ApiKeyId }: JobRow): boolean =>
  caller.isSystem ||
  (UserId === caller.userId &&
    ImpersonatorId === (caller.impersonatorId ?? null) &&
    (caller.apiKey === undefined || caller.apiKey.id === ApiKeyId))

function toDescription(
  app: AppContext,
  { caller, language }: { caller: Caller; language: string },
  row: JobRow,
) {
  const isShown = showsWork(caller, row)
  const log = isShown ? (app.jobs.findRun(row.Id)?.logText ?? row.Log) : null
  const { ExclusiveKey, AfterId, BatchId, AfterBatch, Recurring, Server } = row
  return {
    ...toEntry(app, row, language),
    Arguments: isShown ? (JSON.parse(row.Arguments) as JobArguments) : null,
    Result: isShown && row.Result !== null ? (JSON.parse(row.Result) as unknown) : null,
    Log: log === null ? [] : renderLog(log, language),
    History: renderHistory(row.History, language),
    ExclusiveKey,
    AfterId,
    BatchId,
    AfterBatch,
    Recurring,
    Server,
  }
}

/** Arguments of one's own make a call of one's own. @throws denied */
function requireMender(jobs: AppContext['jobs'], caller: Caller, { Name }: JobRow): void {
  if (caller.isSystem) return
  const kind = jobs.findKind(Name)
  if (!kind?.requireMayAsk) throw denied()
  kind.requireMayAsk(caller)
}

/** Changes a job, held to the caller's reach as it is then. */
const write = (
  { store }: AppContext,
  caller: Caller,
  work: (tx: Tx, job: JobRow) => Promise<void>,
  id: number,
): Promise<void> =>
  store.write(async (tx) => {
    const { companies } = await renewScope(tx, caller, USER_ADMINS)
    await work(tx, await requireJob(tx, companies, id))
  }, SCOPE)

async function load({ app, caller, language }: RequestCall, id: number) {
  const job = await requireJob(app.store, await reachOf(app, caller), id)
  return toDescription(app, { caller, language }, job)
}

/** Writes a change, checked by the rights at that time. */
async function change(call: RequestCall, id: number, work: Parameters<typeof write>[2]) {
  await write(call.app, call.caller, work, id)
  return ok(await load(call, id))
}

/** Gate: System or Admin; each sees the jobs in their reach. */
const JOB_ROUTES: RouteGroup = {
  prefix: '/api/v1/hangfire',
  area: AREA.name,
  routes: [
    route('GET', '/statistics', STATISTICS, async ({ app, caller }) =>
      ok(await countJobs(app.store, await reachOf(app, caller))),
    ),
    route('GET', '/jobs', LIST, async ({ app, caller, language, query }) => {
      const { state, queue, name } = query
      const page = Number(query.page ?? 1)
      const reach = await reachOf(app, caller)
      const found = await listJobs(app.store, reach, { state, queue, name, page })
      const Jobs = found.jobs.map((row) => toEntry(app, row, language))
      return ok({ Jobs, Page: page, HasNext: found.hasNext })
    }),
    route('GET', '/jobs/:id', GET, async (call) => ok(await load(call, Number(call.params.id)))),
    route('POST', '/jobs/:id/requeue', REQUEUE, (call) => {
      const { app, caller, body } = call
      const facts = { now: app.clock.now(), by: caller.userName }
      const mended = body.Arguments ?? undefined
      return change(call, Number(call.params.id), (tx, job) => {
        if (mended) requireMender(app.jobs, caller, job)
        return requeueJob(tx, job, { ...facts, mended })
      })
    }),
    route('DELETE', '/jobs/:id', DELETE, (call) => {
      const { caller, app } = call
      const { jobs, clock } = app
      return change(call, Number(call.params.id), async (tx, job) => {
        const ids = await deleteJob(tx, job, { now: clock.now(), by: caller.userName })
        if (ids.includes(job.Id)) await jobs.findKind(job.Name)?.onDeleted?.(tx, job)
        tx.afterCommit(() => ids.forEach((id) => jobs.findRun(id)?.end('deleted')))
      })
    }),
    route('GET', '/servers', SERVERS, ({ app }) => ok([app.jobs.describe()])),
  ],
}

/** See `Feature`. */
export const hangfireFeature: Feature = {
  areas: [AREA],
  routes: [JOB_ROUTES, RECURRING_ROUTES, RESUME_ROUTES, OWN_JOB_ROUTES],
  background: [openForgetting],
}
