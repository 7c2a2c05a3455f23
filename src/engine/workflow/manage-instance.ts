/** Administration of instances: cancel one, or take it to another version. */
import { invalid, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'
import { missingRecord } from '../object/form/load-form.ts'
import { type Mutation, writeMutation } from '../object/mutation.ts'
import { loadRow } from '../object/record/record.ts'
import { addHistory } from './history.ts'
import { type Move, openMove } from './instance-move.ts'
import {
  type BranchRow,
  findInstance,
  type InstanceRow,
  loadBranches,
  missingInstance,
  requireVersion,
  updateBranch,
  updateInstance,
} from './instance-rows.ts'
import { type InstanceUse, requireStillSeen } from './instance-use.ts'
import { enterAgain, finish } from './move.ts'
import { closeTasks } from './open-task.ts'
import { findVersion } from './versions.ts'

/** A change that a user who sees the instance asks for. */
interface ManageRequest {
  comment: string | null
  version: number | undefined
}

/** Ends an instance where it is; its record stays as it is. `present` makes the answer. */
export function cancelInstance<T>(
  mutation: Mutation,
  found: InstanceUse,
  { comment, version }: ManageRequest,
  present: (tx: Tx, instance: InstanceRow) => Promise<T>,
): Promise<T> {
  return writeMutation(mutation, found.view.name, async (tx) => {
    const move = await openRunning(tx, mutation, found, version)
    const { record, instance } = move
    const { State: from, EnteredAt: since } = instance
    await addHistory(record, instance, { action: 'cancel', from, to: null, since, comment })
    await finish(move, undefined, 'Cancelled')
    await updateInstance(tx, instance)
    await tx.runAfterWrite()
    return present(tx, instance)
  })
}

/** The new state for each state of an instance, in another version. */
interface Migration {
  /** The version; the published one by default. */
  versionHash: string | undefined
  /** Old state to new one; a state left out keeps its name. */
  states: ReadonlyMap<string, string>
}

/** The moves of a migration, done or planned. */
export interface MigrationPlan {
  from: string
  to: string
  moves: { branch: number | null; from: string; to: string }[]
}

/** The version that a migration leads to. @throws invalid where it does not exist */
export async function requireTarget(
  { engine, model }: Pick<Mutation, 'engine' | 'model'>,
  { workflow }: Pick<InstanceUse, 'workflow'>,
  { versionHash }: Pick<Migration, 'versionHash'>,
): Promise<Workflow> {
  const hash = versionHash?.toLowerCase() ?? model.workflows.get(workflow.name)?.versionHash
  const of = { Workflow: workflow.name, VersionHash: hash ?? '' }
  const target = hash === undefined ? undefined : await findVersion(engine, model, of)
  if (target?.view === workflow.view) return target
  throw invalid(say`The workflow has no such version`, { code: 'VERSION_NOT_FOUND' })
}

/** Plans the moves of an instance. @throws validation naming states without a target */
export function planMigration(
  { instance }: Pick<InstanceUse, 'instance'>,
  branches: readonly BranchRow[],
  target: Workflow,
  { states }: Pick<Migration, 'states'>,
): MigrationPlan {
  const faults: Record<string, ReturnType<typeof say>> = {}
  const lead = (from: string): string => {
    const to = states.get(from) ?? from
    const known = target.states.some(({ name }) => name === to)
    if (!known) faults[`States.${from}`] = say`The version has no state '${to.slice(0, 80)}'`
    return to
  }
  const moves = [{ Id: null, State: instance.State }, ...branches].map(({ Id, State }) => ({
    branch: Id,
    from: State,
    to: lead(State),
  }))
  const isFork = (name: string): boolean => target.forks.some(({ state }) => state === name)
  const [root] = moves
  if (root && branches.length > 0 !== isFork(root.to))
    faults[`States.${root.from}`] ??= say`Only one of the two versions has parallel branches here`
  if (Object.keys(faults).length > 0) throw validation(faults)
  return { from: instance.VersionHash, to: target.versionHash, moves }
}

/** Takes an instance to another version; `present` makes the answer. */
export function migrateInstance<T>(
  mutation: Mutation,
  found: InstanceUse,
  request: ManageRequest & { migration: Migration; target: Workflow },
  present: (tx: Tx, instance: InstanceRow, plan: MigrationPlan) => Promise<T>,
): Promise<T> {
  const { comment, version, migration, target } = request
  return writeMutation(mutation, found.view.name, async (tx) => {
    const move = await openRunning(tx, mutation, found, version)
    const { instance } = move
    const branches = await loadBranches(tx, instance.Id)
    const plan = planMigration({ instance }, branches, target, migration)
    const record = { ...move.record, workflow: target }
    const next: Move = { ...move, record, branches }
    await closeTasks(next, 'all', 'Cancelled')
    instance.VersionHash = target.versionHash
    for (const { branch: id, from, to } of plan.moves) {
      const branch = branches.find(({ Id }) => Id === id)
      const place = branch ?? instance
      const since = place.EnteredAt
      await addHistory(record, instance, { action: 'migrate', branch, from, to, since, comment })
      place.State = to
      place.Entry = instance.Version
      place.EnteredAt = record.context.now.toISOString()
      if (branch) await updateBranch(tx, branch)
    }
    await enterAgain(next)
    await updateInstance(tx, instance)
    await tx.runAfterWrite()
    return present(tx, instance, plan)
  })
}

/** The running instance, opened for a move. @throws conflict, invalid, missingInstance */
async function openRunning(
  tx: Tx,
  mutation: Mutation,
  found: InstanceUse,
  version: number | undefined,
): Promise<Move> {
  await requireStillSeen(tx, mutation, found)
  const { context } = mutation
  const { workflow, view, use, key, instance: seen } = found
  const instance = await findInstance(tx, seen.Id)
  if (!instance) throw missingInstance()
  requireVersion(instance, version)
  if (instance.Status !== 'Running')
    throw invalid(say`The instance has ended`, { code: 'INSTANCE_ENDED' })
  const access = { ...use, reader: tx }
  const row = await loadRow(access, key)
  if (!row) throw missingRecord()
  return openMove(
    {
      tx,
      context,
      workflow,
      view,
      entity: use.entity,
      row,
      key: JSON.parse(instance.RecordKey) as (string | number)[],
      company: instance.CompanyId,
      shadowScope: 'company',
      reload: () => loadRow(access, key),
      shown: { sees: (name) => use.grant.sees(name), mayLabel: () => true },
    },
    instance,
  )
}
