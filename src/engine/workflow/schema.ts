/** Wire shapes of workflows (src/server/README.md, Workflows). */
import { type Static, Type } from '@sinclair/typebox'
import { formatted, named, Values, valuesOf } from '../../kernel/schema.ts'
import { ActionParameterMetadata } from '../object/metadata-schema.ts'
import { Dispatch } from '../object/schema.ts'

const Keys = Values
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])
const text = (description: string) => Type.String({ description })
const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description })
const instant = (description: string) =>
  formatted('date-time', { description, examples: ['2030-07-01T08:00:00Z'] })
const instantOrNull = (description: string) => orNull(instant(description))
const id = (description: string) => Type.Integer({ description })

export const WorkflowTask = named(
  'WorkflowTask',
  Type.Object({
    Id: id('Of the task'),
    InstanceId: id('Of its instance'),
    Workflow: text('Name of the workflow'),
    Label: text('Of the workflow'),
    Object: text('The view of the record'),
    Keys,
    State: text('In which it waits'),
    StateLabel: text('What people read'),
    Assignee: textOrNull('Who claimed it, else the one who has it, or the role'),
    Assignees: Type.Array(
      named(
        'WorkflowAssignee',
        Type.Object({
          UserId: orNull(Type.Integer()),
          Role: orNull(Type.String()),
          Name: textOrNull('Of the user; null for one of other companies'),
        }),
      ),
      { description: 'All who have it: users, and roles whose holders do' },
    ),
    ClaimedBy: orNull(Type.Integer({ description: 'Id of the user' })),
    DueAt: instantOrNull('When it is due'),
    IsOverdue: Type.Boolean(),
    CreatedAt: instant('When it was opened'),
  }),
)
export type WorkflowTask = Static<typeof WorkflowTask>

export const WorkflowAction = named(
  'WorkflowAction',
  Type.Object({
    Action: text('Its name'),
    Label: text('What people read'),
    To: text('The state that it leads to'),
    TaskId: orNull(Type.Integer({ description: 'The task on which it is a word' })),
    Parameters: Type.Array(ActionParameterMetadata),
  }),
)

export const WorkflowHistoryEntry = named(
  'WorkflowHistoryEntry',
  Type.Object({
    At: instant('When'),
    By: textOrNull('Who; null: the engine, or a user of other companies'),
    For: textOrNull('For whom, who was away'),
    Action: text('What: an action, or start, fork, join, end, assign, escalate, cancel, migrate …'),
    From: textOrNull('The state before'),
    To: textOrNull('The state after'),
    Comment: textOrNull('What was said'),
  }),
)

export const WorkflowInstance = named(
  'WorkflowInstance',
  Type.Object({
    Id: id('Of the instance'),
    Workflow: text('Name of the workflow'),
    Label: text('Of the workflow'),
    Object: text('The view of its record'),
    Keys,
    State: text('Where it is; while branches run, where they began'),
    StateLabel: text('What people read'),
    Status: Type.Union([
      Type.Literal('Running'),
      Type.Literal('Finished'),
      Type.Literal('Cancelled'),
    ]),
    Version: Type.Integer({ description: 'Moves with every change; a stale one is 409' }),
    VersionHash: text('The version of the workflow that it stays on'),
    IsCurrent: Type.Boolean({ description: 'Whether that is the one that is published' }),
    StartedAt: instant('When it began'),
    StartedBy: textOrNull('Who began it'),
    EndedAt: instantOrNull('When it ended'),
    Branches: Type.Array(
      named(
        'WorkflowBranch',
        Type.Object({
          Id: Type.Integer(),
          State: Type.String(),
          EnteredAt: instant('When it came there'),
        }),
      ),
      { description: 'What runs side by side' },
    ),
    History: Type.Array(WorkflowHistoryEntry, { description: 'The oldest first' }),
    Tasks: Type.Array(WorkflowTask, { description: 'Those that are open' }),
    Actions: Type.Array(WorkflowAction, { description: 'What the caller may do now' }),
    Dispatch: Type.Optional(Type.Array(Dispatch)),
  }),
)
export type WorkflowInstance = Static<typeof WorkflowInstance>

/** An instance in a list. */
export const WorkflowInstanceEntry = named(
  'WorkflowInstanceEntry',
  Type.Omit(WorkflowInstance, ['Branches', 'History', 'Tasks', 'Actions', 'Dispatch']),
)
export type WorkflowInstanceEntry = Static<typeof WorkflowInstanceEntry>

export const StartInstanceRequest = named(
  'WorkflowStartRequest',
  Type.Object(
    {
      Workflow: text('Name or slug'),
      Object: Type.Optional(textOrNull('The view; that of the workflow by default')),
      Keys: valuesOf('Of the record'),
      Comment: Type.Optional(textOrNull('For the history')),
    },
    { examples: [{ Workflow: 'order-approval', Object: 'Orders', Keys: { Id: 1 } }] },
  ),
)
export type StartInstanceRequest = Static<typeof StartInstanceRequest>

export const TakeActionRequest = named(
  'WorkflowActionRequest',
  Type.Object(
    {
      Comment: Type.Optional(textOrNull('For the history, and `@Comment` of the effects')),
      Parameters: Type.Optional(orNull(Keys)),
      Version: Type.Optional(
        orNull(Type.Integer({ description: 'Of the instance that was looked at' })),
      ),
      TaskId: Type.Optional(orNull(Type.Integer({ description: 'Where several branches wait' }))),
    },
    { examples: [{ Comment: 'Within the budget', Parameters: {} }] },
  ),
)
export type TakeActionRequest = Static<typeof TakeActionRequest>

export const MigrateRequest = named(
  'WorkflowMigrateRequest',
  Type.Object(
    {
      VersionHash: Type.Optional(textOrNull('The version; the published one by default')),
      States: Type.Optional(
        orNull(Type.Record(Type.String(), Type.String(), { description: 'Old state to new one' })),
      ),
      Comment: Type.Optional(textOrNull('For the history')),
      Version: Type.Optional(orNull(Type.Integer({ description: 'Of the instance' }))),
      DryRun: Type.Optional(
        Type.Boolean({ description: 'Tells what it would do, and does nothing' }),
      ),
    },
    { examples: [{ States: { review: 'check' }, DryRun: true }] },
  ),
)
export type MigrateRequest = Static<typeof MigrateRequest>

export const MigrateResult = named(
  'WorkflowMigrateResult',
  Type.Object({
    From: text('Hash of the version before'),
    To: text('Hash of the version after'),
    Moves: Type.Array(
      named(
        'WorkflowMove',
        Type.Object({ Branch: orNull(Type.Integer()), From: Type.String(), To: Type.String() }),
      ),
    ),
    Applied: Type.Boolean(),
    Instance: orNull(WorkflowInstance),
  }),
)
export type MigrateResult = Static<typeof MigrateResult>

export const CommentRequest = named(
  'WorkflowCommentRequest',
  Type.Object(
    {
      Comment: Type.Optional(textOrNull('For the history')),
      Version: Type.Optional(orNull(Type.Integer({ description: 'Of the instance' }))),
    },
    { examples: [{ Comment: 'Ordered twice' }] },
  ),
)
export type CommentRequest = Static<typeof CommentRequest>

export const DelegateRequest = named(
  'TaskDelegateRequest',
  Type.Object(
    { UserId: id('Who is to do it'), Comment: Type.Optional(textOrNull('For the history')) },
    { examples: [{ UserId: 3, Comment: 'You know the customer' }] },
  ),
)
export type DelegateRequest = Static<typeof DelegateRequest>

export const Delegation = named(
  'DelegationRequest',
  Type.Object(
    {
      UserId: orNull(Type.Integer({ description: 'Who acts; null ends the delegation' })),
      From: Type.Optional(instantOrNull('From when; now by default')),
      Until: Type.Optional(instantOrNull('Until when')),
      Comment: Type.Optional(textOrNull('Why')),
    },
    { examples: [{ UserId: 3, From: '2030-07-01T00:00:00Z', Until: '2030-07-15T00:00:00Z' }] },
  ),
)
export type Delegation = Static<typeof Delegation>

export const DelegationResult = orNull(
  named(
    'Delegation',
    Type.Object({
      UserId: Type.Integer(),
      DisplayName: textOrNull('Of the user'),
      From: instant('From when'),
      Until: instant('Until when'),
      Comment: textOrNull('Why'),
      IsActive: Type.Boolean({ description: 'Whether it holds now' }),
    }),
  ),
)

export const TaskPage = named(
  'WorkflowTaskPage',
  Type.Object({
    Tasks: Type.Array(WorkflowTask, { description: 'Own ones: the most urgent first' }),
    Next: textOrNull('`after` of the next page; null: there is none'),
  }),
)

export const TaskCount = named(
  'WorkflowTaskCount',
  Type.Object({
    Count: Type.Integer({ description: 'Tasks that wait for the caller' }),
    IsExact: Type.Boolean({ description: 'False: there are more' }),
  }),
)

export const TaskActionRequest = named(
  'TaskActionRequest',
  Type.Object(
    {
      Action: text('The action to take'),
      Tasks: Type.Array(Type.Integer(), { minItems: 1, maxItems: 500 }),
      Comment: Type.Optional(textOrNull('For the history of each')),
      Parameters: Type.Optional(orNull(Keys)),
    },
    { examples: [{ Action: 'Approve', Tasks: [1, 2], Comment: 'All within the budget' }] },
  ),
)
export type TaskActionRequest = Static<typeof TaskActionRequest>

export const TaskActionResult = Type.Array(
  named(
    'TaskActionOutcome',
    Type.Object({
      TaskId: Type.Integer(),
      Success: Type.Boolean(),
      State: textOrNull('Where its instance is now'),
      Code: textOrNull('Of the refusal'),
      Error: textOrNull('Why it was refused'),
    }),
  ),
)
