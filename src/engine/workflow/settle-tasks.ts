/**
 * Tasks that the remaining users have decided: the last one whose vote was missing has lost the
 * task (locked, gone, without their role), and no other vote would come.
 */
import { Failure } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import type { Reader } from '../../store/store.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'
import { NOBODY_WAITS, planAnewWhenReplaced } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import { loadCompaniesOfWork } from '../../access/companies.ts'
import { raiseAction } from '../object/after-write/pending-events.ts'
import type { Context } from '../object/context.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import { isDecided } from './decide.ts'
import { openMove } from './instance-move.ts'
import { findInstance, loadBranches } from './instance-rows.ts'
import { takeTransition } from './move.ts'
import { loadOwnRecord } from './moved-record.ts'
import { findTask, listHolders, type TaskRow } from './task-rows.ts'
import { findPinned } from './versions.ts'
import { listVotes } from './votes.ts'

const VOTED = `SELECT Id FROM svc_workflow_tasks t WHERE t.Status = 'Open'
  AND EXISTS (SELECT 1 FROM svc_workflow_votes v WHERE v.TaskId = t.Id) ORDER BY t.Id`

type SettleEngine = ObjectEngine & { readonly log: Log }

/** Moves tasks that are decided by now; resolves to how many. */
export async function settleTasks(engine: SettleEngine): Promise<number> {
  const tasks = await engine.store.all<{ Id: number }>({ sql: VOTED, args: {}, runs: 'lane' })
  let count = 0
  for (const { Id } of tasks)
    try {
      const work = (model: Model) => settle(engine, model, Id)
      if (await planAnewWhenReplaced(engine, work, NOBODY_WAITS)) count++
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const facts = { task: Id, why: error.message }
      engine.log.warn('a task that is decided could not go on', facts)
    }
  return count
}

async function settle(engine: SettleEngine, model: Model, id: number): Promise<boolean> {
  const { store, clock, models } = engine
  const seen = await findTask(store, id)
  const found = seen && (await findInstance(store, seen.InstanceId))
  const pinned = found && (await findPinned(engine, model, found))
  const company = (await loadCompaniesOfWork(store)).find((each) => each.id === seen?.CompanyId)
  const entity = pinned?.view.entity
  if (!pinned || !entity || !company) return false
  const { workflow, view } = pinned
  const context: Context = { caller: undefined, company, now: clock.now(), model }
  const revalidate = () => models.requireHeld(model)
  return store.write(
    async (tx) => {
      tx.facts.origin = { context, source: view.name, traceId: undefined }
      const task = await findTask(tx, id)
      const instance = task && (await findInstance(tx, task.InstanceId))
      if (task?.Status !== 'Open' || instance?.Status !== 'Running') return false
      if (instance.VersionHash !== found.VersionHash) return false
      const action = await findDecided(tx, workflow, task)
      if (action === undefined) return false
      const key = JSON.parse(instance.RecordKey) as (string | number)[]
      const own = { tx, context, workflow, view, entity, key, company: company.id }
      for (const transition of leaving(workflow, task.State)) {
        // Votes do not keep the parameters of a transition: it has to be taken again.
        if (transition.action !== action || transition.parameters.length > 0) continue
        const record = await loadOwnRecord(own, transition.when)
        if (!record?.holds) continue
        const branch = (await loadBranches(tx, instance.Id)).find(({ Id }) => Id === task.BranchId)
        const move = openMove(record.record, instance)
        await takeTransition(move, branch, { transition, said: {}, given: [['comment', null]] })
        raiseAction(tx, { view, key, action, company: entity.company ? company.id : null })
        return true
      }
      return false
    },
    { company: company.id, revalidate },
  )
}

const leaving = ({ transitions }: Workflow, state: string) =>
  transitions.filter(({ from, after }) => after === undefined && from.includes(state))

/** The action that present holders of the task agree on; the newest votes go first. */
async function findDecided(
  reader: Pick<Reader, 'all'>,
  workflow: Workflow,
  task: TaskRow,
): Promise<string | undefined> {
  const assignment = workflow.states.find(({ name }) => name === task.State)?.assignment
  const agreement = leaving(workflow, task.State)[0]?.action
  if (!assignment || assignment.rule === 'Any' || agreement === undefined) return undefined
  const of = { id: task.Id, company: task.CompanyId, except: task.ExceptUserId }
  const holders = new Set(await listHolders(reader, of))
  const votes = (await listVotes(reader, task.Id))
    .filter(({ Seat }) => holders.has(Seat))
    .map(({ Action }) => Action)
  const { rule, count } = assignment
  const ballot = { rule, count, agreement, voters: holders.size }
  return [...new Set(votes.toReversed())].find((action) => {
    const others = votes.filter((vote) => vote !== action)
    const same = votes.filter((vote) => vote === action)
    return isDecided({ ...ballot, votes: [...others, ...same] })
  })
}
