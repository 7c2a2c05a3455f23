/** A refused delete names what refers to the record, among rows that the caller may List. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Objects, refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Team" Table="teams">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/>
</Entity>
<Entity Name="Thing" Table="things">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="TeamId" References="Team"/>
  <Column Name="FormerTeamId" References="Team"/>
</Entity>
<Entity Name="Secret" Table="secrets">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="TeamId" References="Team"/>
</Entity>
<Entity Name="Club" Table="clubs">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
</Entity>
<Entity Name="Member" Table="members" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="ClubId" References="Club" OnDelete="Cascade"/>
  <Column Name="FormerClubId" References="Club" OnDelete="SetNull"/>
</Entity>
<ObjectView Name="Clubs" Entity="Club">
  <RowAction Name="Close" For="View"><Sql>DELETE FROM clubs</Sql></RowAction>
</ObjectView>
<ObjectView Name="Members" Entity="Member"/>
<ObjectView Name="Teams" Entity="Team"/>
<ObjectView Name="Things" Entity="Thing"/>
<ObjectView Name="Secrets" Entity="Secret"/>
<Rbac>
  <Role Name="All">
    <Grant Resource="Teams" Verbs="View List Create Delete"/>
    <Grant Resource="Things" Verbs="View List Create"/>
    <Grant Resource="Secrets" Verbs="View List Create"/>
  </Role>
  <Role Name="Member"><Grant Resource="Clubs" Verbs="View List Update Delete"/></Role>
  <Role Name="Some">
    <Grant Resource="Teams" Verbs="View List Delete"/>
    <Grant Resource="Things" Verbs="View List"/>
    <RowFilter Resource="Things">Region = 'north'</RowFilter>
  </Role>
  <Role Name="Slow">
    <Grant Resource="Teams" Verbs="View List Delete"/>
    <Grant Resource="Things" Verbs="View List"/>
    <RowFilter Resource="Things">Id &lt; (WITH RECURSIVE n (i) AS
      (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)</RowFilter>
  </Role>
  <Role Name="Blind">
    <Grant Resource="Teams" Verbs="View List Delete"/>
    <Grant Resource="Things" Verbs="View List"/>
    <FieldRule Resource="Things" Field="TeamId" Access="Hidden"/>
    <FieldRule Resource="Things" Field="FormerTeamId" Access="Hidden"/>
  </Role>
</Rbac>
</Model>`

const TEAMS: TestApplication = {
  files: [{ name: 'teams.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    all: 'All',
    some: 'Some',
    slow: 'Slow',
    blind: 'Blind',
    member: 'Member',
  }),
}

let all: Objects
beforeAll(async () => {
  all = new Objects(await startApp({ application: TEAMS }))
  for (const Name of ['used', 'only secret']) await all.save('all', 'Teams', { Name })
  for (const Region of ['north', 'south', 'south'])
    await all.save('all', 'Things', { Region, TeamId: 1, FormerTeamId: 1 })
  await all.save('all', 'Secrets', { TeamId: 1 })
  await all.save('all', 'Secrets', { TeamId: 2 })
})
afterAll(() => all[Symbol.asyncDispose]())

const told = async (as: string, Id: number): Promise<string> => {
  const { code, error } = refusal(await all.remove(as, 'Teams', { Id }), 400)
  expect(code).toBe('REFERENCE')
  return error
}

const UNNAMED = 'Other records refer to this one, or it refers to one that is not there'

test('a refused delete names objects and counts, by the rows of the caller', async () => {
  expect(await told('all', 1)).toBe('Not deleted: other records refer to it (3 Things, 1 Secrets)')
  expect(await told('some', 1)).toBe('Not deleted: other records refer to it (1 Things)')
  expect(await told('all', 2)).toBe('Not deleted: other records refer to it (1 Secrets)')
})

test('of what the caller does not see it says no more than that there is something', async () => {
  expect(await told('some', 2)).toBe(UNNAMED)
  expect(await told('blind', 1)).toBe(UNNAMED)
})

test('what cannot be counted in time leaves the refusal without names', async () => {
  expect(await told('slow', 1)).toBe(UNNAMED)
})

test('in German the objects have their labels', async () => {
  const { body } = await all.app.fetch<{ error: string }>('/api/v1/svc/object/delete-row', {
    as: 'all',
    body: { ObjectName: 'Teams', Parameters: { Id: 1 } },
    headers: { 'Accept-Language': 'de' },
  })
  expect(body.error).toBe(
    'Nicht gelöscht: andere Datensätze verweisen darauf (3 Things, 1 Secrets)',
  )
})

test('what another company has keeps a record, and all that would go with it', async () => {
  const { app } = all
  await app.store.write(
    async (tx) => {
      await tx.run('INSERT INTO clubs (Id) VALUES (1), (2), (3)')
      await tx.run(`INSERT INTO members (CompanyId, ClubId, FormerClubId)
        VALUES (1, 1, NULL), (2, 1, NULL), (1, NULL, 2), (2, NULL, 2), (1, 3, 3)`)
    },
    { company: 'all', because: 'a test' },
  )
  const facts = async () => [
    await all.stored('SELECT * FROM clubs'),
    await all.stored('SELECT * FROM members ORDER BY Id'),
    await all.stored("SELECT count(*) FROM svc_audit WHERE Entity IN ('Club', 'Member')"),
  ]
  const before = await facts()
  for (const Id of [1, 2])
    expect(refusal(await all.remove('member', 'Clubs', { Id }), 400).error).toBe(UNNAMED)
  expect(refusal(await all.act('member', 'Clubs', 'Close', {}), 400).code).toBe('REFERENCE')
  expect(await facts()).toEqual(before)
  expect((await all.remove('member', 'Clubs', { Id: 3 })).status).toBe(200)
  expect(await all.stored('SELECT Id FROM members ORDER BY Id')).toEqual(
    [1, 2, 3, 4].map((Id) => ({ Id })),
  )
})
