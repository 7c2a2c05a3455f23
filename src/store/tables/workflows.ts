/** Instances of workflows with their branches, tasks, votes and history: tables of engine.db. */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const INSTANCE_STATUSES = ['Running', 'Finished', 'Cancelled'] as const
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number]

/** A record that goes through a workflow. */
export const workflowInstances = sqliteTable(
  'svc_workflow_instances',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    /** Name of the workflow; the instance is pinned to the version of this hash. */
    Workflow: text().notNull(),
    VersionHash: text().notNull(),
    Entity: text().notNull(),
    /** Key values as a JSON array. */
    RecordKey: text().notNull(),
    CompanyId: integer().notNull(),
    /** The state; while branches run, that of their fork. */
    State: text().notNull(),
    Status: text({ enum: INSTANCE_STATUSES }).notNull(),
    /** Moves with every change of it. */
    Version: integer().notNull(),
    /** The Version when its state was entered: work that waits for a state waits for this stay. */
    Entry: integer().notNull(),
    EnteredAt: text().notNull(),
    /** Null: the engine. */
    StartedBy: integer(),
    StartedAt: text().notNull(),
    EndedAt: text(),
  },
  (t) => [
    uniqueIndex('svc_workflow_instances_running')
      .on(t.Entity, t.RecordKey, t.Workflow)
      .where(sql`Status = 'Running'`),
    index('svc_workflow_instances_record').on(t.Entity, t.RecordKey, t.Id),
    index('svc_workflow_instances_state').on(t.CompanyId, t.Workflow, t.State, t.Id),
    index('svc_workflow_instances_company').on(t.CompanyId, t.Id),
    index('svc_workflow_instances_starter').on(t.StartedBy, t.Id),
    index('svc_workflow_instances_version').on(t.Workflow, t.VersionHash, t.Status),
  ],
)

/** A branch of an instance, while it runs beside others. */
export const workflowBranches = sqliteTable(
  'svc_workflow_branches',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    InstanceId: integer().notNull(),
    /** The branch in which its fork is; null: the instance itself. */
    ParentId: integer(),
    State: text().notNull(),
    Entry: integer().notNull(),
    EnteredAt: text().notNull(),
  },
  (t) => [index('svc_workflow_branches_instance').on(t.InstanceId)],
)

/** History of instances: rows are added and never changed, each with an audit record. */
export const workflowHistory = sqliteTable(
  'svc_workflow_history',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    InstanceId: integer().notNull(),
    BranchId: integer(),
    At: text().notNull(),
    /** Null: the engine. */
    UserId: integer(),
    ImpersonatorId: integer(),
    /** For whom the user acted, who is away. */
    ForUserId: integer(),
    Action: text().notNull(),
    FromState: text(),
    ToState: text(),
    /** Since when it was in FromState, of an entry that leaves it. */
    Since: text(),
    Comment: text(),
    VersionHash: text().notNull(),
  },
  (t) => [index('svc_workflow_history_instance').on(t.InstanceId, t.Id)],
)

export const TASK_STATUSES = ['Open', 'Done', 'Cancelled'] as const

/** Decisions to be made in a state. */
export const workflowTasks = sqliteTable(
  'svc_workflow_tasks',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    InstanceId: integer().notNull(),
    BranchId: integer(),
    Entry: integer().notNull(),
    CompanyId: integer().notNull(),
    Workflow: text().notNull(),
    State: text().notNull(),
    Status: text({ enum: TASK_STATUSES }).notNull(),
    /** The user who keeps the task from its other assignees. */
    ClaimedBy: integer(),
    /** The user who must not decide it. */
    ExceptUserId: integer(),
    DueAt: text(),
    CreatedAt: text().notNull(),
    EndedAt: text(),
    EscalatedAt: text(),
  },
  (t) => [
    index('svc_workflow_tasks_instance').on(t.InstanceId, t.Id),
    index('svc_workflow_tasks_open')
      .on(t.CompanyId, t.Id)
      .where(sql`Status = 'Open'`),
    index('svc_workflow_tasks_claimed')
      .on(t.ClaimedBy)
      .where(sql`Status = 'Open' AND ClaimedBy IS NOT NULL`),
  ],
)

/** Assignees of a task: a user, or all who hold a role in its company. */
export const workflowAssignees = sqliteTable(
  'svc_workflow_assignees',
  {
    Id: integer().primaryKey({ autoIncrement: true }),
    TaskId: integer().notNull(),
    CompanyId: integer().notNull(),
    UserId: integer(),
    Role: text(),
    /** The time when the task is due, in sorting order; `~` never. */
    Due: text().notNull(),
    /** True while the task is open and theirs. */
    IsOpen: integer({ mode: 'boolean' }).notNull(),
    /** The user who gave the task to them. */
    FromUserId: integer(),
  },
  (t) => [
    index('svc_workflow_assignees_task').on(t.TaskId),
    index('svc_workflow_assignees_user')
      .on(t.UserId, t.CompanyId, t.Due, t.TaskId)
      .where(sql`IsOpen = 1 AND UserId IS NOT NULL`),
    index('svc_workflow_assignees_role')
      .on(t.Role, t.CompanyId, t.Due, t.TaskId)
      .where(sql`IsOpen = 1 AND Role IS NOT NULL`),
  ],
)

/** Words on a task: one a user, their last one. */
export const workflowVotes = sqliteTable(
  'svc_workflow_votes',
  {
    TaskId: integer().notNull(),
    UserId: integer().notNull(),
    /** For whom the user acted, who is away. */
    ForUserId: integer(),
    Action: text().notNull(),
    At: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.TaskId, t.UserId] })],
)

/** Stand-ins of users who are away. */
export const workflowDelegations = sqliteTable(
  'svc_workflow_delegations',
  {
    UserId: integer().notNull(),
    CompanyId: integer().notNull(),
    ToUserId: integer().notNull(),
    FromAt: text().notNull(),
    UntilAt: text().notNull(),
    Comment: text(),
  },
  (t) => [
    primaryKey({ columns: [t.UserId, t.CompanyId] }),
    index('svc_workflow_delegations_to').on(t.ToUserId, t.CompanyId),
  ],
)

/** Links of mails by which an action is taken, once. */
export const workflowLinks = sqliteTable(
  'svc_workflow_links',
  {
    /** SHA-256 of what the mail holds. */
    TokenHash: text().primaryKey(),
    TaskId: integer().notNull(),
    UserId: integer().notNull(),
    Action: text().notNull(),
    ExpiresAt: text().notNull(),
  },
  (t) => [index('svc_workflow_links_task').on(t.TaskId)],
)
