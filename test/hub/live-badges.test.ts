/** Badges over the hub: told when they change, and only to those whose they are. */
import { expect, test } from 'bun:test'
import { approvals } from '../support/approvals.ts'
import { connect, type HubServer, startHubs } from '../support/hubs.ts'
import { makePeople } from '../support/people.ts'
import type { TestApplication } from '../support/template.ts'
import { until } from '../support/until.ts'

const MODEL = `<Model>
<Entity Name="Case" Table="cases" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Region" Type="Text"/>
</Entity>
<ObjectView Name="Cases" Entity="Case"/>
<Navbar Name="main"><Item Name="CaseList" Object="Cases"><Badge Kind="Count">SELECT count(*) FROM cases</Badge></Item></Navbar>
<Rbac>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Boss"><Grant Resource="Cases" Verbs="View List Create Delete"/></Role>
  <Role Name="Clerk"><Grant Resource="Cases" Verbs="View List"/>
    <RowFilter Resource="Cases">Region = @User_Region</RowFilter></Role>
</Rbac>
</Model>`

const CASES: TestApplication = {
  files: [{ name: 'cases.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    boss: 'Boss',
    clerk: ['Clerk', { Region: 'north' }],
    far: 'Boss in TWO',
  }),
}

async function watch(server: HubServer, as: string, item = 'CaseList') {
  const client = server.client('notifications', as)
  const told: unknown[] = []
  client.on('badges', (badges: Record<string, { Value: unknown } | undefined>) =>
    told.push(badges[item]?.Value ?? null),
  )
  await connect(client)
  return { client, told }
}

test('each hears of their own count, once for what comes together, and not of others', async () => {
  await using server = await startHubs({ application: CASES })
  const [boss, clerk, far] = [
    await watch(server, 'boss'),
    await watch(server, 'clerk'),
    await watch(server, 'far'),
  ]
  const save = (Region: string) =>
    server.fetch('/api/v1/svc/object/submit', {
      as: 'boss',
      body: { FormName: 'Cases', Parameters: { Region } },
    })
  await Promise.all(['south', 'south', 'south'].map(save))
  await until(() => boss.told.at(-1) === 3)
  await save('north')
  await until(() => boss.told.at(-1) === 4 && clerk.told.length > 0)
  // Rows that the clerk does not see were no reason to tell them anything.
  expect(clerk.told).toEqual([1])
  expect(far.told).toEqual([])
  const write = (sql: string) =>
    server.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
  await write(`UPDATE svc_user_roles SET Role = 'Boss' WHERE UserId = 3`)
  server.context.callers.forgetUser(3)
  await until(() => clerk.told.at(-1) === 4)
})

const APPROVALS = approvals()

test('tasks are counted for those who have them, as they come and go', async () => {
  await using server = await startHubs({ application: APPROVALS })
  const [ann, maker] = [await watch(server, 'ann', 'Tasks'), await watch(server, 'maker', 'Tasks')]
  const ask = (as: string, path: string, body: object) =>
    server.fetch(`/api/v1/svc${path}`, { as, body })
  const Parameters = { Title: 'Desk', Amount: 1 }
  await ask('maker', '/object/submit', { FormName: 'Requests', Parameters })
  const act = '/workflow/instances/1/actions'
  await ask('maker', `${act}/Submit`, {})
  await until(() => ann.told.at(-1) === 1)
  await ask('ann', `${act}/Approve`, { Comment: 'ok' })
  await until(() => ann.told.at(-1) === 0)
  expect(maker.told).toEqual([])
  await Promise.all([ann.client.stop(), maker.client.stop()])
})
