/** Two people in the details of one record: what collides is told, what does not is saved. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Job" Table="jobs" Concurrency="Enabled" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Title" Type="Text"/>
</Entity>
<Entity Name="Step" Table="steps" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="JobId" References="Job" Required="true" OnDelete="Cascade"/>
  <Column Name="Text" Type="Text"/>
  <Column Name="Hours" Type="Integer"/>
</Entity>
<Entity Name="Part" Table="parts">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="JobId" References="Job" Required="true" OnDelete="Cascade"/>
  <Column Name="Text" Type="Text"/>
  <Column Name="Price" Type="Decimal" Scale="2"/>
</Entity>
<ObjectView Name="Jobs" Entity="Job">
  <Detail Name="Steps" View="Steps" Parent="JobId=Id"/>
  <Detail Name="Parts" View="Parts" Parent="JobId=Id"/>
</ObjectView>
<ObjectView Name="Steps" Entity="Step"/>
<ObjectView Name="Parts" Entity="Part"/>
<Rbac>
  <Role Name="All">
    <Grant Resource="Jobs" Verbs="View List Create Update"/>
    <Grant Resource="Steps" Verbs="View List Create Update Delete"/>
    <Grant Resource="Parts" Verbs="View List Create Update Delete"/>
  </Role>
  <Role Name="Blind">
    <Grant Resource="Jobs" Verbs="View List Update"/>
    <Grant Resource="Parts" Verbs="View List Update Delete"/>
    <FieldRule Resource="Parts" Field="Price" Access="Hidden"/>
  </Role>
</Rbac>
</Model>`

const JOBS: TestApplication = {
  files: [{ name: 'jobs.xml', body: MODEL }],
  ...makePeople('ONE', { ana: 'All', ben: 'All', cara: 'Blind' }),
}

/** Job 1 with two steps and two parts, and what a client knows of it. */
async function startJobs() {
  const jobs = new Objects(await startApp({ application: JOBS }))
  await jobs.save(
    'ana',
    'Jobs',
    { Title: 'Roof' },
    {
      Details: {
        Steps: {
          Upsert: [
            { Text: 'one', Hours: 1 },
            { Text: 'two', Hours: 2 },
          ],
        },
        Parts: {
          Upsert: [
            { Text: 'nail', Price: 1.5 },
            { Text: 'board', Price: 9 },
          ],
        },
      },
    },
  )
  const { Values: job } = await jobs.form('ben', 'Jobs', { Id: 1 })
  const { Rows: steps } = await jobs.table('ben', 'Steps', { Parameters: { JobId: 1 } })
  const { Rows: parts } = await jobs.table('ben', 'Parts', { Parameters: { JobId: 1 } })
  /** Ben's save from what he had loaded. */
  const save = (Details: Row, more: Row = {}) =>
    jobs.submit('ben', 'Jobs', { Id: 1, RowVersion: job.RowVersion }, { Details, ...more })
  return { jobs, steps, parts, save, [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose]() }
}

const stepOf = ({ Id, RowVersion }: Row, more: Row = {}): Row => ({ Id, RowVersion, ...more })

test('a stale row is told in the conflict of its record, never in the place of it', async () => {
  await using world = await startJobs()
  const { jobs, save } = world
  const [one = {}, two = {}] = world.steps
  await jobs.save('ana', 'Steps', stepOf(one, { Text: 'theirs' }))
  const Upsert = [stepOf(one, { Text: 'mine' }), stepOf(two, { Text: 'also mine' })]
  const { conflict, code } = refusal(await save({ Steps: { Upsert } }), 409)
  expect(code).toBe('CONFLICT')
  expect(conflict).toMatchObject({ Current: { Title: 'Roof' }, ChangedFields: [], ChangedBy: null })
  expect(conflict?.Details).toEqual({
    Steps: [
      {
        Key: { Id: one.Id },
        Kind: 'changed',
        Current: expect.objectContaining({ Text: 'theirs', Hours: 1 }),
        ChangedFields: ['Text'],
        ChangedBy: 'ana',
        ChangedAt: expect.any(String),
        RowVersion: String(Number(one.RowVersion) + 1),
      },
    ],
  })
  expect(await jobs.stored('SELECT Text FROM steps ORDER BY Id')).toEqual([
    { Text: 'theirs' },
    { Text: 'two' },
  ])
})

test('a record that moved and rows that moved are told at once', async () => {
  await using world = await startJobs()
  const { jobs, save } = world
  const [one = {}] = world.steps
  const { Values: job } = await jobs.form('ana', 'Jobs', { Id: 1 })
  const theirs = { Details: { Steps: { Delete: [stepOf(one)] } } }
  const { RowVersion } = job
  await jobs.save('ana', 'Jobs', { Id: 1, RowVersion, Title: 'Wall' }, theirs)
  const told = refusal(await save({ Steps: { Upsert: [stepOf(one, { Hours: 5 })] } }), 409)
  expect(told.conflict).toMatchObject({
    Current: { Title: 'Wall' },
    ChangedFields: ['Title'],
    ChangedBy: 'ana',
    Details: { Steps: [{ Key: { Id: one.Id }, Kind: 'deleted', Current: null }] },
  })
})

test('merge saves other fields of a row, and a row that both deleted is deleted', async () => {
  await using world = await startJobs()
  const { jobs, save } = world
  const [one = {}, two = {}] = world.steps
  await jobs.save('ana', 'Steps', stepOf(one, { Text: 'theirs' }))
  await jobs.remove('ana', 'Steps', { Id: two.Id }, { RowVersion: two.RowVersion })
  const merge = { OnConflict: 'merge' }
  const own = { Upsert: [stepOf(one, { Hours: 8 }), { Text: 'new' }], Delete: [stepOf(two)] }
  expect((await save({ Steps: own }, merge)).status).toBe(200)
  expect(await jobs.stored('SELECT Text, Hours FROM steps ORDER BY Id')).toEqual([
    { Text: 'theirs', Hours: 8 },
    { Text: 'new', Hours: null },
  ])
  refusal(await save({ Steps: { Upsert: [stepOf(one, { Text: 'mine' })] } }, merge), 409)
  refusal(await save({ Steps: { Delete: [stepOf(one)] } }, merge), 409)
})

test('rows without a stamp are held by the values that they were loaded with', async () => {
  await using world = await startJobs()
  const { jobs, save } = world
  const [nail = {}, board = {}] = world.parts
  await jobs.save('ana', 'Parts', { Id: nail.Id, Text: 'screw' })
  const other = { Upsert: [{ Id: nail.Id, Price: 2 }], Loaded: [{ Id: nail.Id, Price: 1.5 }] }
  expect((await save({ Parts: other })).status).toBe(200)
  const same = {
    Upsert: [{ Id: nail.Id, Text: 'bolt' }],
    Delete: [{ Id: board.Id }],
    Loaded: [
      { Id: nail.Id, Text: 'nail' },
      { Id: board.Id, Text: 'board', Price: 9 },
    ],
  }
  const told = refusal(await save({ Parts: same }), 409)
  expect(told.conflict?.Details).toMatchObject({
    Parts: [{ Key: { Id: nail.Id }, Kind: 'changed', ChangedFields: ['Text'], RowVersion: null }],
  })
  await jobs.save('ana', 'Parts', { Id: board.Id, Price: 10 })
  const removed = {
    Delete: [{ Id: board.Id }],
    Loaded: [{ Id: board.Id, Text: 'board', Price: 9 }],
  }
  expect(refusal(await save({ Parts: removed }), 409).conflict?.Details).toMatchObject({
    Parts: [{ Key: { Id: board.Id }, Kind: 'changed', ChangedFields: ['Price'] }],
  })
})

test('without Loaded a row that is gone is not found, as ever', async () => {
  await using world = await startJobs()
  const { jobs, save } = world
  const [nail = {}] = world.parts
  await jobs.remove('ana', 'Parts', { Id: nail.Id })
  const own = { Upsert: [{ Id: nail.Id, Text: 'bolt' }] }
  expect(refusal(await save({ Parts: own }), 404).code).toBe('RECORD_NOT_FOUND')
  const known = { ...own, Loaded: [{ Id: nail.Id, Text: 'nail' }] }
  expect(refusal(await save({ Parts: known }), 409).conflict?.Details).toMatchObject({
    Parts: [{ Key: { Id: nail.Id }, Kind: 'deleted' }],
  })
})

test('a guess of a hidden value is never answered', async () => {
  await using world = await startJobs()
  const { jobs } = world
  const [nail = {}] = world.parts
  const { Values: job } = await jobs.form('cara', 'Jobs', { Id: 1 })
  const { RowVersion } = job
  const guess = (Price: number) => ({
    Details: { Parts: { Delete: [{ Id: nail.Id }], Loaded: [{ Id: nail.Id, Price }] } },
  })
  const answer = await jobs.submit('cara', 'Jobs', { Id: 1, RowVersion }, guess(77))
  expect(answer.status).toBe(200)
})

test('the answer does not grow with the request', async () => {
  await using world = await startJobs()
  const { jobs, save } = world
  const Upsert = Array.from({ length: 150 }, (_, at) => ({ Text: `part ${at}` }))
  await jobs.save(
    'ana',
    'Jobs',
    { Id: 1, RowVersion: (await jobs.form('ana', 'Jobs', { Id: 1 })).Values.RowVersion },
    { Details: { Parts: { Upsert } } },
  )
  const { Rows } = await jobs.table('ana', 'Parts', { PageSize: 500 })
  const own = {
    Upsert: Rows.map(({ Id }) => ({ Id, Text: 'mine' })),
    Loaded: Rows.map(({ Id }) => ({ Id, Text: 'another' })),
  }
  const { conflict } = refusal(await save({ Parts: own }), 409)
  expect((conflict?.Details as { Parts: Row[] }).Parts).toHaveLength(100)
})

test('faults of all rows are told at once, and nothing is saved', async () => {
  await using world = await startJobs()
  const { jobs, save } = world
  const [one = {}] = world.steps
  const Upsert = [stepOf(one, { Hours: 'many' }), { Text: 'fine' }, { Text: 'no', Hours: 'few' }]
  const told = refusal(await save({ Steps: { Upsert } }), 400)
  expect(Object.keys(told.fieldErrors ?? {})).toEqual(['Steps[0].Hours', 'Steps[2].Hours'])
  expect(await jobs.stored('SELECT count(*) AS rows FROM steps')).toEqual([{ rows: 2 }])
})
