/** Instances and their branches, as they are stored. */
import { conflict, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { allRows, getRow, insertRow, updateRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { workflowBranches, workflowInstances } from '../../store/tables/workflows.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'

export type InstanceRow = typeof workflowInstances.$inferSelect
export type BranchRow = typeof workflowBranches.$inferSelect

/** 404: the instance does not exist, or the caller may not know of it. */
export const missingInstance = () =>
  notFound(say`There is no such instance`, { code: 'INSTANCE_NOT_FOUND' })

/** An instance by its Id, running or not. */
export const findInstance = (reader: Pick<Reader, 'get'>, id: number) =>
  getRow(reader, workflowInstances, 'WHERE Id = @id', { id })

const RUNNING = `WHERE Entity = @entity AND RecordKey = @key AND Workflow = @workflow
  AND Status = 'Running'`

/** The running instance of a record; there is one at most. */
export const findRunning = (
  reader: Pick<Reader, 'get'>,
  of: { entity: string; key: string; workflow: string },
) => getRow(reader, workflowInstances, RUNNING, of)

/** The branches that run side by side; none of an instance without a fork. */
export const loadBranches = (reader: Pick<Reader, 'all'>, id: number) =>
  allRows(reader, workflowBranches, 'WHERE InstanceId = @id ORDER BY Id', { id })

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
  const first = { Status: 'Running', Version: 1, Entry: 1, EndedAt: null } as const
  const started = { ...row, ...first, EnteredAt: row.StartedAt }
  return { ...started, Id: await insertRow(tx, workflowInstances, started) }
}

/** Stores an instance as it is now. */
export async function updateInstance(tx: Tx, row: InstanceRow): Promise<void> {
  const { Id, VersionHash, State, Status, Version, Entry, EnteredAt, EndedAt } = row
  const set = { VersionHash, State, Status, Version, Entry, EnteredAt, EndedAt }
  await updateRows(tx, workflowInstances, 'WHERE Id = @Id', { Id, set })
}

/** Stores a new branch. */
export async function insertBranch(tx: Tx, branch: Omit<BranchRow, 'Id'>): Promise<BranchRow> {
  return { ...branch, Id: await insertRow(tx, workflowBranches, branch) }
}

/** Stores a branch as it is now. */
export async function updateBranch(tx: Tx, { Id, State, Entry, EnteredAt }: BranchRow) {
  await updateRows(tx, workflowBranches, 'WHERE Id = @Id', { Id, set: { State, Entry, EnteredAt } })
}

/** Removes branches that have ended. */
export async function deleteBranches(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.run(
    'DELETE FROM svc_workflow_branches WHERE Id IN (SELECT value FROM json_each(@ids))',
    { ids: JSON.stringify(ids) },
  )
}
