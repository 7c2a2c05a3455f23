/** Tasks of workflows, and their delegation: `/api/v1/svc/workflow/tasks`, `/delegation`. */
import { Type } from '@sinclair/typebox'
import { invalid, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { digits, looseFlag } from '../../kernel/schema.ts'
import type { Tx } from '../../store/store.ts'
import { readComment } from '../../engine/workflow/comment.ts'
import { claimTask, delegateTask } from '../../engine/workflow/hand-over.ts'
import { readNumber } from '../../engine/workflow/list-instances.ts'
import { countTasks, listTasks, type TaskPlace } from '../../engine/workflow/list-tasks.ts'
import {
  type DelegationRow,
  findDelegation,
  type NewDelegation,
  saveDelegation,
} from '../../engine/workflow/out-of-office.ts'
import * as schema from '../../engine/workflow/schema.ts'
import { describeTasks } from '../../engine/workflow/task-result.ts'
import { findTask } from '../../engine/workflow/task-rows.ts'
import { loadUserNames } from '../../engine/workflow/user-labels.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import { IDEMPOTENT, planAgain, type RecordResponse } from '../../server/idempotent-response.ts'
import { mutationRoute, planMutation } from '../../server/mutation.ts'
import { ok } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { taskOf, type TaskUse } from './present.ts'
import { actOnTasks } from './task-actions.ts'

const LIMIT = 50
const LIMIT_MAX = 200

const byId = Type.Object({ id: Type.String({ description: 'Id of the task' }) })

const LIST = {
  query: Type.Object({
    mine: Type.Optional(looseFlag('Those that wait for the caller')),
    workflow: Type.Optional(Type.String({ description: 'Name of the workflow' })),
    state: Type.Optional(Type.String({ description: 'Name of a state' })),
    after: Type.Optional(Type.String({ description: '`Next` of the page before' })),
    limit: Type.Optional(digits('Entries; 200 at most', { minimum: 1, default: 50 })),
  }),
  response: Envelope(schema.TaskPage),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listTasks',
    summary: 'Open tasks of records that the caller sees',
    description:
      'With `mine=true` those that wait for the caller, the most urgent first: by name, by role, ' +
      'and those of users who are away and named the caller. Gate: authentication; View on each ' +
      'object, row by row.',
  },
}

const COUNT = {
  response: Envelope(schema.TaskCount),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'countTasks',
    summary: 'How many tasks wait for the caller',
    description: 'Counted up to 1,000. Gate: authentication.',
  },
}

const TASK = namedGate('who has the task; View on its record', 'path', taskOf)

const claimDetail = (operationId: string, summary: string, description: string) => ({
  params: byId,
  response: Envelope(schema.WorkflowTask),
  detail: { ...IDEMPOTENT, 'x-gate': TASK, operationId, summary, description },
})

const CLAIM = claimDetail(
  'claimTask',
  'Keep a task from the others who have it',
  'No other user can decide it until it is given back. Gate: users who have the task.',
)

const UNCLAIM = claimDetail(
  'unclaimTask',
  'Give a claimed task back',
  'To all who have it. Gate: who has the task.',
)

const DELEGATE = {
  params: byId,
  body: schema.DelegateRequest,
  response: Envelope(Type.Boolean()),
  detail: {
    ...IDEMPOTENT,
    'x-gate': TASK,
    operationId: 'delegateTask',
    summary: 'Give a task to someone else',
    description:
      'To a user of the company who sees the record and holds a right that the task takes; else ' +
      '400 on UserId. Gate: who has the task.',
  },
}

const ACT = {
  body: schema.TaskActionRequest,
  response: Envelope(schema.TaskActionResult),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'actOnTasks',
    summary: 'Take an action on many tasks',
    description:
      'Up to 500, each in a transaction of its own; the answer has a result for each. Gate: ' +
      'authentication; that of the action on each.',
  },
}

const GET_DELEGATION = {
  response: Envelope(schema.DelegationResult),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getDelegation',
    summary: 'Who acts for the caller while they are away',
    description: 'In their current company; null without one. Gate: authentication.',
  },
}

const PUT_DELEGATION = {
  body: schema.Delegation,
  response: Envelope(schema.DelegationResult),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'saveDelegation',
    summary: 'Name who acts for the caller while they are away',
    description:
      'In that time the user has the tasks of the caller too, as far as their own rights reach; ' +
      'the history names both. `UserId: null` ends it. Gate: authentication.',
  },
}

/** Each declares its gate. */
export const TASKS: RouteGroup = {
  prefix: '/api/v1/svc/workflow',
  area: 'Workflows',
  routes: [
    route('GET', '/tasks', LIST, (call) => list(call)),
    route('GET', '/tasks/count', COUNT, async (call) => ok(await countTasks(call))),
    route('POST', '/tasks/actions', ACT, async (call) => ok(await actOnTasks(call, call.body))),
    mutationRoute('POST', '/tasks/:id/claim', CLAIM, {
      gates: findTaskGates,
      run: (call, recordResponse) => claim(call, recordResponse, true),
    }),
    mutationRoute('POST', '/tasks/:id/unclaim', UNCLAIM, {
      gates: findTaskGates,
      run: (call, recordResponse) => claim(call, recordResponse, false),
    }),
    mutationRoute('POST', '/tasks/:id/delegate', DELEGATE, { gates: findTaskGates, run: delegate }),
    route('GET', '/delegation', GET_DELEGATION, async ({ app, caller }) => {
      const { userId: user, companyId: company } = caller
      return ok(await describeDelegation(app, await findDelegation(app.store, { user, company })))
    }),
    route('PUT', '/delegation', PUT_DELEGATION, (call) =>
      planAgain(call, () => putDelegation(call, call.body)),
    ),
  ],
}

async function findTaskGates({ found }: { found: Promise<TaskUse> }) {
  const { view } = (await found).found
  return [{ resource: view.resource, rights: ['View'] }]
}

async function list(call: Call<typeof LIST>) {
  const { app, query, language } = call
  const { workflow, state } = query
  const limit = Math.min(readNumber('limit', query.limit) ?? LIMIT, LIMIT_MAX)
  const isMine = query.mine?.toLowerCase() === 'true'
  const after = readPlace(query.after)
  const { tasks, next } = await listTasks(call, { isMine, workflow, state, after, limit })
  return ok({
    Tasks: await describeTasks(app.store, tasks, language),
    Next: next ? `${next.id}.${next.due}` : null,
  })
}

function readPlace(text: string | undefined): TaskPlace | undefined {
  if (text === undefined || text === '') return undefined
  const [, id, due] = /^(\d{1,15})\.([0-9TZ:.~-]{0,30})$/.exec(text) ?? []
  if (id === undefined || due === undefined)
    throw invalid(say`'after' must be the Next of the previous page`)
  return { id: Number(id), due }
}

async function claim(call: Call<typeof CLAIM>, recordResponse: RecordResponse, isClaimed: boolean) {
  const use = await call.found
  const mutation = planMutation(call, recordResponse)
  return claimTask(mutation, use, isClaimed, (tx) => presentTask(tx, use, call.language))
}

async function presentTask(tx: Tx, { task, found: use }: TaskUse, language: string) {
  const now = (await findTask(tx, task.Id)) ?? task
  const [described] = await describeTasks(tx, [{ task: now, found: use }], language)
  if (!described) throw new Error('A task that is there has a description')
  return described
}

async function delegate(call: Call<typeof DELEGATE>, recordResponse: RecordResponse) {
  const { app, body } = call
  const use = await call.found
  const mutation = planMutation(call, recordResponse)
  const receiver = { userId: body.UserId, comment: readComment(body.Comment) }
  return delegateTask(mutation, app.callers, use, receiver, () => Promise.resolve(true))
}

async function describeDelegation(app: AppContext, row: DelegationRow | undefined) {
  if (!row) return null
  const { ToUserId, CompanyId, FromAt, UntilAt, Comment } = row
  const nameOf = await loadUserNames(app.store, CompanyId, [ToUserId])
  const now = app.clock.now().toISOString()
  return {
    UserId: ToUserId,
    DisplayName: nameOf(ToUserId),
    From: FromAt,
    Until: UntilAt,
    Comment,
    IsActive: FromAt <= now && now < UntilAt,
  }
}

async function putDelegation(
  call: RequestCall,
  { UserId, From, Until, Comment }: schema.Delegation,
) {
  const { app } = call
  const mutation = planMutation(call)
  if (UserId === null)
    return ok(await describeDelegation(app, await saveDelegation(mutation, undefined)))
  const until = readInstant('Until', Until)
  if (until === undefined) throw validation({ Until: say`Until is required` })
  const delegation: NewDelegation = {
    ToUserId: UserId,
    FromAt: readInstant('From', From) ?? app.clock.now().toISOString(),
    UntilAt: until,
    Comment: readComment(Comment),
  }
  return ok(await describeDelegation(app, await saveDelegation(mutation, delegation)))
}

function readInstant(name: string, text: string | null | undefined): string | undefined {
  if (text === undefined || text === null || text === '') return undefined
  const at = new Date(text)
  const isInstant = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/.test(text)
  if (!isInstant || Number.isNaN(at.getTime()))
    throw validation({ [name]: say`must be an instant like 2030-07-01T08:00:00Z` })
  return at.toISOString()
}
