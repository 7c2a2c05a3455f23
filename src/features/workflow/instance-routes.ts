/** Instances of workflows: `/api/v1/svc/workflow/instances`. */
import { Type } from '@sinclair/typebox'
import { textMember } from '../../kernel/members.ts'
import { digits, looseFlag, oneOf } from '../../kernel/schema.ts'
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
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import { IDEMPOTENT, type RecordResponse } from '../../server/idempotent-response.ts'
import { mutationRoute, planMutation } from '../../server/mutation.ts'
import { ok } from '../../server/reply.ts'
import { type Call, type GatedCall, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { instanceOf, presentInstance } from './present.ts'

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
    status: Type.Optional(oneOf(['Running', 'Finished', 'Cancelled'])),
    object: Type.Optional(Type.String({ description: 'Name or slug of a view' })),
    key: Type.Optional(
      Type.String({ description: 'With object: the key of a record, or a JSON list of values' }),
    ),
    mine: Type.Optional(looseFlag('Those that the caller began')),
    before: Type.Optional(digits('Id: older ones than that', { minimum: 1 })),
    limit: Type.Optional(digits('Entries; 200 at most', { minimum: 1, default: 50 })),
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

/** Each declares its gate. */
export const INSTANCES: RouteGroup = {
  prefix: '/api/v1/svc/workflow',
  area: 'Workflows',
  routes: [
    mutationRoute('POST', '/instances', START, {
      gates: ({ found }) => found && [{ resource: found.view.resource, rights: ['Update'] }],
      run: (call, recordResponse) => {
        const mutation = planMutation(call, recordResponse)
        const { workflow, view } = requireStart(mutation, call.body.Workflow)
        return beginInstance(mutation, call.body, (tx, instance) =>
          presentInstance(call, { tx, instance, of: { workflow, view } }),
        )
      },
    }),
    route('GET', '/instances', LIST, async (call) =>
      ok(await listInstances(call, call.query, call.language)),
    ),
    route('GET', '/instances/:id', GET, async (call) =>
      ok(await loadInstance(call.app.store, await call.found, call.language)),
    ),
    mutationRoute('POST', '/instances/:id/actions/:action', ACT, {
      gates: findActionGates,
      run: act,
    }),
    mutationRoute('POST', '/instances/:id/cancel', CANCEL, {
      gates: () => MANAGERS,
      run: cancel,
    }),
    mutationRoute('POST', '/instances/:id/migrate', MIGRATE, {
      gates: () => MANAGERS,
      run: migrate,
    }),
  ],
}

const MANAGERS = [{ resource: 'WorkflowDefinitions', rights: ['Update'] }]

/** Instances as the first gate of a request saw them: a second plan acts on the same state. */
const seenBy = new WeakMap<Request, InstanceUse>()

async function findSeen(call: GatedCall<typeof ACT>): Promise<InstanceUse> {
  const seen = seenBy.get(call.request) ?? (await call.found).use
  seenBy.set(call.request, seen)
  return seen
}

async function findActionGates(call: GatedCall<typeof ACT>) {
  const use = await findSeen(call)
  const { grant } = await call.found
  const name = textMember(call.params, 'action')?.toLowerCase()
  const transition = use.workflow.transitions.find(({ action }) => action.toLowerCase() === name)
  return [{ resource: grant.resource, rights: [transition?.capability ?? 'Update'] }]
}

async function act(call: Call<typeof ACT>, recordResponse: RecordResponse) {
  const { params, body } = call
  const use = await findSeen(call)
  const wanted = {
    action: params.action,
    comment: body.Comment ?? undefined,
    version: body.Version ?? undefined,
    taskId: body.TaskId ?? undefined,
    parameters: readParameters(body.Parameters),
    check: requireStateSeen(use),
  }
  const { workflow, view } = use
  return performAction(planMutation(call, recordResponse), use, wanted, (tx, { instance }) =>
    presentInstance(call, { tx, instance, of: { workflow, view } }),
  )
}

async function cancel(call: Call<typeof CANCEL>, recordResponse: RecordResponse) {
  const { body } = call
  const use = await call.found
  const { workflow, view } = use
  const wanted = { comment: readComment(body.Comment), version: body.Version ?? undefined }
  return cancelInstance(planMutation(call, recordResponse), use, wanted, (tx, instance) =>
    presentInstance(call, { tx, instance, of: { workflow, view } }),
  )
}

async function migrate(call: Call<typeof MIGRATE>, recordResponse: RecordResponse) {
  const { app, body } = call
  const use = await call.found
  const mutation = planMutation(call, recordResponse)
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
    const Instance = await presentInstance(call, { tx, instance, of })
    return { ...toResult(plan), Applied: true, Instance }
  })
}
