/** Bulk edits: `/api/v1/svc/object/submit-many` (src/server/README.md, Objects). */
import { Type } from '@sinclair/typebox'
import { idDigits } from '../../kernel/schema.ts'
import { SQL } from '../../store/floor.ts'
import { cancelOwnJob } from '../../engine/jobs/own-jobs.ts'
import { SubmitManyRequest } from '../../engine/object/many-schema.ts'
import { type ManyPlan, planMany, requireModest } from '../../engine/object/many/many-plan.ts'
import type { ManyParts, ManyWork } from '../../engine/object/many/many-work.ts'
import {
  findSelection,
  requireSelection,
  type Selection,
  selectKeys,
} from '../../engine/object/many/selection.ts'
import { submitMany } from '../../engine/object/many/submit-many.ts'
import type { Mutation } from '../../engine/object/mutation.ts'
import { ObjectActionResult } from '../../engine/object/schema.ts'
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED, objectGate } from '../../server/gate.ts'
import { IDEMPOTENT } from '../../server/idempotent-response.ts'
import { mutationRoute, planMutation } from '../../server/mutation.ts'
import { ok } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { findLimits, IMPORTS } from './import-limits.ts'
import { describeManyJob, enqueueMany, ManyJob, requireManyJob } from './submit-many-job.ts'

const SUBMIT_MANY = {
  body: SubmitManyRequest,
  response: Envelope(ObjectActionResult),
  detail: {
    ...IDEMPOTENT,
    'x-gate': objectGate('FormName', 'Update'),
    'x-example': {
      FormName: 'orders',
      Keys: [{ Id: 400, RowVersion: '1' }],
      Parameters: { DueOn: '2026-12-01' },
      DryRun: true,
    },
    operationId: 'submitMany',
    summary: 'Give many records the same values',
    description:
      'Each by a submit of its own, in one transaction: those of `Keys`, or ' +
      'those that `Filters`, `SearchText` and `Preset` choose (all: `Filters: []`). By filters ' +
      'the `Token` of a dry run comes with the same members, within an hour, once. `abort` ' +
      'refuses all for one that cannot be changed or has changed since (400 or 409, `records`), ' +
      '`skip` leaves it out. More than 1,000 are changed by a job (`JobId`). Undone as an import ' +
      '(`ImportId`). Gate: Update; by filters View, too.',
  },
}

/** More records are changed by a job. */
const AT_ONCE_MAX = 1000

const OF_JOB = {
  params: Type.Object({ jobId: idDigits('JobId of its answer', 1) }),
  response: Envelope(ManyJob),
}

const GET_MANY_JOB = {
  ...OF_JOB,
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getManyJob',
    summary: 'How far a bulk edit is',
    description: 'Gate: who asked for it, with Update still.',
  },
}

const CANCEL_MANY_JOB = {
  ...OF_JOB,
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'cancelManyJob',
    summary: 'Cancel a bulk edit',
    description: 'What it has done so far is undone. Gate: who asked for it.',
  },
}

const partsOf = ({ app, language }: Call<typeof SUBMIT_MANY>): ManyParts => ({
  progress: app.progress,
  undoForMs: app.settings.get(IMPORTS.undoFor),
  language,
})

/** The records of a bulk edit; of a dry run by filters, which finds them, with its token. */
async function selectRecords(
  app: AppContext,
  mutation: Mutation,
  plan: ManyPlan,
): Promise<{ selection: Selection; token?: string }> {
  if (plan.rows) return { selection: selectKeys(plan.rows) }
  if (!plan.isDryRun) return { selection: await requireSelection(mutation, plan) }
  const timeoutMs = app.settings.get(SQL.timeout)
  const { token, ...selection } = await findSelection(mutation, plan, timeoutMs)
  return { selection, token }
}

const submitNow = ({ app, caller }: Call<typeof SUBMIT_MANY>, work: ManyWork) =>
  findLimits(app).bulkEdits.run(() => submitMany(work), String(caller.userId))

/** Gate: Update on the object. */
export const SUBMIT_MANY_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/object',
  area: 'Objects',
  routes: [
    mutationRoute('POST', '/submit-many', SUBMIT_MANY, {
      gates: ({ found }) => (found ? [{ resource: found.grant.resource, rights: ['Update'] }] : []),
      run: async (call, recordResponse) => {
        const mutation = planMutation(call, recordResponse)
        const plan = planMany(mutation, call.body)
        const selected = await selectRecords(call.app, mutation, plan)
        requireModest(plan, selected.selection.count)
        const work = { mutation, parts: partsOf(call), plan, ...selected }
        const isLater = !plan.isDryRun && selected.selection.count > AT_ONCE_MAX
        return isLater ? enqueueMany(call.app, work) : submitNow(call, work)
      },
    }),
    route('GET', '/submit-many/:jobId', GET_MANY_JOB, async (call) => {
      const job = await requireManyJob(call, Number(call.params.jobId))
      return ok(describeManyJob(call.app, job, call.language))
    }),
    route('DELETE', '/submit-many/:jobId', CANCEL_MANY_JOB, async (call) => {
      const job = await requireManyJob(call, Number(call.params.jobId))
      await cancelOwnJob(call.app, call.caller, job)
      const left = await requireManyJob(call, job.Id)
      return ok(describeManyJob(call.app, left, call.language))
    }),
  ],
}
