/** Clients are told when the model or their own rights have changed, and nothing of others'. */
import { expect, test } from 'bun:test'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import { connect, type HubServer, startHubs } from '../support/hubs.ts'
import { makePeople } from '../support/people.ts'
import type { TestApplication } from '../support/template.ts'
import { until } from '../support/until.ts'

const ENTITIES = `<Model>
<Entity Name="Case" Table="cases" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title"/>
</Entity>
<ObjectView Name="Cases" Entity="Case"/>
</Model>`

const RBAC = `<Model><Rbac>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Boss"><Grant Resource="Cases" Verbs="View List Create Delete"/></Role>
  <Role Name="Clerk"><Grant Resource="Cases" Verbs="View List"/></Role>
  <Role Name="Spare"><Grant Resource="Cases" Verbs="Export"/></Role>
</Rbac></Model>`

const CASES: TestApplication = {
  files: [
    { name: 'cases.xml', body: ENTITIES },
    { name: 'rbac.xml', body: RBAC },
  ],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    boss: 'Boss',
    clerk: 'Clerk',
    far: 'Boss in TWO',
  }),
}

const CLERK = 3

async function watch(server: HubServer, as: string): Promise<unknown[]> {
  const client = server.client('notifications', as)
  const told: unknown[] = []
  client.on('modelChanged', (change: { VersionHash: string }) => told.push(change))
  client.on('rightsChanged', (...args: unknown[]) => told.push(['rights', ...args]))
  await connect(client)
  return told
}

test('the model is told to all, rights to each client of those whose they are', async () => {
  await using server = await startHubs({ application: CASES, withoutLoops: true })
  const one = await watch(server, 'clerk')
  const two = await watch(server, 'clerk')
  const [boss, far] = [await watch(server, 'boss'), await watch(server, 'far')]
  const { store, models, clock, hubs } = server.context
  const after = (isTold: () => boolean) =>
    until(async () => {
      await hubs.sweep()
      return isTold()
    })
  const deploy = async (label: string, bossMay: string) => {
    const files = CASES.files.map(({ name, body }) => ({
      name,
      body: body
        .replace('<Column Name="Title"/>', `<Column Name="Title" Label="${label}"/>`)
        .replace('View List Create Delete', bossMay),
    }))
    const { isDone } = await deployModel(store, models, files, {}, clock)
    expect(isDone).toBe(true)
  }
  const change = async (path: string, body: object, method = 'POST') => {
    const answer = await server.fetch(`/api/v1/svc/auth/users/${CLERK}${path}`, {
      as: 'sys',
      method,
      body,
    })
    expect([answer.text, answer.status]).toEqual([answer.text, 200])
  }
  await change('/roles', { Role: 'Spare', CompanyId: 1 })
  await after(() => one.length === 1 && two.length === 1)
  await change('', { Companies: [1, 2] }, 'PUT')
  await after(() => one.length === 2 && two.length === 2)
  // A name is no right.
  await change('', { DisplayName: 'Another' }, 'PUT')
  await change('', { Attributes: { Region: 'north' } }, 'PUT')
  await after(() => one.length === 3 && two.length === 3)
  await deploy('Subject', 'View List Create Delete')
  await after(() => one.length === 4 && two.length === 4 && boss.length + far.length === 2)
  await deploy('Subject', 'View List Create')
  await after(() => boss.length + far.length === 4)
  await deploy('Matter', 'View List Create')
  await after(() => one.length === 5 && two.length === 5 && boss.length + far.length === 6)
  const rights = ['rights']
  const hash = { VersionHash: expect.stringMatching(/^[0-9a-f]{32}$/) }
  expect(one).toEqual([rights, rights, rights, hash, hash])
  expect(two).toEqual(one)
  expect(boss).toEqual([one[3], rights, one[4]])
  expect(far).toEqual(boss)
  expect(one[3]).not.toEqual(one[4])
})
