/** The end of the hold of a restored folder: `/api/v1/hangfire/resume`. */
import { Type } from '@sinclair/typebox'
import { named } from '../../kernel/schema.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { requireStillSystem } from '../../access/rights/admin-scope.ts'
import type { RequestCall } from '../../server/call.ts'
import { rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { AREA, SCOPE } from './plan.ts'

const ResumeResult = named(
  'JobResumeResult',
  Type.Object({
    Jobs: Type.Integer({ description: 'Jobs that were held and wait for a worker now' }),
    Mails: Type.Integer({ description: 'Mails that were held and leave now' }),
  }),
)

const RESUME = {
  response: Envelope(ResumeResult),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'resumeHeldJobs',
    summary: 'Lets go what a restore holds',
    description:
      'After a restore mails, webhooks, pushes and jobs that send wait in the state Held: what ' +
      'the backup has as waiting may have been sent since. Delete those first that must not be ' +
      'sent again. Zeros where nothing is held. Gate: System.',
  },
}

async function resume({ app, caller, traceId }: RequestCall) {
  const { store, clock, hold, jobs } = app
  const now = clock.now()
  const { jobs: Jobs, mails: Mails } = await store.write(async (tx) => {
    await requireStillSystem(tx, caller)
    const released = await hold.release(tx, now)
    const facts = { now, source: 'hangfire/resume', traceId }
    const changes = { Jobs: [released.jobs, 0], Mails: [released.mails, 0] } as const
    const entry = { entity: 'svc_jobs' as const, id: 'held', action: 'resume', changes }
    await writeAudit(tx, actorOf(caller, facts), entry)
    tx.afterCommit(() => jobs.wake())
    return released
  }, SCOPE)
  return ok({ Jobs, Mails })
}

/** Gate: System, since what is held is of every company. */
export const RESUME_ROUTES: RouteGroup = {
  prefix: '/api/v1/hangfire',
  area: AREA.name,
  routes: [route('POST', '/resume', RESUME, resume)],
}
