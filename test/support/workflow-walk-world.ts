/** An app with random workflows, its model beside it, and what both say of an instance. */
import type { SqlRow } from '../../src/store/sql.ts'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import type { JobRow, JobRun } from '../../src/engine/jobs/job.ts'
import { escalationJob, timerJob } from '../../src/engine/workflow/timer-jobs.ts'
import { Random } from '../../data/demo/random.ts'
import { startApp, type TestApp } from './app.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'
import { type Flow, makeFlow, printFlow, WALK_ROLES } from './workflow-walk-flow.ts'
import { ModelInstance, Office } from './workflow-walk-model.ts'

const FLOWS = 10

const grants = Array.from(
  { length: FLOWS },
  (_, at) => `<Grant Resource="Walk${at}s" Verbs="View List Create Update Delete"/>`,
).join('')

const rbac = `<Rbac>
  <Role Name="Worker">${grants}<Grant Resource="WorkflowDefinitions" Verbs="View Update"/></Role>
  ${WALK_ROLES.map((name) => `<Role Name="${name}"/>`).join('')}
</Rbac>`

/** By name; ids go by their order. */
export const PEOPLE = ['sys', 'ann', 'bob', 'cid', 'dee', 'eve'] as const
export type Person = (typeof PEOPLE)[number]
export const idOf = (name: Person): number => PEOPLE.indexOf(name) + 1

const ROLES_OF: Readonly<Record<Person, readonly string[]>> = {
  sys: ['System'],
  ann: ['Red'],
  bob: ['Red', 'Green'],
  cid: ['Green', 'Blue'],
  dee: ['Red', 'Green', 'Blue'],
  eve: [],
}

const wordsOf = (name: Person): string =>
  name === 'sys' ? 'System' : ['Worker', ...ROLES_OF[name]].map((role) => `${role}@ONE`).join(' ')

const WALKERS: TestApplication = {
  files: [{ name: 'walk.xml', body: rbac }],
  ...makePeople('ONE', Object.fromEntries(PEOPLE.map((name) => [name, wordsOf(name)]))),
}

export class WalkClock {
  at = Date.now()
  now = (): Date => new Date(this.at)
}

/** A record with its instance, in the database and in the model. */
export interface Walked {
  flow: Flow
  record: number
  id: number
  model: ModelInstance
  isDeleted: boolean
}

export interface WalkWorld extends AsyncDisposable {
  app: TestApp
  clock: WalkClock
  random: Random
  flows: readonly [Flow, ...Flow[]]
  office: Office
  walked: Walked[]
}

/** Random flows, deployed. */
export async function openWalkWorld(seed: number): Promise<WalkWorld> {
  const random = new Random(seed)
  const clock = new WalkClock()
  const app = await startApp({ application: WALKERS, clock })
  const [first, ...others] = Array.from({ length: FLOWS }, (_, at) => makeFlow(`Walk${at}`, random))
  if (!first) throw new Error('There is no flow')
  const flows = [first, ...others] as const
  const body = `<Model>${flows.map(printFlow).join('\n')}</Model>`
  const { store, models } = app.context
  const files = [{ name: 'flows.xml', body }]
  const { plan } = await deployModel(store, models, files, {}, clock)
  if (plan.faults.length > 0) throw new Error(`seed ${seed}: ${JSON.stringify(plan.faults)}`)
  const office = new Office(idOf('sys'))
  for (const name of PEOPLE) office.roles.set(idOf(name), new Set(ROLES_OF[name]))
  office.now = clock.at
  const dispose = () => app[Symbol.asyncDispose]()
  return {
    app,
    clock,
    random,
    flows: [...flows],
    office,
    walked: [],
    [Symbol.asyncDispose]: dispose,
  }
}

const list = <T extends SqlRow>({ app }: WalkWorld, sql: string): Promise<T[]> =>
  app.store.all<T>({ sql, args: {}, runs: 'inline' })

/** Changes something behind the back of the API. */
export const change = ({ app }: WalkWorld, sql: string): Promise<unknown> =>
  app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })

/** Lets all that is due happen, on both sides; what is wrong, else undefined. */
export async function fireTimers(world: WalkWorld): Promise<string | undefined> {
  const { app, clock, office } = world
  const kinds = new Map([timerJob, escalationJob].map((make) => [make(app.context).name, make]))
  const pending = await list<JobRow>(
    world,
    `SELECT * FROM svc_jobs WHERE State IN ('Enqueued', 'Scheduled')
     AND Name LIKE 'workflow-%' ORDER BY DueAt, Id`,
  )
  const timers = office.timers.map((timer, nth) => ({ ...timer, nth }))
  timers.sort((a, b) => a.at - b.at || a.nth - b.nth)
  const found = pending.map(({ Name, DueAt }) => `${Name} ${DueAt ?? ''}`)
  const wanted = timers.map(({ name, at }) => `${name} ${new Date(at).toISOString()}`)
  if (found.join() !== wanted.join()) return `timers: ${found.join()}, not ${wanted.join()}`
  for (const [at, job] of pending.entries()) {
    const timer = timers[at]
    if (!timer || timer.at > clock.at) break
    office.timers.splice(office.timers.indexOf(office.timers[timer.nth] ?? timer), 1)
    for (const later of timers) if (later.nth > timer.nth) later.nth--
    timer.fire()
    await kinds.get(job.Name)?.(app.context).run(runOf(job))
    await change(world, `UPDATE svc_jobs SET State = 'Succeeded' WHERE Id = ${job.Id}`)
  }
  return undefined
}

const runOf = (job: JobRow): JobRun => ({
  job,
  arguments: JSON.parse(job.Arguments) as Record<string, unknown>,
  signal: new AbortController().signal,
  requireCaller: () => Promise.reject(new Error('It is nobody')),
  progress: () => undefined,
  log: () => undefined,
})

/** The model's view of an instance, in the form of `readStored`. */
export function describeModel({ model, isDeleted }: Walked) {
  const { status, version, root, branches, tasks, history } = model
  return {
    status,
    version,
    state: root.state,
    recordState: isDeleted ? undefined : root.state,
    branches: branches.map(({ branch, parent, state }) => `${branch} in ${parent}: ${state}`),
    tasks: tasks
      .map((task) => ({
        place: task.place.branch,
        state: task.place.state,
        claimedBy: task.claimedBy ?? null,
        users: model.namedIn(task),
        roles: [...task.roles].sort(),
        except: task.except ?? null,
        votes: task.votes.map(({ user, seat, action }) => `${user} for ${seat}: ${action}`).sort(),
      }))
      .sort((a, b) => a.place - b.place),
    history: history.map((entry) => entry.join(' ')),
    openAssigneesOfClosed: 0,
    audited: history.length,
  }
}

interface TaskRow extends SqlRow {
  Id: number
  BranchId: number | null
  State: string
  ClaimedBy: number | null
  ExceptUserId: number | null
}

/** The stored state; branches are counted from 1 in the order in which they began. */
export async function readStored(world: WalkWorld, { id, flow, record }: Walked) {
  const of = `WHERE InstanceId = ${id}`
  const [row] = await list(world, `SELECT * FROM svc_workflow_instances WHERE Id = ${id}`)
  const history = await list<{ BranchId: number | null; [name: string]: string | number | null }>(
    world,
    `SELECT * FROM svc_workflow_history ${of} ORDER BY Id`,
  )
  const known = [...new Set(history.flatMap(({ BranchId }) => BranchId ?? []))].sort(
    (a, b) => a - b,
  )
  const numberOf = (branch: number | null): number => known.indexOf(branch ?? 0) + 1
  const branches = await list<{ Id: number; ParentId: number | null; State: string }>(
    world,
    `SELECT Id, ParentId, State FROM svc_workflow_branches ${of} ORDER BY Id`,
  )
  const tasks = await list<TaskRow>(
    world,
    `SELECT * FROM svc_workflow_tasks ${of} AND Status = 'Open'`,
  )
  const [record1] = await list(
    world,
    `SELECT State FROM ${flow.name.toLowerCase()} WHERE Id = ${record}`,
  )
  const [counts] = await list(
    world,
    `SELECT (SELECT count(*) FROM svc_workflow_assignees a JOIN svc_workflow_tasks t
        ON t.Id = a.TaskId ${of} AND t.Status <> 'Open' AND a.IsOpen = 1) AS Open,
      (SELECT count(*) FROM svc_audit WHERE Entity = 'svc_workflow_instances'
        AND RecordKey = '[${id}]') AS Audited`,
  )
  return {
    status: row?.Status,
    version: row?.Version,
    state: row?.State,
    recordState: record1?.State,
    branches: branches.map(
      ({ Id, ParentId, State }) => `${numberOf(Id)} in ${numberOf(ParentId)}: ${State}`,
    ),
    tasks: (await Promise.all(tasks.map((task) => readTask(world, task, numberOf)))).sort(
      (a, b) => a.place - b.place,
    ),
    history: history.map(({ Action, BranchId, FromState, ToState }) =>
      [Action, numberOf(BranchId), FromState, ToState].join(' '),
    ),
    openAssigneesOfClosed: counts?.Open,
    audited: counts?.Audited,
  }
}

async function readTask(
  world: WalkWorld,
  { Id, BranchId, State, ClaimedBy, ExceptUserId }: TaskRow,
  numberOf: (branch: number | null) => number,
) {
  const given = await list<{ UserId: number | null; Role: string | null }>(
    world,
    `SELECT UserId, Role FROM svc_workflow_assignees WHERE TaskId = ${Id} AND IsOpen = 1`,
  )
  const votes = await list<{ UserId: number; ForUserId: number | null; Action: string }>(
    world,
    `SELECT UserId, ForUserId, Action FROM svc_workflow_votes WHERE TaskId = ${Id}`,
  )
  return {
    place: numberOf(BranchId),
    state: State,
    claimedBy: ClaimedBy,
    users: given.flatMap(({ UserId }) => UserId ?? []).sort((a, b) => a - b),
    roles: given.flatMap(({ Role }) => Role ?? []).sort(),
    except: ExceptUserId,
    votes: votes
      .map((vote) => `${vote.UserId} for ${vote.ForUserId ?? vote.UserId}: ${vote.Action}`)
      .sort(),
  }
}

/** Invariants of any history: each place is left from where it was, since when it was there. */
export async function findBrokenChain(world: WalkWorld, { id }: Walked): Promise<string[]> {
  const rows = await list<Record<string, string | number | null>>(
    world,
    `SELECT * FROM svc_workflow_history WHERE InstanceId = ${id} ORDER BY Id`,
  )
  const at = new Map<number, { state: unknown; since: unknown }>()
  return rows.flatMap((row) => {
    const branch = Number(row.BranchId ?? 0)
    const here = at.get(branch)
    const { FromState: from, ToState: to, Since: since, At: moment } = row
    if (from === to && since === null)
      return here?.state === from ? [] : [`entry ${row.Id}: not in ${from}`]
    at.set(branch, { state: to, since: moment })
    const isRight = from === null ? !here : here?.state === from && here?.since === since
    return isRight ? [] : [`entry ${row.Id}: from ${from} since ${since}, was ${here?.state}`]
  })
}
