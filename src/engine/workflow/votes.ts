/** Votes on a task: the users who may vote, and the decision. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Assignment, Workflow } from '../../model/compiled/workflow.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { isDecided } from './decide.ts'
import { listHolders, type TaskRow } from './task-rows.ts'

/** The right by which a user has a task: their own, or that of a user who is away. */
export interface Seat {
  forUserId: number | null
}

/** Closed assignees are read too: they show which users gave the task away. */
const ASSIGNEES = `SELECT UserId, Role, FromUserId, IsOpen FROM svc_workflow_assignees
  WHERE TaskId = @task ORDER BY Id`

/** A user or role that has, had or gave away a task. */
export interface AssigneeRow {
  UserId: number | null
  Role: string | null
  /** The user who gave them the task, and no longer has it. */
  FromUserId: number | null
  IsOpen: number
  [name: string]: number | string | null
}

/** Users who are away now and have named the caller as their substitute. */
const AWAY = `SELECT d.UserId FROM svc_workflow_delegations d
  JOIN main.svc_users u ON u.Id = d.UserId AND u.Active
  JOIN main.svc_user_companies m ON m.UserId = d.UserId AND m.CompanyId = d.CompanyId
  WHERE d.ToUserId = @user AND d.CompanyId = @company AND d.FromAt <= @now AND d.UntilAt > @now
  ORDER BY d.UserId`

/** Ids of the users for whom this user acts now. */
export async function listAway(
  reader: Pick<Reader, 'all'>,
  of: { user: number; company: number; now: Date },
): Promise<number[]> {
  const args = { user: of.user, company: of.company, now: of.now.toISOString() }
  const rows = await reader.all<{ UserId: number }>(AWAY, args)
  return rows.map(({ UserId }) => UserId)
}

const ROLES_OF = `SELECT Role FROM main.svc_user_roles
  WHERE UserId = @user AND (CompanyId IS NULL OR CompanyId = @company)`

/** A user with the roles that they hold in the company of a task. */
export interface Holder {
  user: number
  roles: readonly string[]
}

/** Tells whether a user has a task, by its assignees in their order. Pure. */
export function hasTask(list: readonly AssigneeRow[], { user, roles }: Holder): boolean {
  const gave = list.findLastIndex(({ FromUserId }) => FromUserId === user)
  const got = list.findLastIndex(({ UserId }) => UserId === user)
  if (gave > got) return false
  return list.some(
    ({ UserId, Role, IsOpen }) =>
      IsOpen === 1 && (UserId === user || (Role !== null && roles.includes(Role))),
  )
}

/**
 * The right by which a caller has an open task; undefined without one. System has a vote in every
 * task but those that leave out the user who began.
 */
export async function findSeat(
  reader: Pick<Reader, 'all'>,
  task: TaskRow,
  { caller, now }: { caller: Caller; now: Date },
): Promise<Seat | undefined> {
  const { userId, companyId, roles, isSystem } = caller
  // An impersonator counts as the same person as the user they act as.
  const except = task.ExceptUserId
  if (except !== null && (userId === except || caller.impersonatorId === except)) return undefined
  const args = { task: task.Id }
  const list = await reader.all<AssigneeRow>(ASSIGNEES, args)
  if (hasTask(list, { user: userId, roles })) return { forUserId: null }
  for (const away of await listAway(reader, { user: userId, company: companyId, now })) {
    if (away === except) continue
    const held = await reader.all<{ Role: string }>(ROLES_OF, { user: away, company: companyId })
    const other = { user: away, roles: held.map(({ Role }) => Role) }
    if (hasTask(list, other)) return { forUserId: away }
  }
  return isSystem ? { forUserId: null } : undefined
}

/** @throws invalid for a caller who does not have the task, or which another user has claimed */
export async function requireSeat(
  reader: Pick<Reader, 'all'>,
  task: TaskRow,
  by: { caller: Caller; now: Date },
): Promise<Seat> {
  const seat = await findSeat(reader, task, by)
  if (!seat) throw invalid(say`This task is not assigned to you`, { code: 'NOT_ASSIGNED' })
  const { ClaimedBy } = task
  const own = [by.caller.userId, seat.forUserId]
  if (ClaimedBy !== null && !own.includes(ClaimedBy))
    throw invalid(say`Someone else has claimed this task`, { code: 'TASK_CLAIMED' })
  return seat
}

const UNVOTE = `DELETE FROM svc_workflow_votes
  WHERE TaskId = @task AND (UserId = @user OR coalesce(ForUserId, UserId) = @seat)`

const VOTE = `INSERT INTO svc_workflow_votes (TaskId, UserId, ForUserId, Action, At)
  VALUES (@task, @user, @for, @action, @at)`

const VOTES = `SELECT coalesce(ForUserId, UserId) AS Seat, Action FROM svc_workflow_votes
  WHERE TaskId = @task ORDER BY At, rowid`

/** Votes on a task by the right they were given with, oldest first. */
export const listVotes = (reader: Pick<Reader, 'all'>, task: number) =>
  reader.all<{ Seat: number; Action: string }>(VOTES, { task })

/** The vote that this one would repeat, with its comment. */
const SAME = `SELECT h.Comment FROM svc_workflow_votes v
  LEFT JOIN svc_workflow_history h ON h.InstanceId = @instance AND h.UserId = v.UserId
    AND h.Action = v.Action AND h.At = v.At AND h.ForUserId IS v.ForUserId
  WHERE v.TaskId = @task AND v.UserId = @user AND v.ForUserId IS @for AND v.Action = @action`

/** A vote to be given. */
interface GivenWord {
  task: TaskRow
  seat: Seat
  caller: Caller
  action: string
  comment: string | null
  now: Date
}

/** The effect of a vote: it decides, it waits for others, or it repeats an earlier one. */
type WordEffect = 'decides' | 'waits' | 'repeats'

/**
 * Stores a vote, in place of an earlier one of the same right, and returns its effect. Votes of
 * users who have lost the task no longer count. A repeated vote is not stored again.
 */
export async function giveWord(
  tx: Tx,
  word: GivenWord,
  { workflow, assignment }: { workflow: Workflow; assignment: Assignment },
): Promise<WordEffect> {
  const { task, seat, caller, action } = word
  const { rule, count } = assignment
  if (rule === 'Any') return 'decides'
  const isRepeated = await repeats(tx, word)
  if (!isRepeated) await writeWord(tx, word)
  const own = seat.forUserId ?? caller.userId
  const of = { id: task.Id, company: task.CompanyId, except: task.ExceptUserId }
  const holders = new Set(await listHolders(tx, of)).add(own)
  const votes = await listVotes(tx, task.Id)
  const counted = votes.filter(({ Seat }) => Seat !== own && holders.has(Seat))
  const leaving = workflow.transitions.filter(
    ({ from, after }) => after === undefined && from.includes(task.State),
  )
  const isNow = isDecided({
    rule,
    count,
    agreement: leaving[0]?.action ?? action,
    votes: [...counted.map(({ Action }) => Action), action],
    voters: holders.size,
  })
  if (isNow) return 'decides'
  return isRepeated ? 'repeats' : 'waits'
}

/** True if the same person has given the same vote; another comment makes it another vote. */
async function repeats(
  tx: Tx,
  { task, seat, caller, action, comment }: GivenWord,
): Promise<boolean> {
  const same = await tx.get<{ Comment: string | null }>(SAME, {
    instance: task.InstanceId,
    task: task.Id,
    action,
    user: caller.userId,
    for: seat.forUserId,
  })
  return same !== undefined && (comment === null || comment === same.Comment)
}

async function writeWord(tx: Tx, { task, seat, caller, action, now }: GivenWord): Promise<void> {
  const { userId: user } = caller
  await tx.run(UNVOTE, { task: task.Id, user, seat: seat.forUserId ?? user })
  const vote = { task: task.Id, user, for: seat.forUserId, action }
  await tx.run(VOTE, { ...vote, at: now.toISOString() })
}
