/** Jobs of users' own: `/api/v1/svc/jobs/mine` (src/server/README.md, Own jobs). */
import { notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { renderStored } from '../../kernel/stored-messages.ts'
import { JOB_STATES } from '../../store/tables/jobs.ts'
import type { JobRow, OwnResult, OwnWork } from '../../engine/jobs/job.ts'
import { cancelOwnJob, findOwnJob, listOwnJobs } from '../../engine/jobs/own-jobs.ts'
import type { RequestCall } from '../../server/call.ts'
import { planOwn } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { byOwnId, OwnJob, OwnJobs } from './own-schema.ts'
import { AREA } from './plan.ts'

const LIST = {
  response: Envelope(OwnJobs),
  detail: planOwn(
    'listOwnJobs',
    'What the caller has running in the background',
    'Imports, exports, bulk edits and reports of the caller in this company, the newest first: ' +
      'those that are not over, and those of the last day. The hub tells `progress` of `job:<Id>`.',
  ),
}

const CANCEL = {
  params: byOwnId,
  response: Envelope(OwnJob),
  detail: planOwn(
    'cancelOwnJob',
    'Cancels a job of the caller',
    'What it has done so far is undone. Leaves one that is over as it is.',
  ),
}

/** Gate: any caller, for their own. */
export const OWN_JOB_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/jobs/mine',
  area: AREA.name,
  routes: [
    route('GET', '', LIST, async (call) => {
      const { app, caller } = call
      const asked = { names: app.jobs.ownNames, now: app.clock.now() }
      const jobs = await listOwnJobs(app.store, caller, asked)
      const described = await Promise.all(jobs.map((job) => describe(call, job)))
      return ok(described.filter((each) => each !== undefined))
    }),
    route('DELETE', '/:id', CANCEL, async (call) => {
      const id = Number(call.params.id)
      const { job } = await requireOwn(call, id)
      await cancelOwnJob(call.app, call.caller, job)
      return ok((await requireOwn(call, id)).described)
    }),
  ],
}

/** @throws notFound for a job of another user, and for one that its user has lost the right to */
async function requireOwn(
  call: RequestCall,
  id: number,
): Promise<{ job: JobRow; described: OwnJob }> {
  const job = await findOwnJob(call.app.store, call.caller, id)
  const described = job && (await describe(call, job))
  if (!described) throw notFound(say`There is no such job`, { code: 'JOB_NOT_FOUND' })
  return { job, described }
}

/** The job as its user sees it now; undefined where its kind or its user's rights show none. */
async function describe(call: RequestCall, job: JobRow): Promise<OwnJob | undefined> {
  const { app, caller, model, language } = call
  const work = app.jobs.findKind(job.Name)?.describeOwn?.(job, { caller, model })
  if (!work) return undefined
  const { Id, State, CreatedAt, FinishedAt, Error: error } = job
  return {
    Id,
    Kind: work.kind,
    Label: renderMessage(work.label, language),
    Object: work.object,
    State,
    Progress: toProgress(call, job, work),
    At: CreatedAt,
    EndedAt: JOB_STATES[State].end === undefined ? null : FinishedAt,
    Error: error === null ? null : renderStored(error, language),
    Result: work.result && (await toResult(call, work.result)),
  }
}

/** How far a job is that runs; null before it begins and once it is over. */
function toProgress({ app }: RequestCall, { Id, State }: JobRow, { total }: OwnWork) {
  const latest = JOB_STATES[State].isRunning ? app.jobs.findRun(Id)?.latest : undefined
  return latest ? { Done: latest.Done, Total: latest.Total ?? total } : null
}

async function toResult({ app, caller }: RequestCall, result: OwnResult) {
  const { file, rows, written, failed, importId } = result
  const made = file === null ? undefined : await app.made.find(file, caller.companyId)
  return {
    File: made
      ? { FileName: made.ShownName, Url: app.made.urlOf(made.Name), Size: made.Size }
      : null,
    IsExpired: file !== null && !made,
    Rows: rows,
    Written: written,
    Failed: failed,
    ImportId: importId,
  }
}
