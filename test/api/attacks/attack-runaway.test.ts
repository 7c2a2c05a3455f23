/** Authored statements without an end, in every place that takes one: a 400, and others go on. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Objects, refusal, type Row, startAttackedRecords } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'
import { inTime } from '../../support/until.ts'

const ENDLESS =
  '(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r)'

const file = (body: string) => [{ name: 'model.xml', body: `<Model>${body}</Model>` }]

const ENTITY = (more: string) => `<Entity Name="Thing" Table="things">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/><Column Name="Rest" Type="Text"/>${more}
</Entity>`

const RULE = `<Validate Field="Name" Message="Endless">
  SELECT CASE WHEN @Name IS NULL THEN 1 ELSE ${ENDLESS} END</Validate>`
const GRANT = '<Grant Resource="Things" Verbs="View List Create Update Delete"/>'
const THING = ENTITY('')

/** Where a statement stands, the model, and what sets it off: a read, or a write. */
const PLACES: [name: string, model: string, trigger: 'read' | 'write'][] = [
  ['a rule', `${ENTITY(RULE)}<ObjectView Name="Things" Entity="Thing"/>`, 'write'],
  [
    'a rule of a view',
    `${THING}<ObjectView Name="Things" Entity="Thing">${RULE}</ObjectView>`,
    'write',
  ],
  [
    'a default',
    `${THING}<ObjectView Name="Things" Entity="Thing"><Field Name="Rest">
      <Default DependsOn="Name">SELECT CASE WHEN @Name IS NOT NULL THEN ${ENDLESS} END</Default>
    </Field></ObjectView>`,
    'write',
  ],
  [
    'an authored insert',
    `${THING}<ObjectView Name="Things" Entity="Thing">
      <Insert>INSERT INTO things (Name) SELECT @Name WHERE @Name IS NULL OR ${ENDLESS} = 0 RETURNING Id</Insert>
    </ObjectView>`,
    'write',
  ],
  [
    'a row filter',
    `${THING}<ObjectView Name="Things" Entity="Thing"/>
    <Rbac><Role Name="Worker">${GRANT}
      <RowFilter Resource="Things">Name IS NULL OR ${ENDLESS} = 0</RowFilter></Role></Rbac>`,
    'write',
  ],
  [
    'a permit',
    `${THING}<ObjectView Name="Things" Entity="Thing">
      <Permit Capability="Update" When="Name IS NULL OR ${ENDLESS} = 0"/></ObjectView>`,
    'read',
  ],
  [
    'a query',
    `${THING}<ObjectView Name="Things" Entity="Thing">
      <TableQuery>SELECT * FROM things WHERE Name IS NULL OR ${ENDLESS} = 0</TableQuery></ObjectView>`,
    'read',
  ],
  [
    'the query of a form',
    `${THING}<ObjectView Name="Things" Entity="Thing">
      <FormQuery>SELECT * FROM things WHERE Id = @Id AND (Name IS NULL OR ${ENDLESS} = 0)</FormQuery>
    </ObjectView>`,
    'read',
  ],
]

const ROLE = `<Rbac><Role Name="Worker">${GRANT}</Role></Rbac>`

function applicationOf(model: string): TestApplication {
  return {
    files: file(model.includes('<Rbac>') ? model : model + ROLE),
    ...makePeople('ONE', { worker: 'Worker' }),
  }
}

test.each(PLACES)('without an end: %s', async (_, model, trigger) => {
  const settings = { 'Svc:Sql:Timeout': '500ms', 'Svc:Sql:WriteTimeout': '500ms' }
  await using app = await startApp({ application: applicationOf(model), settings })
  const things = new Objects(app)
  const { Keys } = await inTime(() => things.save('worker', 'Things', { Rest: 'calm' }))
  const set = (tx: { run(sql: string): Promise<number> }) => tx.run(`UPDATE things SET Name = 'x'`)
  if (trigger === 'read') await app.store.write(set, { company: 'all', because: 'a test' })
  const runaway =
    trigger === 'write'
      ? things.submit('worker', 'Things', { Name: 'x' })
      : things.call('worker', '/Things/form', { Parameters: Keys as Row })
  const calm = inTime(() => things.call('worker', '/Things/form', {}))
  expect((await calm).status).toBe(200)
  expect(refusal(await runaway, 400).code).toBe('SQL_TIMEOUT')
  if (trigger === 'write') await inTime(() => things.save('worker', 'Things', { Rest: 'after' }))
  expect(await app.store.version('things')).toBeGreaterThan(0)
})

test('many statements of one transaction have one deadline together', async () => {
  await using vault = await startAttackedRecords({ settings: { 'Svc:Sql:WriteTimeout': '300ms' } })
  const slow =
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 300000) ' +
    'SELECT count(*) FROM r'
  let statements = 0
  const work = vault.app.store.write(
    async (tx) => {
      for (; statements < 1000; statements++) await tx.authored(slow)
    },
    { company: 1 },
  )
  const ended: unknown = await work.catch((error: unknown) => error)
  expect(ended).toMatchObject({ code: 'SQL_TIMEOUT' })
  expect(statements).toBeLessThan(1000)
  await inTime(() => vault.save('keeper', 'Items', { Code: 'after' }))
})

test('what follows from a change of many records lets others in and has an end', async () => {
  await using vault = await startAttackedRecords({ settings: { 'Svc:Sql:WriteTimeout': '2s' } })
  const fill = (tx: { run(sql: string): Promise<number> }) =>
    tx.run(`WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 6000)
      INSERT INTO items (CompanyId, Code, Region) SELECT 1, 'x' || n, 'north' FROM r`)
  await vault.app.store.write(fill, { company: 1 })
  let isOver = false
  const all = vault.act('keeper', 'Items', 'All', {}).finally(() => (isOver = true))
  let answers = 0
  for (; !isOver; answers++) {
    await vault.form('keeper', 'Items', { Id: 1 })
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect([200, 400]).toContain((await all).status)
  expect(answers).toBeGreaterThan(2)
})

/** Where each character of one text is looked for among all of the other: 64 million steps. */
const LETTERS = { Name: 'x'.repeat(8000), Rest: `${'y'.repeat(7999)}x` }
const TRIM = 'trim(@Name, @Rest)'

const BY_VALUE: [name: string, model: string][] = [
  [
    'a rule',
    `${ENTITY(`<Validate Field="Name" Message="No">SELECT ${TRIM} IS NOT NULL</Validate>`)}
    <ObjectView Name="Things" Entity="Thing"/>`,
  ],
  [
    'a computed column',
    `${ENTITY(`<Column Name="Left" Type="Text"><Compute>SELECT ${TRIM}</Compute></Column>`)}
    <ObjectView Name="Things" Entity="Thing"/>`,
  ],
  [
    'an authored update',
    `${THING}<ObjectView Name="Things" Entity="Thing">
      <Update>UPDATE things SET Name = @Name, Rest = ${TRIM} WHERE Id = @Id</Update></ObjectView>`,
  ],
]

test.each(BY_VALUE)('as long as its values make it, others go on: %s', async (_, model) => {
  const settings = { 'Svc:Sql:WriteTimeout': '30s' }
  await using app = await startApp({ application: applicationOf(model), settings })
  const things = new Objects(app)
  const { Keys } = await things.save('worker', 'Things', { Name: 'x', Rest: 'y' })
  // Quick often enough to run on the serving thread, did it not go by its values.
  for (let at = 0; at < 40; at++)
    await things.save('worker', 'Things', { ...(Keys as Row), Name: `x${at}`, Rest: 'y' })
  let isOver = false
  const slow = things
    .save('worker', 'Things', { ...(Keys as Row), ...LETTERS })
    .finally(() => (isOver = true))
  let answers = 0
  for (; !isOver; answers++) {
    await things.form('worker', 'Things', Keys as Row)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await slow
  expect(answers).toBeGreaterThan(2)
})
