/** Computed columns that do not need each other are stored together; the others in their order. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Objects } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/** Columns of `A=@B + 1` each. */
const columns = (list: string) =>
  list.split('; ').map((each) => {
    const [name, sql] = each.split('=')
    return `<Column Name="${name}" Type="Integer"><Compute>SELECT ${sql}</Compute></Column>`
  })

const entity = (name: string, list: string) =>
  `<Entity Name="${name}" Table="${name.toLowerCase()}s" Tracking="true"
  Concurrency="Enabled" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="A" Type="Integer"/>
  <Column Name="First" References="User"/><Column Name="Second" References="User"/>
  <Column Name="Third" References="User"/>
  ${columns(list).join('')}
</Entity><ObjectView Name="${name}s" Entity="${name}"/>`

const APPLICATION: TestApplication = {
  files: [
    {
      name: 'model.xml',
      body: `<Model>${entity('One', 'B=@A + 1')}
${entity('Many', 'B=@A + 1; C=@A + 2; D=@A + 3; E=@A + 4')}
<Entity Name="Part" Table="parts" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="WholeId" References="Part"/><Column Name="Weight" Type="Integer"/>
  <Column Name="All" Type="Integer"><Compute From="Part">SELECT sum(Weight) FROM parts
    WHERE Id = @Id OR WholeId = @Id</Compute></Column>
</Entity><ObjectView Name="Parts" Entity="Part"/>
${entity('Chain', 'D=@C + 1; C=@B + 1; B=@A + 1; E=@A; F=@RowVersion')}
</Model>`,
    },
  ],
  ...makePeople('ONE', { sys: 'System', b: 'System', c: 'System' }),
}

async function start() {
  return new Objects(await startApp({ application: APPLICATION }))
}

test('four columns of a record cost as many statements that write as one', async () => {
  await using world = await start()
  const { counters } = world.app.store
  const costs: Record<string, number> = {}
  for (const form of ['Ones', 'Manys']) {
    const before = counters.writes
    await world.save('sys', form, { A: 1 })
    costs[form] = counters.writes - before
  }
  expect(costs.Manys).toBe(costs.Ones)
  expect(await world.stored('SELECT B, C, D, E FROM manys')).toEqual([{ B: 2, C: 3, D: 4, E: 5 }])
})

test('an update that moves none of the cells that a column takes does not ask for it', async () => {
  await using world = await start()
  const { counters } = world.app.store
  let { RowVersion } = await world.save('sys', 'Manys', { A: 1 })
  const reads: number[] = []
  for (const A of [1, 2, 2]) {
    const before = counters.reads
    ;({ RowVersion } = await world.save('sys', 'Manys', { Id: 1, A, RowVersion }))
    reads.push(counters.reads - before)
  }
  const [same = 0, moved = 0, again] = reads
  expect(again).toBe(same)
  // Each of the four, and the record that they were stored in.
  expect(moved - same).toBeGreaterThanOrEqual(4)
  expect(await world.stored('SELECT B, C, D, E FROM manys')).toEqual([{ B: 3, C: 4, D: 5, E: 6 }])
})

test('a column whose query reads the table of its own record follows that record', async () => {
  await using world = await start()
  await world.save('sys', 'Parts', { Weight: 1 })
  await world.save('sys', 'Parts', { Weight: 20, WholeId: 1 })
  const weigh = async (Id: number, Weight: number) => {
    const [row] = await world.stored(`SELECT RowVersion FROM parts WHERE Id = ${Id}`)
    await world.save('sys', 'Parts', { Id, Weight, RowVersion: String(row?.RowVersion) })
    return world.stored('SELECT "All" FROM parts ORDER BY Id')
  }
  expect(await weigh(1, 300)).toEqual([{ All: 320 }, { All: 20 }])
  expect(await weigh(2, 4000)).toEqual([{ All: 4300 }, { All: 4000 }])
})

test('what needs another column, or the stamp, has what is stored in the end', async () => {
  await using world = await start()
  const { RowVersion } = await world.save('sys', 'Chains', { A: 1 })
  const stored = () => world.stored('SELECT B, C, D, E, F = RowVersion AS Same FROM chains')
  expect(await stored()).toEqual([{ B: 2, C: 3, D: 4, E: 1, Same: 1 }])
  await world.save('sys', 'Chains', { Id: 1, A: 5, RowVersion })
  expect(await stored()).toEqual([{ B: 6, C: 7, D: 8, E: 5, Same: 1 }])
})

test('the labels of an audit entry are asked for together', async () => {
  await using world = await start()
  const { counters } = world.app.store
  await world.save('sys', 'Ones', { A: 1, First: 1, Second: 2 })
  const costs: number[] = []
  for (const parameters of [{ First: 1 }, { First: 1, Second: 2, Third: 3 }]) {
    const before = counters.reads
    await world.save('sys', 'Ones', { A: 1, ...parameters })
    costs.push(counters.reads - before)
  }
  const [one = 0, three = 0] = costs
  // Whether each record is there is asked, and of those that all companies share whether it may be
  // pointed to; its label costs nothing more.
  expect(three - one).toBe(5)
  const [last] = await world.stored('SELECT Changes FROM svc_audit ORDER BY Id DESC LIMIT 1')
  expect(JSON.parse(String(last?.Changes))).toMatchObject({
    First__Label: [null, 'sys'],
    Second__Label: [null, 'b'],
    Third__Label: [null, 'c'],
  })
})
