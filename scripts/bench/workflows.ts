/**
 * Workflows, on the executable: a transition beside a row action that makes the same change, and
 * the own tasks of users among very many, beside the liveness check.
 */
import { join } from 'node:path'
import Database from 'libsql'
import { temporaryFolder } from '../../test/support/executable.ts'
import { copyTemplate, findTemplate, type TestApplication } from '../../test/support/template.ts'
import { startServer } from './processes.ts'

const RECORDS = 400
const MOVES = 400
const ROUNDS = 12
const AT_ONCE = 16

const TASKS = 100_000
const USERS = 10
const LOOKS = 400

const CHANGE = `<Sql>UPDATE items SET Total = Total + 1 WHERE Id = @Id</Sql>`

const MODEL = `<Model>
<Entity Name="Item" Table="items" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text"/><Column Name="Region" Type="Text"/>
  <Column Name="Total" Type="Integer" Default="0"/><Column Name="State" Type="Text"/>
</Entity>
<ObjectView Name="Items" Entity="Item">
  <RowAction Name="Add">${CHANGE}</RowAction>
</ObjectView>
<Workflow Name="Way" Object="Items" StateField="State">
  <States><State Name="off" Kind="Initial"/><State Name="on"/>
    <State Name="review" Kind="Task"><Assign Role="Boss"/></State>
    <State Name="done" Kind="Final"/></States>
  <Transitions>
    <Transition From="off" To="on" Action="Flip">${CHANGE}</Transition>
    <Transition From="on" To="off" Action="Flip">${CHANGE}</Transition>
    <Transition From="off" To="review" Action="Ask"/>
    <Transition From="review" To="done" Action="Approve"/>
  </Transitions>
  <Start On="created"/>
</Workflow>
<Rbac><UserAttribute Name="Region" Type="Text"/>
  <Role Name="Boss"><Grant Resource="Items" Verbs="View List Update"/></Role>
  <Role Name="Local"><Grant Resource="Items" Verbs="View List Update"/>
    <RowFilter Resource="Items">Region = @User_Region</RowFilter></Role>
</Rbac></Model>`

const USER_NAMES = Array.from({ length: USERS }, (_, nth) => `user${nth}`)

/** Ids go by their order: sys is 1, the users follow. */
const APPLICATION: TestApplication = {
  files: [{ name: 'workflows.xml', body: MODEL }],
  companies: ['ONE'],
  users: [
    { userName: 'sys', roles: ['System'], companies: ['ONE'] },
    ...USER_NAMES.map((userName, nth) => ({
      userName,
      companies: ['ONE'],
      attributes: { Region: `r${nth}` },
      roles: [nth < USERS / 2 ? 'Boss@ONE' : 'Local@ONE'],
    })),
  ],
}

/** Figures of the executable on a core of its own, a line each. */
export async function measureWorkflows(executable: string): Promise<string[]> {
  using home = temporaryFolder()
  const folder = join(home.path, 'data')
  const template = await findTemplate(APPLICATION)
  copyTemplate(template, folder)
  const serve = [executable, 'serve', '--port', '0', '--data', folder]
  const lines: string[] = []
  for (const measure of [measureMoves, measureTasks]) {
    if (measure === measureTasks) seedTasks(folder)
    await using server = await startServer(serve)
    const measured = await measure(openCall(server.port, template.tokens))
    lines.push(...measured)
  }
  return lines
}

const OBJECT = '/api/v1/svc/object'
const FLOW = '/api/v1/svc/workflow'

/** A request of a user, which must be answered well. */
type Call = (path: string, as: string, body?: object) => Promise<void>

const openCall =
  (port: number, tokens: Readonly<Record<string, string>>): Call =>
  async (path, as, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${tokens[as]}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
  }

/** Rounds take turns, on the same records. */
async function measureMoves(call: Call): Promise<string[]> {
  for (let left = RECORDS; left > 0; left--)
    await call(`${OBJECT}/submit`, 'sys', { FormName: 'Items', Parameters: {} })
  let next = 0
  const take = () => (next++ % RECORDS) + 1
  const action = (name: string) => () => {
    const Parameters = { Id: take() }
    const body = { ObjectName: 'Items', ActionName: name, Parameters }
    return call(`${OBJECT}/execute-row-action`, 'sys', body)
  }
  const kinds = {
    change: action('Add'),
    moved: action('Flip'),
    acted: () => call(`${FLOW}/instances/${take()}/actions/Flip`, 'sys', {}),
  }
  const rates: Record<keyof typeof kinds, number[]> = { change: [], moved: [], acted: [] }
  for (let round = -1; round < ROUNDS; round++)
    for (const [name, work] of Object.entries(kinds)) {
      const rate = await measureRate(work)
      if (round >= 0) rates[name as keyof typeof kinds].push(rate)
    }
  const share = (of: readonly number[]) =>
    median(of.map((rate, at) => rate / (rates.change[at] ?? 0))).toFixed(2)
  return [
    `moves   a row action ${median(rates.change).toFixed(0)}/s; the same change as a transition ` +
      `${share(rates.moved)} of that as a row action, ${share(rates.acted)} as an action of an ` +
      'instance with its history in the answer, wanted 0.60',
  ]
}

async function measureRate(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  const client = async (): Promise<void> => {
    for (let left = MOVES / AT_ONCE; left > 0; left--) await work()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  return (MOVES * 1000) / (performance.now() - begun)
}

const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN

/** Of ten tasks four are of a role, one of the filtered role, and five of a user each. */
const SEEDS = [
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${TASKS})
   INSERT INTO items (Id, CompanyId, Title, Region, Total, State)
   SELECT 1000000 + i, 1, 'Item ' || i, 'r' || (i / 10 % ${USERS}), 0, 'review' FROM n`,
  `INSERT INTO svc_workflow_instances (Id, Workflow, VersionHash, Entity, RecordKey, CompanyId,
     State, Status, Version, Entry, EnteredAt, StartedBy, StartedAt)
   SELECT Id, 'Way', @hash, 'Item', '[' || Id || ']', 1, 'review', 'Running', 2, 2, @now, 1, @now
   FROM items WHERE Id > 1000000`,
  `INSERT INTO svc_workflow_tasks (Id, InstanceId, Entry, CompanyId, Workflow, State, Status,
     CreatedAt) SELECT Id, Id, 2, 1, 'Way', 'review', 'Open', @now FROM items WHERE Id > 1000000`,
  `INSERT INTO svc_workflow_assignees (TaskId, CompanyId, UserId, Role, Due, IsOpen)
   SELECT Id, 1, CASE WHEN Id % 10 > 4 THEN 2 + Id / 10 % ${USERS} END,
     CASE WHEN Id % 10 < 4 THEN 'Boss' WHEN Id % 10 = 4 THEN 'Local' END,
     '2030-01-' || (10 + Id * 7919 % 10007 % 20), 1 FROM items WHERE Id > 1000000`,
]

/** Into the data of a server that has stopped. */
function seedTasks(folder: string): void {
  const database = new Database(join(folder, 'engine.db'))
  try {
    const first = 'SELECT VersionHash AS hash FROM svc_workflow_instances LIMIT 1'
    const { hash } = database.prepare(first).get() as { hash: string }
    const args = { hash, now: new Date().toISOString() }
    for (const sql of SEEDS) database.prepare(sql).run(sql.includes('@') ? args : {})
  } finally {
    database.close()
  }
}

async function measureTasks(call: Call): Promise<string[]> {
  const lines: string[] = []
  for (const [name, path] of [
    ['live', '/health/live'],
    ['page', `${FLOW}/tasks?mine=true`],
    ['count', `${FLOW}/tasks/count`],
  ] as const)
    for (const [who, users] of [
      ['Boss', USER_NAMES.slice(0, USERS / 2)],
      ['Local', USER_NAMES.slice(USERS / 2)],
    ] as const) {
      const times = await measureTimes(call, path, users)
      const [mid, p99] = [0.5, 0.99].map((share) => times[Math.floor(times.length * share)] ?? 0)
      const figures = `${mid?.toFixed(2)} ms, p99 ${p99?.toFixed(2)} ms`
      lines.push(
        `tasks   ${name} of ${who}: ${figures}${name === 'live' ? '' : ', wanted under 20'}`,
      )
    }
  return lines
}

async function measureTimes(call: Call, path: string, users: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (let look = -20; look < LOOKS; look++) {
    const begun = performance.now()
    await call(path, users[(look + 20) % users.length] ?? '')
    if (look >= 0) times.push(performance.now() - begun)
  }
  return times.sort((a, b) => a - b)
}
