/** Changed rows of subscribed views: told to those who see them, before the change or after it. */
import { expect, test } from 'bun:test'
import type { HubConnection } from '@microsoft/signalr'
import { Random } from '../../data/demo/random.ts'
import { connect, type HubServer, startHubs } from '../support/hubs.ts'
import { makePeople } from '../support/people.ts'
import { propertySeed } from '../support/property.ts'
import type { TestApplication } from '../support/template.ts'
import { until } from '../support/until.ts'

const MODEL = `<Model>
<Entity Name="Team" Table="teams" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Open" Type="Boolean" Default="1"/>
</Entity>
<Entity Name="Case" Table="cases" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="OwnerId" Type="Integer"/>
  <Column Name="TeamId" Type="Integer"/>
  <Column Name="Lines" Type="Integer"><Compute From="Line">SELECT count(*) FROM lines WHERE CaseId = @Id</Compute></Column>
</Entity>
<Entity Name="Line" Table="lines" Company="CompanyId">
  <Column Name="CaseId" References="Case" Key="true" OnDelete="Cascade"/>
  <Column Name="No" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text"/>
</Entity>
<ObjectView Name="Cases" Entity="Case" Slug="all-cases">
  <RowAction Name="Shift" For="View"><Parameter Name="From" Type="Text"/><Parameter Name="To" Type="Text"/>
    <Sql>UPDATE cases SET Region = @To WHERE Region = @From</Sql></RowAction>
</ObjectView>
<ObjectView Name="Joined" Entity="Case">
  <TableQuery>SELECT c.*, t.Open AS IsOpen FROM cases c JOIN teams t ON t.Id = c.TeamId WHERE t.Open = 1</TableQuery>
</ObjectView>
<ObjectView Name="Lines" Entity="Line"/>
<ObjectView Name="Teams" Entity="Team"/>
<Entity Name="Mark" Table="marks"><Column Name="Id" Type="Integer" Key="true"/></Entity>
<ObjectView Name="Marks" Entity="Mark"/>
<Rbac>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Watcher"><Grant Resource="Marks" Verbs="List"/></Role>
  <Role Name="Boss"><Grant Resource="Cases" Verbs="View List Create Update Delete Import"/>
    <Grant Resource="Joined" Verbs="View List"/><Grant Resource="Teams" Verbs="View List Create Update"/>
    <Grant Resource="Lines" Verbs="View List Create Update Delete"/></Role>
  <Role Name="Clerk"><Grant Resource="Cases" Verbs="View List"/><Grant Resource="Joined" Verbs="List"/>
    <RowFilter Resource="Cases">Region = @User_Region</RowFilter>
    <RowFilter Resource="Joined">Region = @User_Region</RowFilter></Role>
  <Role Name="Owner"><Grant Resource="Cases" Verbs="View List"/><Grant Resource="Lines" Verbs="List"/>
    <RowFilter Resource="Cases">OwnerId = @CurrentUserId</RowFilter></Role>
</Rbac>
</Model>`

const CASES: TestApplication = {
  files: [{ name: 'cases.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    boss: 'Boss Watcher',
    clerk: ['Clerk Watcher', { Region: 'north' }],
    second: ['Clerk Watcher', { Region: 'north' }],
    owner: 'Owner Watcher',
    both: ['Owner Clerk Watcher', { Region: 'south' }],
    far: 'Boss Watcher in TWO',
    nobody: 'Watcher',
  }),
}

/** By the order of the users. */
const CLERK = 3
const OWNER = 5

interface Change {
  Object: string
  Action: string
  Keys: Record<string, unknown> | null
}

interface Watcher {
  client: HubConnection
  told: Change[]
}

const settings = { 'Svc:Hubs:MessagesPerSecond': '10000', 'Svc:Notifications:ChangeWait': '10s' }
const start = (): Promise<HubServer> => startHubs({ application: CASES, settings })

async function watch(server: HubServer, as: string, ...views: string[]): Promise<Watcher> {
  const client = server.client('notifications', as, { skipsNegotiation: true })
  const told: Change[] = []
  client.on('objectChanged', (change: Change) => told.push(change))
  await connect(client)
  for (const view of ['Marks', ...views]) await client.invoke('Subscribe', view)
  return { client, told }
}

async function post(server: HubServer, as: string, path: string, body: object) {
  const answer = await server.fetch<{ data: unknown }>(`/api/v1/svc/object/${path}`, { as, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.data
}
const submit = (
  server: HubServer,
  as: string,
  FormName: string,
  Parameters: object,
  isNew = true,
) => post(server, as, 'submit', { FormName, Parameters, IsNew: isNew })
const remove = (server: HubServer, as: string, Id: number) =>
  post(server, as, 'delete-row', { ObjectName: 'Cases', Parameters: { Id } })

let marks = 1000

/** Resolves when all that was on its way has come: a last change is told behind it. */
async function settle(server: HubServer, ...watchers: Watcher[]): Promise<void> {
  const mark = ++marks
  await server.store.write((tx) => tx.run(`INSERT INTO marks (Id) VALUES (${mark})`), {
    company: 'all',
    because: 'a test',
  })
  const isMark = ({ Object, Keys }: Change) => Object === 'Marks' && Keys?.Id === mark
  await until(() => watchers.every((each) => each.told.some(isMark)))
}
const told = ({ told: list }: Watcher) =>
  list
    .splice(0)
    .flatMap(({ Object, Action, Keys }) =>
      Object === 'Marks' ? [] : [`${Object} ${Action} ${JSON.stringify(Keys)}`],
    )

test('a row is told to those who see it: made, changed, out of sight and back, gone', async () => {
  await using server = await start()
  const [boss, clerk, owner] = [
    await watch(server, 'boss', 'all-cases'),
    await watch(server, 'clerk', 'Cases', 'Joined'),
    await watch(server, 'owner', 'CASES'),
  ]
  const save = (Parameters: object, isNew = false) =>
    submit(server, 'boss', 'Cases', Parameters, isNew)
  await submit(server, 'boss', 'Teams', { Id: 1, Open: true })
  await save({ Id: 1, Region: 'north', OwnerId: CLERK, TeamId: 1 }, true)
  await settle(server, boss, clerk, owner)
  expect(told(boss)).toEqual(['Cases created {"Id":1}'])
  expect(told(clerk).sort()).toEqual([
    ...['Cases created {"Id":1}', 'Joined changed null', 'Joined created {"Id":1}'],
  ])
  for (const change of [
    { Region: 'south' },
    { Region: 'north', OwnerId: OWNER },
    { TeamId: 2 },
    // Nothing is another than before.
    { TeamId: 2 },
  ]) {
    await save({ Id: 1, ...change })
    await settle(server, boss, clerk, owner)
  }
  await settle(server, boss, clerk, owner)
  expect(told(boss)).toEqual(Array(3).fill('Cases updated {"Id":1}'))
  expect(told(clerk).filter((text) => text.startsWith('Cases'))).toEqual(
    ['deleted', 'created', 'updated'].map((action) => `Cases ${action} {"Id":1}`),
  )
  expect(told(owner)).toEqual(['Cases created {"Id":1}', 'Cases updated {"Id":1}'])
  await remove(server, 'boss', 1)
  await settle(server, boss, clerk, owner)
  expect([told(boss), told(clerk), told(owner)]).toEqual(Array(3).fill(['Cases deleted {"Id":1}']))
  await clerk.client.invoke('Unsubscribe', 'Cases')
  await save({ Id: 2, Region: 'north' }, true)
  await settle(server, boss, clerk)
  expect(told(clerk)).toEqual([])
  expect(told(boss)).toHaveLength(1)
})

test('computed values and cascades are told, too; a key of two columns as well', async () => {
  await using server = await start()
  const boss = await watch(server, 'boss', 'Cases', 'Lines')
  await submit(server, 'boss', 'Cases', { Id: 1, Region: 'north' })
  await submit(server, 'boss', 'Lines', { CaseId: 1, No: 7, Text: 'a' })
  await settle(server, boss)
  expect(told(boss)).toEqual(
    ['Cases created {"Id":1}', 'Lines created {"CaseId":1,"No":7}', 'Cases updated {"Id":1}'].sort(
      (a, b) => Number(a.includes('updated')) - Number(b.includes('updated')),
    ),
  )
  await remove(server, 'boss', 1)
  await settle(server, boss)
  expect(told(boss).sort()).toEqual(['Cases deleted {"Id":1}', 'Lines deleted {"CaseId":1,"No":7}'])
})

test('a joined record changes what a view says: it is read anew, in its company', async () => {
  await using server = await start()
  const [clerk, far, nobody] = [
    await watch(server, 'clerk', 'Joined', 'Cases'),
    await watch(server, 'far', 'Joined'),
    await watch(server, 'nobody'),
  ]
  await submit(server, 'boss', 'Teams', { Id: 1, Open: true })
  await settle(server, clerk, far, nobody)
  expect([told(clerk), told(far), told(nobody)]).toEqual([['Joined changed null'], [], []])
  // Nothing is another than before.
  await submit(server, 'boss', 'Teams', { Id: 1, Open: true }, false)
  await submit(server, 'boss', 'Cases', { Id: 1, Region: 'north', TeamId: 1 })
  await settle(server, clerk, far)
  expect(told(clerk).sort()).toEqual(['Cases created {"Id":1}', 'Joined created {"Id":1}'])
  await submit(server, 'boss', 'Teams', { Id: 1, Open: false }, false)
  await until(() => clerk.told.some(({ Action }) => Action === 'changed'))
  expect([told(clerk), told(far)]).toEqual([['Joined changed null'], []])
  await clerk.client.invoke('Unsubscribe', 'Joined')
  await submit(server, 'boss', 'Teams', { Id: 2, Open: true })
  await settle(server, clerk)
  expect(told(clerk)).toEqual([])
})

test('attack: no List, no view, other companies', async () => {
  await using server = await start()
  const ask = (as: Watcher, view: string) =>
    as.client.invoke('Subscribe', view).then(String, (error: Error) => error.message)
  const nobody = await watch(server, 'nobody')
  const clerk = await watch(server, 'clerk')
  const rest = await server.fetch<{ error: string }>('/api/v1/svc/object/Lines/table', {
    as: 'clerk',
    body: {},
  })
  expect(await ask(clerk, 'Lines')).toContain(rest.body.error)
  expect(await ask(nobody, 'Cases')).toContain(rest.body.error)
  expect(await ask(nobody, 'Nothing')).toContain('There is no object with this name')
  const far = await watch(server, 'far', 'Cases')
  await submit(server, 'boss', 'Cases', { Id: 1, Region: 'north' })
  await settle(server, far, nobody)
  expect([told(far), told(nobody)]).toEqual([[], []])
})

test('a lost right ends it, another row filter regroups it, before more is told', async () => {
  await using server = await start()
  const [clerk, owner] = [
    await watch(server, 'clerk', 'Cases'),
    await watch(server, 'owner', 'Cases'),
  ]
  const write = (sql: string) =>
    server.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
  await write(`DELETE FROM svc_user_roles WHERE UserId = ${CLERK}`)
  server.context.callers.forgetUser(CLERK)
  await write(`DELETE FROM svc_user_roles WHERE UserId = ${OWNER}`)
  await write(`INSERT INTO svc_user_roles (UserId, Role) VALUES (${OWNER}, 'Boss')`)
  server.context.callers.forgetUser(OWNER)
  await submit(server, 'boss', 'Cases', { Id: 1, Region: 'north' })
  await until(() => owner.told.length > 0)
  await submit(server, 'boss', 'Cases', { Id: 2, Region: 'north' })
  await until(() => owner.told.some(({ Keys }) => Keys?.Id === 2))
  // The first record may be within "changed", or come after it.
  const others = told(owner).filter((change) => change !== 'Cases created {"Id":1}')
  expect(others).toEqual(['Cases changed null', 'Cases created {"Id":2}'])
  expect(told(clerk)).toEqual([])
})

test('very many rows at once are told together, in their company alone', async () => {
  await using server = await start()
  const [boss, far] = [await watch(server, 'boss', 'Cases'), await watch(server, 'far', 'Cases')]
  await server.store.write(
    async (tx) => {
      for (let id = 1; id <= 600; id++)
        await tx.run(`INSERT INTO cases (Id, CompanyId, Region) VALUES (${id}, 1, 'north')`)
    },
    { company: 'all', because: 'a test' },
  )
  await until(() => boss.told.length > 0)
  expect(told(boss)).toEqual(['Cases changed null'])
  await post(server, 'boss', 'execute-row-action', {
    ObjectName: 'Cases',
    ActionName: 'Shift',
    Parameters: { From: 'north', To: 'south' },
  })
  await until(() => boss.told.length > 0)
  expect(told(boss)).toEqual(['Cases changed null'])
  expect(told(far)).toEqual([])
})

test('random writes: what each is told is what each saw before and sees after', async () => {
  await using server = await start()
  const people = ['boss', 'clerk', 'second', 'owner', 'both', 'far'] as const
  const watchers = new Map<string, Watcher>()
  for (const as of people) watchers.set(as, await watch(server, as, 'Cases'))
  const see = async (as: string): Promise<Map<number, string>> => {
    const table = (await post(server, as, 'Cases/table', { PageSize: 1000 })) as {
      Rows: { Id: number }[]
    }
    return new Map(table.Rows.map((row) => [row.Id, JSON.stringify(row)]))
  }
  const seed = propertySeed
  const random = new Random(seed)
  const regions = ['north', 'south', 'west']
  const stored = new Set<number>()
  for (let step = 0; step < 60; step++) {
    const before = new Map(
      await Promise.all(people.map(async (as) => [as, await see(as)] as const)),
    )
    const id = random.int(1, 12)
    const values = { Region: regions[random.int(0, 2)], OwnerId: random.int(4, 6) }
    if (!stored.has(id)) await submit(server, 'boss', 'Cases', { Id: id, ...values })
    else if (random.next() < 0.3) await remove(server, 'boss', id)
    else await submit(server, 'boss', 'Cases', { Id: id, ...values }, false)
    const all = await see('boss')
    if (all.has(id)) stored.add(id)
    else stored.delete(id)
    await settle(server, ...watchers.values())
    for (const as of people) {
      const [was, is] = [before.get(as)?.get(id), (await see(as)).get(id)]
      const action = !was && is ? 'created' : was && !is ? 'deleted' : 'updated'
      const expected = was === is ? [] : [`Cases ${action} {"Id":${id}}`]
      const heard = told(watchers.get(as) ?? { client: null as never, told: [] })
      expect({ seed, step, as, heard }).toEqual({ seed, step, as, heard: expected })
    }
  }
})
