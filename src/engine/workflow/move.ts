/**
 * The moves of an instance: it enters states, forks into branches, joins them and ends, each within
 * the transaction of its cause.
 */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlArg } from '../../store/sql.ts'
import {
  type Join,
  type Transition,
  WORKFLOW_STATES,
  type WorkflowState,
} from '../../model/compiled/workflow.ts'
import { updateStored } from '../object/record/stored-rows.ts'
import { keyText } from '../object/record/written-row.ts'
import { mapConstraint, ownerOf } from '../object/rules/constraint.ts'
import { addHistory, type InstanceHistoryEntry } from './history.ts'
import { type Move, placeOf } from './instance-move.ts'
import {
  type BranchRow,
  deleteBranches,
  insertBranch,
  insertInstance,
  type InstanceRow,
  loadBranches,
  updateBranch,
  updateInstance,
} from './instance-rows.ts'
import { bindRecord, type MovedRecord, runRecordEffects } from './moved-record.ts'
import { closeTasks, openTask } from './open-task.ts'
import { scheduleTransitions } from './schedule.ts'

/** Most moves that follow from one: more of them are a circle of forks and joins. */
const MOVES_MAX = 100

/** The words that go with a move. */
type Said = Pick<InstanceHistoryEntry, 'comment' | 'forUserId'>

/** Begins an instance for a record that has none. */
export async function startInstance(record: MovedRecord, said: Said = {}): Promise<InstanceRow> {
  const { tx, context, workflow, entity, key, company } = record
  const instance = await insertInstance(tx, {
    Workflow: workflow.name,
    VersionHash: workflow.versionHash,
    State: workflow.initial,
    Entity: entity.name,
    RecordKey: keyText(key),
    CompanyId: company,
    StartedBy: context.caller?.userId ?? null,
    StartedAt: context.now.toISOString(),
  })
  const move: Move = { record, instance, branches: [], moves: 0 }
  await addHistory(record, instance, { ...said, action: 'start', from: null, to: instance.State })
  await saveState(move)
  await arrive(move, undefined)
  if (move.instance.State !== workflow.initial) await updateInstance(tx, move.instance)
  return move.instance
}

/**
 * Takes a transition: the state is left, its effects run, and the next one is entered, with all
 * that follows from that.
 */
export async function takeTransition(
  move: Move,
  branch: BranchRow | undefined,
  { transition, said, given }: TakenTransition,
): Promise<void> {
  const { record } = move
  await leave(move, branch, { ...said, action: transition.action, to: transition.to })
  const values = bindRecord(record, given)
  const of = `${record.workflow.name}.${transition.action}`
  await runRecordEffects(record, transition.effects, values, of)
  await arrive(move, branch)
  await updateInstance(record.tx, move.instance)
}

/** A transition with its comment, and the values that its effects bind beside the record. */
interface TakenTransition {
  transition: Transition
  said: Said
  given: readonly (readonly [string, SqlArg])[]
}

/** Leaves a state for another, which is stored everywhere, but not yet entered. */
async function leave(
  move: Move,
  branch: BranchRow | undefined,
  { action, to, ...said }: Said & { action: string; to: string },
): Promise<void> {
  const { record, instance } = move
  const place = placeOf(move, branch)
  const { State: from, EnteredAt: since } = place
  if (hasTask(move, from)) await closeTasks(move, branch, 'Done')
  await addHistory(record, instance, { ...said, action, branch, from, to, since })
  place.State = to
  place.Entry = instance.Version
  place.EnteredAt = record.context.now.toISOString()
  if (branch) await updateBranch(record.tx, branch)
  else await saveState(move)
}

/** The state field of the record follows the instance. */
async function saveState({ record, instance }: Move): Promise<void> {
  const { tx, context, workflow, view, entity, key, row, isStale } = record
  const { stateColumn } = workflow
  const field = view.fields.find(({ column }) => column?.name === stateColumn)
  if (field && !isStale && row[field.name] === instance.State) return
  const cells = new Map([[stateColumn, instance.State]])
  await mapConstraint({ view: ownerOf(entity), context }, () =>
    updateStored(tx, entity, key, cells),
  )
  if (field) record.row = { ...row, [field.name]: instance.State }
}

const findState = ({ record }: Move, name: string): WorkflowState | undefined =>
  record.workflow.states.find((state) => state.name === name)

const hasTask = (move: Move, name: string): boolean => {
  const state = findState(move, name)
  return state !== undefined && WORKFLOW_STATES[state.kind].hasTask
}

/** Runs what follows from entering a state: its task, its timers, its branches, the end. */
async function arrive(move: Move, branch: BranchRow | undefined): Promise<void> {
  if (++move.moves > MOVES_MAX)
    throw invalid(say`The workflow runs in an endless loop`, { code: 'WORKFLOW_CIRCLE' })
  const { record } = move
  const { State: name } = placeOf(move, branch)
  const state = findState(move, name)
  if (!state) throw new Error(`The workflow ${record.workflow.name} has no state ${name}`)
  if (WORKFLOW_STATES[state.kind].ends) return finish(move, branch, 'Finished')
  if (state.assignment) await openTask(move, branch, state, state.assignment)
  await scheduleTransitions(move, branch)
  const fork = record.workflow.forks.find((each) => each.state === name)
  if (fork) return runBranches(move, branch, fork.branches)
  if (branch) await joinBranches(move, branch)
}

/** Enters its present states again: tasks and timers begin again, branches stay as they are. */
export async function enterAgain(move: Move): Promise<void> {
  const branches = (move.branches ??= await loadBranches(move.record.tx, move.instance.Id))
  await saveState(move)
  if (branches.length === 0) return arrive(move, undefined)
  for (const branch of [...branches]) {
    const isParent = branches.some(({ ParentId }) => ParentId === branch.Id)
    const isThere = move.branches.includes(branch) && move.instance.Status === 'Running'
    if (!isParent && isThere) await arrive(move, branch)
  }
}

async function runBranches(
  move: Move,
  parent: BranchRow | undefined,
  states: readonly string[],
): Promise<void> {
  const { record, instance } = move
  const known = (move.branches ??= await loadBranches(record.tx, instance.Id))
  const begun: BranchRow[] = []
  for (const State of states) {
    const branch = await insertBranch(record.tx, {
      InstanceId: instance.Id,
      ParentId: parent?.Id ?? null,
      State,
      Entry: instance.Version,
      EnteredAt: record.context.now.toISOString(),
    })
    begun.push(branch)
    const entry = { action: 'fork', branch, from: null, to: State }
    await addHistory(record, instance, entry)
  }
  known.push(...begun)
  for (const branch of begun) {
    // The end of one branch ends all; and a branch may have met the others in a join already.
    if (move.branches?.includes(branch)) await arrive(move, branch)
  }
}

/** Continues as one where all branches of a fork have come to a state of a join. */
async function joinBranches(move: Move, branch: BranchRow): Promise<void> {
  const { record, instance } = move
  const known = (move.branches ??= await loadBranches(record.tx, instance.Id))
  const beside = known.filter(({ ParentId }) => ParentId === branch.ParentId)
  const meets = ({ from }: Join): boolean => beside.every(({ State }) => from.includes(State))
  const join = record.workflow.joins.find(meets)
  if (!join || known.some(({ ParentId }) => beside.some(({ Id }) => Id === ParentId))) return
  for (const each of beside) {
    if (hasTask(move, each.State)) await closeTasks(move, each, 'Cancelled')
    const entry = { action: 'join', branch: each, from: each.State, to: null }
    await addHistory(record, instance, { ...entry, since: each.EnteredAt })
  }
  await deleteBranches(
    record.tx,
    beside.map(({ Id }) => Id),
  )
  move.branches = known.filter((each) => !beside.includes(each))
  const parent = known.find(({ Id }) => Id === branch.ParentId)
  await leave(move, parent, { action: 'join', to: join.to })
  await arrive(move, parent)
}

/** The end of the instance, with its tasks and branches. */
export async function finish(
  move: Move,
  branch: BranchRow | undefined,
  status: 'Finished' | 'Cancelled',
): Promise<void> {
  const { record, instance } = move
  const branches = (move.branches ??= await loadBranches(record.tx, instance.Id))
  await closeTasks(move, 'all', 'Cancelled')
  if (branches.length > 0)
    await deleteBranches(
      record.tx,
      branches.map(({ Id }) => Id),
    )
  move.branches = []
  instance.Status = status
  instance.EndedAt = record.context.now.toISOString()
  if (!branch) return
  const { State: from, EnteredAt: since } = instance
  const entry = { action: 'end', from, to: branch.State, since }
  await addHistory(record, instance, entry)
  instance.State = branch.State
  instance.EnteredAt = instance.EndedAt
  await saveState(move)
}
