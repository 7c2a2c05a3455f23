/**
 * Random walks: random workflows, moved by random people at random times, beside a model of a few
 * lines that says what should come of each step. `PROPERTY_SCALE=20` takes 10,000 steps.
 */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { passOnTasks } from '../../src/engine/workflow/lost-rights.ts'
import { propertySeed, scaleCases } from '../support/property.ts'
import { WALK_ROLES } from '../support/workflow-walk-flow.ts'
import { ModelInstance } from '../support/workflow-walk-model.ts'
import {
  change,
  describeModel,
  findBrokenChain,
  fireTimers,
  idOf,
  openWalkWorld,
  PEOPLE,
  readStored,
  type Walked,
  type WalkWorld,
} from '../support/workflow-walk-world.ts'

/** A long run walks for minutes: a test that hangs is ended, none is timed. */
setDefaultTimeout(1_200_000)

const STEPS = 500
const BASE = '/api/v1/svc/workflow'
const OBJECT = '/api/v1/svc/object'

/** The requested action, its caller, and whether it should have been done. */
interface Step {
  what: string
  touched: Walked | undefined
  isDone: boolean
  status: number
}

const submit = (world: WalkWorld, as: string, flow: string, Parameters: object) =>
  world.app.fetch<{ data: { Keys: { Id: number } } }>(`${OBJECT}/submit`, {
    as,
    body: { FormName: `${flow}s`, Parameters },
  })

async function create(world: WalkWorld): Promise<Step> {
  const { random, flows, office, walked, app } = world
  const flow = random.pick(flows)
  const as = random.pick(PEOPLE)
  const amount = random.int(0, 99)
  const { body, status } = await submit(world, as, flow.name, { Amount: amount })
  const record = body.data.Keys.Id
  const [row] = await app.store.all<{ Id: number }>({
    sql: `SELECT Id FROM svc_workflow_instances WHERE Entity = @name AND RecordKey = @key`,
    args: { name: flow.name, key: `[${record}]` },
    runs: 'inline',
  })
  const model = new ModelInstance(flow, idOf(as), amount, office)
  const touched = { flow, record, id: row?.Id ?? 0, model, isDeleted: false }
  walked.push(touched)
  return { what: `create ${flow.name} by ${as}`, touched, isDone: true, status }
}

/** One of the last instances, so that some come far. */
function pickWalked({ random, walked }: WalkWorld): Walked | undefined {
  const running = walked.filter(({ model }) => model.status === 'Running')
  const pool = random.chance(0.95) ? running : walked
  return pool[random.int(0, pool.length - 1)]
}

async function act(world: WalkWorld): Promise<Step> {
  const { random, app } = world
  const touched = pickWalked(world)
  if (!touched) return create(world)
  const as = random.pick(PEOPLE)
  const action = random.pick(['Ok', 'Ok', 'Ok', 'Go', 'Go', 'No', 'Again', 'Wait'])
  const isStale = random.chance(0.05)
  const Version = isStale ? touched.model.version + 1 : null
  const isDone = !isStale && touched.model.act(idOf(as), action)
  const { status } = await app.fetch(`${BASE}/instances/${touched.id}/actions/${action}`, {
    as,
    body: { Version },
  })
  return { what: `${action} by ${as}`, touched, isDone, status }
}

async function onTask(world: WalkWorld): Promise<Step> {
  const { random, app } = world
  const touched = pickWalked(world)
  const [task] = touched?.model.tasks ?? []
  if (!touched || !task) return act(world)
  const [as, to] = [random.pick(PEOPLE), random.pick(PEOPLE)]
  const what = random.pick(['claim', 'unclaim', 'delegate', 'delegate'])
  const user = idOf(as)
  const isDone =
    what === 'delegate'
      ? touched.model.delegate(task, user, idOf(to))
      : touched.model.claim(task, user, what === 'claim')
  const [row] = await app.store.all<{ Id: number }>({
    sql: `SELECT Id FROM svc_workflow_tasks WHERE InstanceId = @id AND State = @state
      AND Status = 'Open'`,
    args: { id: touched.id, state: task.place.state },
    runs: 'inline',
  })
  const { status } = await app.fetch(`${BASE}/tasks/${row?.Id ?? 0}/${what}`, {
    as,
    method: 'POST',
    body: { UserId: idOf(to) },
  })
  return { what: `${what} by ${as} to ${to}`, touched, isDone, status }
}

async function end(world: WalkWorld): Promise<Step> {
  const { app, random } = world
  const touched = pickWalked(world)
  if (!touched || touched.isDeleted) return act(world)
  const isDelete = random.chance(0.5)
  if (!isDelete) {
    const isDone = touched.model.end('cancel')
    const path = `${BASE}/instances/${touched.id}/cancel`
    const { status } = await app.fetch(path, { as: 'eve', body: {} })
    return { what: 'cancel', touched, isDone, status }
  }
  touched.model.end('deleted')
  touched.isDeleted = true
  const Parameters = { Id: touched.record }
  const body = { ObjectName: `${touched.flow.name}s`, Parameters }
  const { status } = await app.fetch(`${OBJECT}/delete-row`, { as: 'eve', body })
  return { what: 'delete', touched, isDone: true, status }
}

async function setAmount(world: WalkWorld): Promise<Step> {
  const touched = pickWalked(world)
  if (!touched || touched.isDeleted) return act(world)
  const { flow, record, model } = touched
  model.amount = world.random.int(0, 99)
  const { status } = await submit(world, 'eve', flow.name, { Id: record, Amount: model.amount })
  return { what: `amount ${model.amount}`, touched, isDone: true, status }
}

async function changeRole({ random, office, app }: WalkWorld, world: WalkWorld): Promise<Step> {
  const who = random.pick(PEOPLE)
  const role = random.pick(WALK_ROLES)
  const held = office.roles.get(idOf(who)) ?? new Set()
  const sql = held.has(role)
    ? `DELETE FROM svc_user_roles WHERE UserId = ${idOf(who)} AND Role = '${role}'`
    : `INSERT INTO svc_user_roles (UserId, Role, CompanyId) VALUES (${idOf(who)}, '${role}', 1)`
  if (!held.delete(role)) held.add(role)
  await change(world, sql)
  app.context.callers.forgetUser(idOf(who))
  const what = `${who} ${held.has(role) ? 'gets' : 'loses'} ${role}`
  return { what, touched: undefined, isDone: true, status: 200 }
}

async function goAway({ random, office, clock, app }: WalkWorld): Promise<Step> {
  const [as, to] = [random.pick(PEOPLE), random.pick(PEOPLE)]
  const isOver = random.chance(0.2)
  const from = clock.at + random.int(0, 10) * 60_000
  const until = from + random.int(1, 60) * 60_000
  const isDone = isOver || as !== to
  if (isOver) office.away.delete(idOf(as))
  else if (as !== to) office.away.set(idOf(as), { to: idOf(to), from, until })
  const [From, Until] = [from, until].map((at) => new Date(at).toISOString())
  const body = { UserId: isOver ? null : idOf(to), From, Until }
  const { status } = await app.fetch(`${BASE}/delegation`, { as, method: 'PUT', body })
  return { what: `${as} away for ${isOver ? 'nobody' : to}`, touched: undefined, isDone, status }
}

async function passOn({ app, walked }: WalkWorld): Promise<Step> {
  await passOnTasks(app.context)
  for (const { model } of walked) model.passOn()
  return { what: 'sweep', touched: walked.at(-1), isDone: true, status: 200 }
}

/** How often each is taken. */
const STEPS_TAKEN: readonly (readonly [number, (world: WalkWorld) => Promise<Step>])[] = [
  [0.12, create],
  [0.1, onTask],
  [0.02, end],
  [0.04, setAmount],
  [0.05, (world) => changeRole(world, world)],
  [0.05, goAway],
  [0.02, passOn],
  [1, act],
]

async function takeStep(world: WalkWorld): Promise<Step> {
  let left = world.random.next()
  for (const [share, step] of STEPS_TAKEN) {
    if (left < share) return step(world)
    left -= share
  }
  return act(world)
}

/** Faults after a step; none where all is as it should be. */
async function judge(world: WalkWorld, { touched, isDone, status }: Step): Promise<unknown[]> {
  const wrong: unknown[] = []
  if ((status === 200) !== isDone) wrong.push(`answered ${status}, and should have ${isDone}`)
  if (!touched) return wrong
  const [stored, wanted] = [await readStored(world, touched), describeModel(touched)]
  if (!Bun.deepEquals(stored, wanted)) wrong.push({ stored, wanted })
  return [...wrong, ...(await findBrokenChain(world, touched))]
}

/** Of each person: the tasks that wait for them, by instance and state. */
async function judgeOwn({ app, walked }: WalkWorld): Promise<unknown[]> {
  const wrong: unknown[] = []
  for (const as of PEOPLE) {
    type Page = { data: { Tasks: { InstanceId: number; State: string }[] } }
    const { body } = await app.fetch<Page>(`${BASE}/tasks?mine=true&limit=200`, { as })
    const told = body.data.Tasks.map(({ InstanceId, State }) => `${InstanceId} ${State}`).sort()
    const wanted = walked.flatMap(({ id, model }) =>
      model.tasks
        .filter((task) => model.isWaitedFor(task, idOf(as)))
        .map(({ place }) => `${id} ${place.state}`),
    )
    if (!Bun.deepEquals(told, wanted.sort())) wrong.push({ as, told, wanted })
  }
  return wrong
}

/** Walks until something is wrong; resolves to what histories say that was done. */
async function walk(seed: number): Promise<string[]> {
  await using world = await openWalkWorld(seed)
  const trace: string[] = []
  const fail = (at: number, wrong: readonly unknown[], flow?: unknown) => {
    const told = { seed, at, trace: trace.slice(-30), wrong, flow }
    throw new Error(JSON.stringify(told, null, 1))
  }
  for (let at = 0; at < STEPS; at++) {
    if (world.random.chance(0.15)) {
      world.clock.at += world.random.int(1, 15) * 60_000
      world.office.now = world.clock.at
      const fault = await fireTimers(world)
      if (fault !== undefined) fail(at, [fault])
    }
    const step = await takeStep(world)
    trace.push(`${step.touched?.id ?? ''} ${step.what}: ${step.status}`)
    const wrong = await judge(world, step)
    if (at % 10 === 9) wrong.push(...(await judgeOwn(world)))
    if (wrong.length > 0) fail(at, wrong, step.touched?.flow)
  }
  for (const touched of world.walked) {
    const wrong = await judge(world, { what: '', touched, isDone: true, status: 200 })
    if (wrong.length > 0) fail(STEPS, wrong, touched.flow)
  }
  return world.walked.flatMap(({ model }) => model.history.map(([action]) => action))
}

test('whatever is done in whatever order, the engine and the model agree', async () => {
  const done = new Set<string>()
  for (let nth = 0; nth < scaleCases(1); nth++)
    for (const action of await walk(propertySeed + nth)) done.add(action)
  // Of all that can happen most has happened, whatever the seed.
  expect(done.size).toBeGreaterThan(9)
})
