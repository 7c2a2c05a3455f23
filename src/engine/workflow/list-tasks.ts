/**
 * Open tasks of records that the caller sees: their own, the most urgent first, or all. Read in
 * pieces from an index, so that neither many tasks nor many hidden ones cost more than a page.
 */
import { allRows } from '../../store/rows.ts'
import type { SqlArgs } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { workflowInstances, workflowTasks } from '../../store/tables/workflows.ts'
import { toRecordKey } from '../object/record/record.ts'
import { findKeyedView, findVisible } from '../object/record/visible-keys.ts'
import { keyText } from '../object/record/written-row.ts'
import { findHidden } from '../object/rules/row-rules.ts'
import type { InstanceRow } from './instance-rows.ts'
import { findViewUse, type InstanceUse, stateField, type WorkflowCall } from './instance-use.ts'
import type { TaskRow } from './task-rows.ts'
import { findPinned } from './versions.ts'
import { type AssigneeRow, hasTask, type Holder, listAway } from './votes.ts'

/** Tasks that are read together: of the first piece, and of the largest. */
const PIECE = 100
const PIECE_MAX = 800

/** Most tasks that one page looks through: any number of them may be hidden. */
const LOOKED_MAX = 5000

/** Filters of the list, with its page. */
interface TaskFilter {
  isMine: boolean
  /** Names, in any case; undefined: of all. */
  workflow?: string | undefined
  state?: string | undefined
  /** The place where the last page ended. */
  after?: TaskPlace | undefined
  limit: number
}

/** The place of a task in the order. */
export interface TaskPlace {
  due: string
  id: number
}

/** A task with the instance that it belongs to. */
interface FoundTask {
  task: TaskRow
  found: InstanceUse
}

/** A page of tasks. */
interface TaskPage {
  tasks: FoundTask[]
  /** Undefined on the last page. */
  next: TaskPlace | undefined
}

/** Users whose tasks a caller has: their own first, then those of users who are away. */
type Holding = readonly Holder[]

/** A page of the tasks that the filter lets through. */
export async function listTasks(by: WorkflowCall, filter: TaskFilter): Promise<TaskPage> {
  const reader = by.engine.store
  const holding = filter.isMine ? await loadHolding(by, by.engine.clock.now()) : undefined
  const shown: { place: TaskPlace; found: FoundTask }[] = []
  let place = filter.after ?? { due: '', id: 0 }
  let isEnd = false
  let size = PIECE
  for (let looked = 0; !isEnd && looked < LOOKED_MAX; looked += size) {
    // Pieces grow: a caller who sees little of one, or counts, is sooner done with larger ones.
    if (looked > 0) size = Math.min(size * 2, PIECE_MAX)
    const piece = await loadPiece(reader, by, { holding, place, size })
    const wanted = piece.rows.filter(({ task }) => isMeant(task, filter))
    const own = holding ? await keepOwn(reader, by, wanted, holding) : wanted
    shown.push(...(await keepVisible(by, own)))
    isEnd = piece.isEnd
    place = piece.last ?? place
    if (shown.length > filter.limit) break
  }
  const page = shown.slice(0, filter.limit)
  const next = shown.length > filter.limit ? page.at(-1)?.place : isEnd ? undefined : place
  return { tasks: page.map(({ found }) => found), next }
}

/** Most tasks that are counted; beyond it the answer only says that there are more. */
const COUNT_MAX = 1000

/** Counts the tasks that wait for a caller. */
export async function countTasks(by: WorkflowCall): Promise<{ Count: number; IsExact: boolean }> {
  const { tasks, next } = await listTasks(by, { isMine: true, limit: COUNT_MAX })
  return { Count: tasks.length, IsExact: next === undefined }
}

const isMeant = ({ Workflow, State }: TaskRow, { workflow, state }: TaskFilter): boolean =>
  (workflow === undefined || Workflow.toLowerCase() === workflow.toLowerCase()) &&
  (state === undefined || State.toLowerCase() === state.toLowerCase())

const ROLES = `SELECT UserId, Role FROM main.svc_user_roles
  WHERE UserId IN (SELECT value FROM json_each(@users))
    AND (CompanyId IS NULL OR CompanyId = @company)`

async function loadHolding({ engine, caller }: WorkflowCall, now: Date): Promise<Holding> {
  const { userId, companyId, roles } = caller
  const away = await listAway(engine.store, { user: userId, company: companyId, now })
  const own = { user: userId, roles }
  if (away.length === 0) return [own]
  const args = { users: JSON.stringify(away), company: companyId }
  const rows = await engine.store.all<{ UserId: number; Role: string }>(ROLES, args)
  const rolesOf = (user: number) => rows.filter(({ UserId }) => UserId === user)
  return [own, ...away.map((user) => ({ user, roles: rolesOf(user).map(({ Role }) => Role) }))]
}

interface PieceRow {
  place: TaskPlace
  task: TaskRow
  instance: InstanceRow
}

/** Loads the next tasks in the order, before any visibility check. */
async function loadPiece(
  reader: Reader,
  { caller }: WorkflowCall,
  { holding, place, size }: { holding: Holding | undefined; place: TaskPlace; size: number },
): Promise<{ rows: PieceRow[]; isEnd: boolean; last: TaskPlace | undefined }> {
  const args: SqlArgs = { company: caller.companyId, due: place.due, id: place.id, piece: size }
  const sql = holding ? composeOwn(holding, args) : ALL
  const rows = await reader.all<{ Id: number; Due: string }>({ sql, args, runs: 'measured' })
  const ids = JSON.stringify(rows.map(({ Id }) => Id))
  const tasks = await allRows(reader, workflowTasks, LISTED, { ids })
  const instances = await allRows(reader, workflowInstances, LISTED, {
    ids: JSON.stringify(tasks.map(({ InstanceId }) => InstanceId)),
  })
  const taskOf = new Map(tasks.map((task) => [task.Id, task]))
  const instanceOf = new Map(instances.map((instance) => [instance.Id, instance]))
  const found = rows.flatMap(({ Id, Due }) => {
    const task = taskOf.get(Id)
    const instance = instanceOf.get(task?.InstanceId ?? 0)
    return task && instance ? [{ place: { due: Due, id: Id }, task, instance }] : []
  })
  const end = rows.at(-1)
  const last = end && { due: end.Due, id: end.Id }
  return { rows: found, isEnd: rows.length < size, last }
}

const ALL = `SELECT Id, '' AS Due FROM svc_workflow_tasks
  WHERE Status = 'Open' AND CompanyId = @company AND Id > @id ORDER BY Id LIMIT @piece`

const LISTED = 'WHERE Id IN (SELECT value FROM json_each(@ids))'

/** One arm for each user and role: each is read in the order of its index, all are merged. */
function composeOwn(holding: Holding, args: Record<string, unknown>): string {
  const roles = [...new Set(holding.flatMap((each) => each.roles))]
  const arms = [
    ...holding.map(({ user }, at) => ({ column: 'UserId', value: user, name: `u${at}` })),
    ...roles.map((role, at) => ({ column: 'Role', value: role, name: `r${at}` })),
  ].map(({ column, value, name }) => {
    args[name] = value
    return `SELECT Due, TaskId AS Id FROM svc_workflow_assignees
      WHERE IsOpen = 1 AND ${column} = @${name} AND CompanyId = @company
        AND (Due, TaskId) > (@due, @id)`
  })
  return `${arms.join(' UNION ')} ORDER BY Due, Id LIMIT @piece`
}

const VOTED = `SELECT TaskId FROM svc_workflow_votes
  WHERE TaskId IN (SELECT value FROM json_each(@ids)) AND UserId = @user`

const ASSIGNEES = `SELECT TaskId, UserId, Role, FromUserId, IsOpen FROM svc_workflow_assignees
  WHERE TaskId IN (SELECT value FROM json_each(@ids)) ORDER BY Id`

/** Drops tasks that wait for others: claimed, left out, given away, and voted on already. */
async function keepOwn(
  reader: Reader,
  { caller }: WorkflowCall,
  piece: readonly PieceRow[],
  holding: Holding,
): Promise<PieceRow[]> {
  if (piece.length === 0) return []
  const { userId, impersonatorId } = caller
  const ids = JSON.stringify(piece.map(({ task }) => task.Id))
  const rows = await reader.all<{ TaskId: number }>(VOTED, { ids, user: userId })
  const voted = new Set(rows.map(({ TaskId }) => TaskId))
  const assignees = await reader.all<AssigneeRow & { TaskId: number }>(ASSIGNEES, { ids })
  const ofTask = Map.groupBy(assignees, ({ TaskId }) => TaskId)
  return piece.filter(({ task: { Id, ClaimedBy, ExceptUserId: except } }) => {
    if (voted.has(Id)) return false
    if (except !== null && (userId === except || impersonatorId === except)) return false
    const list = ofTask.get(Id) ?? []
    const seat = holding.find((each) => each.user !== except && hasTask(list, each))
    return seat && (ClaimedBy === null || [userId, seat.user].includes(ClaimedBy))
  })
}

/** Keeps tasks whose record the caller sees, in their order. */
async function keepVisible(
  by: WorkflowCall,
  piece: readonly PieceRow[],
): Promise<{ place: TaskPlace; found: FoundTask }[]> {
  const shown = await findVisibleInstances(
    by,
    piece.map(({ instance }) => instance),
  )
  return piece.flatMap(({ place, task, instance }) => {
    const found = shown.get(instance.Id)
    return found ? [{ place, found: { task, found } }] : []
  })
}

/** Instances whose record and state the caller sees, by Id. */
export async function findVisibleInstances(
  by: WorkflowCall,
  instances: readonly InstanceRow[],
): Promise<Map<number, InstanceUse>> {
  const reader = by.engine.store
  const shown = new Map<number, InstanceUse>()
  const own = instances.filter(({ CompanyId }) => CompanyId === by.caller.companyId)
  const versions = Map.groupBy(own, ({ Workflow, VersionHash }) => `${Workflow} ${VersionHash}`)
  for (const list of versions.values()) {
    const [first] = list
    const pinned = first && (await findPinned(by.engine, by.model, first))
    const use = pinned && findViewUse(by, pinned)
    const keyed = pinned && findKeyedView(pinned.view)
    if (!pinned || !use || !keyed) continue
    const keys = list.map(({ RecordKey }) => JSON.parse(RecordKey) as (string | number)[])
    const visible = await findVisible(reader, keyed, use, keys)
    const isMasked = use.grant.access.masked.size > 0
    const state = stateField(pinned)?.name.toLowerCase()
    for (const [at, instance] of list.entries()) {
      const values = keys[at] ?? []
      if (!visible.has(keyText(values))) continue
      const key = toRecordKey(use, values)
      const hidden = isMasked ? await findHidden({ ...use, reader }, key) : undefined
      if (!hidden?.has(state ?? '')) shown.set(instance.Id, { ...pinned, instance, use, key })
    }
  }
  return shown
}
