/** Instances of workflows: `/api/v1/svc/workflow/instances`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { Grant } from '../../access/rights/grant.ts'
import { readParameters } from '../../engine/object/parameters.ts'
import { performAction, requireAction } from '../../engine/workflow/act.ts'
import { readComment } from '../../engine/workflow/comment.ts'
import { loadInstance } from '../../engine/workflow/instance-result.ts'
import { loadBranches } from '../../engine/workflow/instance-rows.ts'
import { type InstanceUse, requireStateSeen } from '../../engine/workflow/instance-use.ts'
import { listInstances } from '../../engine/workflow/list-instances.ts'
import {
  cancelInstance,
  migrateInstance,
  type MigrationPlan,
  planMigration,
  requireTarget,
} from '../../engine/workflow/manage-instance.ts'
import * as schema from '../../engine/workflow/schema.ts'
import { beginInstance, requireStart } from '../../engine/workflow/start-instance.ts'
import { findVersion, requireMovable } from '../../engine/workflow/versions.ts'
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED, namedGate, textMember } from '../../server/gate.ts'
import { answerIdempotent, IDEMPOTENT, takeKeyNow } from '../../server/idempotent-response.ts'
import { planRequestMutation } from '../../server/mutation.ts'
import { ok } from '../../server/reply.ts'
import { callOf, found, type Incoming } from '../../server/route-call.ts'
import { Envelope } from '../../server/schema.ts'
import { languageOf } from '../../server/session.ts'
import { askerOf, instanceOf, presentInstance } from './present.ts'

const byId = Type.Object({ id: Type.String({ description: 'Id of the instance' }) })
const byAction = Type.Object({
  id: Type.String({ description: 'Id of the instance' }),
  action: Type.String({ description: 'Name of the action' }),
})

const START = {
  body: schema.StartInstanceRequest,
  response: Envelope(schema.WorkflowInstance),
  detail: {
    ...IDEMPOTENT,
    'x-gate': namedGate('Update on the object of the workflow', 'body', (call) => {
      const name = textMember(call.body, 'Workflow')
      return name === undefined ? undefined : requireStart(call, name)
    }),
    operationId: 'startInstance',
    summary: 'Begin a workflow for a record',
    description:
      'A record has at most one running instance of a workflow: 409 for one more. Gate: Update ' +
      'on the object.',
  },
}

const LIST = {
  query: Type.Object({
    workflow: Type.Optional(Type.String({ description: 'Name of the workflow' })),
    state: Type.Optional(Type.String({ description: 'Name of a state' })),
    status: Type.Optional(Type.String({ description: 'Running, Finished or Cancelled' })),
    object: Type.Optional(Type.String({ description: 'Name or slug of a view' })),
    key: Type.Optional(
      Type.String({ description: 'With object: the key of a record, or a JSON list of values' }),
    ),
    mine: Type.Optional(Type.String({ description: 'true: those that the caller began' })),
    before: Type.Optional(Type.String({ description: 'Id: older ones than that' })),
    limit: Type.Optional(Type.String({ description: '50; at most 200' })),
  }),
  response: Envelope(Type.Array(schema.WorkflowInstanceEntry)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listInstances',
    summary: 'Instances of records that the caller sees',
    description: 'The newest first. Gate: authentication; View on each object, row by row.',
  },
}

const GET = {
  params: byId,
  response: Envelope(schema.WorkflowInstance),
  detail: {
    'x-gate': namedGate('View on the object, and on its record', 'path', instanceOf),
    operationId: 'getInstance',
    summary: 'An instance with its history, tasks and actions',
    description: '404 where the caller does not see its record. Gate: View on the object.',
  },
}

const ACT = {
  params: byAction,
  body: schema.TakeActionRequest,
  response: Envelope(schema.WorkflowInstance),
  detail: {
    ...IDEMPOTENT,
    'x-gate': namedGate(
      'the capability of the action; View on the record',
      'path',
      async (call) => {
        const use = await instanceOf(call)
        requireMovable(use)
        return { use, ...requireAction(call, use, textMember(call.params, 'action') ?? '') }
      },
    ),
    operationId: 'takeAction',
    summary: 'Take an action: a transition, or a word on a task',
    description:
      'In one transaction with all that follows. With a rule of All or Quorum it is a word, and ' +
      'the instance moves when it decides. `Version` is optional; a stale one is 409 ' +
      '(INSTANCE_MOVED), and each word moves it. Gate: the capability of the action, else Update.',
  },
}

const MANAGE = namedGate('Update on WorkflowDefinitions; View on the record', 'path', (call) => {
  Grant.require(call.caller, call.model, 'WorkflowDefinitions', ['Update'])
  return instanceOf(call)
})

const CANCEL = {
  params: byId,
  body: schema.CommentRequest,
  response: Envelope(schema.WorkflowInstance),
  detail: {
    ...IDEMPOTENT,
    'x-gate': MANAGE,
    operationId: 'cancelInstance',
    summary: 'End an instance where it is',
    description: 'Its tasks go, its record stays as it is. Gate: Update on WorkflowDefinitions.',
  },
}

const MIGRATE = {
  params: byId,
  body: schema.MigrateRequest,
  response: Envelope(schema.MigrateResult),
  detail: {
    ...IDEMPOTENT,
    'x-gate': MANAGE,
    operationId: 'migrateInstance',
    summary: 'Take an instance to another version of its workflow',
    description:
      'States that are called otherwise there are named in `States`. Tasks and timers of its ' +
      'states start over. Gate: Update on WorkflowDefinitions.',
  },
}

const toResult = (plan: MigrationPlan) => ({
  From: plan.from,
  To: plan.to,
  Moves: plan.moves.map(({ branch, from, to }) => ({ Branch: branch, From: from, To: to })),
})

/** Routes of instances; each declares its gate. */
export function instanceRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/workflow', strictPath: true, tags: ['Workflows'] })
    .post('/instances', ({ request, body }) => start(app, request, body), {
      ...START,
      transform: async ({ request, body }: Incoming) => {
        const at = { request, body }
        const gate = START.detail['x-gate'].evaluate(callOf(app, at))
        if (!gate) return
        const rights = ['Update']
        await takeKeyNow(app, at, () => [{ resource: gate.view.resource, rights }])
      },
    })
    .get(
      '/instances',
      async ({ request, query }) =>
        ok(await listInstances(askerOf(app, request), query, languageOf(request))),
      LIST,
    )
    .get(
      '/instances/:id',
      async ({ request, params }) => {
        const use = await found(app, GET.detail, { request, params })
        return ok(await loadInstance(app.store, use, languageOf(request)))
      },
      GET,
    )
    .post(
      '/instances/:id/actions/:action',
      ({ request, params, body }) => act(app, { request, params, body }),
      {
        ...ACT,
        transform: async ({ request, params, body }: Incoming) =>
          takeActionKey(app, { request, params, body }),
      },
    )
    .post(
      '/instances/:id/cancel',
      ({ request, params, body }) => cancel(app, { request, params, body }),
      {
        ...CANCEL,
        transform: async ({ request, params, body }: Incoming) =>
          takeManageKey(app, { request, params, body }),
      },
    )
    .post(
      '/instances/:id/migrate',
      ({ request, params, body }) => migrate(app, { request, params, body }),
      {
        ...MIGRATE,
        transform: async ({ request, params, body }: Incoming) =>
          takeManageKey(app, { request, params, body }),
      },
    )
}

/** Instance found by a request's gate; the action is checked again in its transaction. */
const foundOf = new WeakMap<Request, InstanceUse>()

async function takeActionKey(app: AppContext, at: Incoming): Promise<void> {
  const { use, grant } = await found(app, ACT.detail, at)
  foundOf.set(at.request, use)
  const name = textMember(at.params, 'action')?.toLowerCase()
  const transition = use.workflow.transitions.find(({ action }) => action.toLowerCase() === name)
  const rights = [transition?.capability ?? 'Update']
  await takeKeyNow(app, at, () => [{ resource: grant.resource, rights }])
}

async function takeManageKey(app: AppContext, at: Incoming): Promise<void> {
  await found(app, CANCEL.detail, at)
  await takeKeyNow(app, at, () => [{ resource: 'WorkflowDefinitions', rights: ['Update'] }])
}

const start = (app: AppContext, request: Request, body: schema.StartInstanceRequest) =>
  answerIdempotent(request, (recordResponse) => {
    const mutation = planRequestMutation(app, request, recordResponse)
    const { workflow, view } = requireStart(mutation, body.Workflow)
    return beginInstance(mutation, body, (tx, instance) =>
      presentInstance(app, request, { tx, instance, of: { workflow, view } }),
    )
  })

interface Acted<B> {
  request: Request
  params: { id: string; action?: string }
  body: B
}

const act = (app: AppContext, { request, params, body }: Acted<schema.TakeActionRequest>) =>
  answerIdempotent(request, async (recordResponse) => {
    const use = foundOf.get(request) ?? (await found(app, ACT.detail, { request, params })).use
    const mutation = planRequestMutation(app, request, recordResponse)
    const wanted = {
      action: params.action ?? '',
      comment: body.Comment ?? undefined,
      version: body.Version ?? undefined,
      taskId: body.TaskId ?? undefined,
      parameters: readParameters(body.Parameters),
      check: requireStateSeen(use),
    }
    const { workflow, view } = use
    return performAction(mutation, use, wanted, (tx, { instance }) =>
      presentInstance(app, request, { tx, instance, of: { workflow, view } }),
    )
  })

const cancel = (app: AppContext, { request, params, body }: Acted<schema.CommentRequest>) =>
  answerIdempotent(request, async (recordResponse) => {
    const use = await found(app, CANCEL.detail, { request, params })
    const mutation = planRequestMutation(app, request, recordResponse)
    const { workflow, view } = use
    const wanted = { comment: readComment(body.Comment), version: body.Version ?? undefined }
    return cancelInstance(mutation, use, wanted, (tx, instance) =>
      presentInstance(app, request, { tx, instance, of: { workflow, view } }),
    )
  })

const migrate = (app: AppContext, { request, params, body }: Acted<schema.MigrateRequest>) =>
  answerIdempotent(request, async (recordResponse) => {
    const use = await found(app, MIGRATE.detail, { request, params })
    const mutation = planRequestMutation(app, request, recordResponse)
    const states = new Map(Object.entries(body.States ?? {}))
    const migration = { versionHash: body.VersionHash ?? undefined, states }
    const target = await requireTarget(mutation, use, migration)
    if (body.DryRun === true) {
      const branches = await loadBranches(app.store, use.instance.Id)
      const plan = planMigration(use, branches, target, migration)
      return { ...toResult(plan), Applied: false, Instance: null }
    }
    const wanted = {
      comment: readComment(body.Comment),
      version: body.Version ?? undefined,
      migration,
      target,
    }
    return migrateInstance(mutation, use, wanted, async (tx, instance, plan) => {
      const workflow = (await findVersion(app, mutation.model, instance)) ?? target
      const of = { workflow, view: use.view }
      const Instance = await presentInstance(app, request, { tx, instance, of })
      return { ...toResult(plan), Applied: true, Instance }
    })
  })
