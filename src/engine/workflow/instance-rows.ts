/** Instances and their branches, as they are stored. */
import { conflict, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { workflowBranches, workflowInstances } from '../../store/tables/workflows.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'

export type InstanceRow = typeof workflowInstances.$inferSelect
export type BranchRow = typeof workflowBranches.$inferSelect

/** 404: the instance does not exist, or the caller may not know of it. */
export const missingInstance = () =>
  notFound(say`There is no such instance`, { code: 'INSTANCE_NOT_FOUND' })

const BY_ID = 'SELECT * FROM svc_workflow_instances WHERE Id = @id'

/** An instance by its Id, running or not. */
export const findInstance = (reader: Pick<Reader, 'get'>, id: number) =>
  reader.get<InstanceRow>(BY_ID, { id })

const RUNNING = `SELECT * FROM svc_workflow_instances
  WHERE Entity = @entity AND RecordKey = @key AND Workflow = @workflow AND Status = 'Running'`

/** The running instance of a record; there is one at most. */
export const findRunning = (
  reader: Pick<Reader, 'get'>,
  of: { entity: string; key: string; workflow: string },
) => reader.get<InstanceRow>(RUNNING, of)

const BRANCHES = 'SELECT * FROM svc_workflow_branches WHERE InstanceId = @id ORDER BY Id'

/** The branches that run side by side; none of an instance without a fork. */
export const loadBranches = (reader: Pick<Reader, 'all'>, id: number) =>
  reader.all<BranchRow>(BRANCHES, { id })

/** 409 where the caller has seen another version of the instance than the present one. */
export function requireVersion({ Version }: InstanceRow, given: number | undefined): void {
  if (given === undefined || given === Version) return
  throw conflict(say`Someone has moved this on in the meantime. Please reload.`, {
    code: 'INSTANCE_MOVED',
    members: { current: { Version } },
  })
}

/** Branches of an instance; without a query for a workflow without forks. */
export const branchesOf = async (
  reader: Pick<Reader, 'all'>,
  { instance, workflow }: { instance: InstanceRow; workflow: Workflow },
): Promise<BranchRow[]> =>
  workflow.forks.length === 0 ? [] : await loadBranches(reader, instance.Id)

const INSERT = `INSERT INTO svc_workflow_instances (Workflow, VersionHash, Entity, RecordKey,
  CompanyId, State, Status, Version, Entry, EnteredAt, StartedBy, StartedAt)
  VALUES (@Workflow, @VersionHash, @Entity, @RecordKey, @CompanyId, @State, 'Running', 1, 1,
  @StartedAt, @StartedBy, @StartedAt) RETURNING Id`

/** Stores a new instance. */
export async function insertInstance(
  tx: Tx,
  row: Pick<
    InstanceRow,
    | 'Workflow'
    | 'VersionHash'
    | 'Entity'
    | 'RecordKey'
    | 'CompanyId'
    | 'State'
    | 'StartedBy'
    | 'StartedAt'
  >,
): Promise<InstanceRow> {
  const inserted = await tx.get<{ Id: number }>(INSERT, { ...row })
  if (!inserted) throw new Error('The instance that was written down has no Id')
  const first = { Status: 'Running', Version: 1, Entry: 1, EndedAt: null } as const
  return { ...row, ...first, Id: inserted.Id, EnteredAt: row.StartedAt }
}

const UPDATE = `UPDATE svc_workflow_instances SET VersionHash = @VersionHash, State = @State,
  Status = @Status, Version = @Version, Entry = @Entry, EnteredAt = @EnteredAt, EndedAt = @EndedAt
  WHERE Id = @Id`

/** Stores an instance as it is now. */
export async function updateInstance(tx: Tx, row: InstanceRow): Promise<void> {
  const { Id, VersionHash, State, Status, Version, Entry, EnteredAt, EndedAt } = row
  await tx.run(UPDATE, { Id, VersionHash, State, Status, Version, Entry, EnteredAt, EndedAt })
}

const INSERT_BRANCH = `INSERT INTO svc_workflow_branches
  (InstanceId, ParentId, State, Entry, EnteredAt)
  VALUES (@InstanceId, @ParentId, @State, @Entry, @EnteredAt) RETURNING Id`

/** Stores a new branch. */
export async function insertBranch(tx: Tx, branch: Omit<BranchRow, 'Id'>): Promise<BranchRow> {
  const inserted = await tx.get<{ Id: number }>(INSERT_BRANCH, { ...branch })
  if (!inserted) throw new Error('The branch that was written down has no Id')
  return { ...branch, Id: inserted.Id }
}

const UPDATE_BRANCH = `UPDATE svc_workflow_branches
  SET State = @State, Entry = @Entry, EnteredAt = @EnteredAt WHERE Id = @Id`

/** Stores a branch as it is now. */
export async function updateBranch(tx: Tx, { Id, State, Entry, EnteredAt }: BranchRow) {
  await tx.run(UPDATE_BRANCH, { Id, State, Entry, EnteredAt })
}

/** Removes branches that have ended. */
export async function deleteBranches(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.run(
    'DELETE FROM svc_workflow_branches WHERE Id IN (SELECT value FROM json_each(@ids))',
    { ids: JSON.stringify(ids) },
  )
}
