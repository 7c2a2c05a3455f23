/**
 * The order in which a submit runs (src/model/reference.md, The order of a mutation): a record that
 * breaks every step is mended step by step, and each refusal is that of the next one.
 */
import { expect, test } from 'bun:test'
import { MUTATION_ORDER, type MutationStepName } from '../../../src/model/mutation-order.ts'
import { startApp } from '../../support/app.ts'
import { Objects, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Note" Table="notes" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Text" Type="Text"/>
</Entity>
<Entity Name="Item" Table="items" Concurrency="Enabled" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Code" Type="Text" Unique="true"/>
  <Column Name="Amount" Type="Integer" Min="0"/>
  <Column Name="Kind" Type="Text" Default="plain"/>
  <Column Name="Locked" Type="Boolean" Default="false"/>
  <Column Name="Seen" Type="Text"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Twice" Type="Integer"><Compute>SELECT @Amount * 2</Compute></Column>
  <On Event="updated">
    <Sql Rows="1" Message="broken by the event">
      UPDATE items SET Seen = 'event ' || @Twice WHERE Id = @Id AND @Twice &lt; 1000
    </Sql>
    <Sql>INSERT INTO notes (Text) VALUES (@Kind)</Sql>
    <Notify User="ana" Title="Item {Code}"/>
  </On>
  <Validate Message="broken by the rule">SELECT @Seen IS NULL OR @Seen &lt;> 'event 800'</Validate>
</Entity>
<ObjectView Name="Items" Entity="Item">
  <Permit Capability="Update" When="Locked = 0"/>
  <Validate Message="broken by the view">SELECT @Seen IS NULL OR @Seen &lt;> 'event 600'</Validate>
</ObjectView>
<ObjectView Name="Every" Entity="Item"/>
<ObjectView Name="Notes" Entity="Note"/>
<Rbac>
  <Role Name="Keeper">
    <Grant Resource="Items" Verbs="View List Create Update"/>
    <Grant Resource="Every" Verbs="View List Create Update"/>
    <Grant Resource="Notes" Verbs="View List"/>
    <RowFilter Resource="Items">Region = 'north'</RowFilter>
  </Role>
</Rbac>
</Model>`

const ITEMS: TestApplication = {
  files: [{ name: 'items.xml', body: MODEL }],
  ...makePeople('ONE', { ana: 'Keeper', bo: '' }),
}

/** A mend, and the refusal that is still there after it, as status and what it says. */
type Mend = [MutationStepName, refused: [number, string], mend: (world: World) => void]

interface World {
  as: string
  key: number
  values: Row
  /** By key. */
  stamps: ReadonlyMap<number, string | undefined>
}

/** The record that is meant, with the stamp that it has. */
function takeStamp(world: World, key = world.key): void {
  world.key = key
  world.values.RowVersion = world.stamps.get(key)
}

/** Item 1 is locked, item 2 bears the code that is in use, item 3 is the one that is mended. */
const MENDS: readonly Mend[] = [
  ['Gate', [401, 'PERMISSION_DENIED'], (world) => (world.as = 'ana')],
  ['Record', [404, 'RECORD_NOT_FOUND'], (world) => (world.key = 1)],
  ['Stamp', [409, 'CONFLICT'], (world) => takeStamp(world)],
  ['Permit', [400, 'NOT_PERMITTED_NOW'], (world) => takeStamp(world, 3)],
  ['Fields', [400, 'Amount must be at least 0'], ({ values }) => (values.Amount = 500)],
  ['Statement', [400, 'Code is already in use'], ({ values }) => (values.Code = 'free')],
  ['Events', [400, 'broken by the event'], ({ values }) => (values.Amount = 400)],
  ['Rules', [400, 'broken by the rule'], ({ values }) => (values.Amount = 300)],
  ['View rules', [400, 'broken by the view'], ({ values }) => (values.Amount = 200)],
  ['Own rows', [400, 'OUTSIDE_OWN_ROWS'], ({ values }) => (values.Region = 'north')],
]

/** Steps that refuse nothing; what they did is seen by others. */
const SILENT: readonly MutationStepName[] = ['Changes', 'Compute', 'Commit']

test('a submit that breaks every step is refused by each of them in its turn', async () => {
  await using items = new Objects(await startApp({ application: ITEMS }))
  const base = { Region: 'north', Amount: 1 }
  const stamps = new Map<number, string | undefined>()
  for (const more of [{ Code: 'one', Locked: true }, { Code: 'used' }, { Code: 'three' }]) {
    const { Keys, RowVersion } = await items.save('ana', 'Every', { ...base, ...more })
    stamps.set(Number((Keys as Row).Id), RowVersion)
  }
  const before = await items.stored('SELECT * FROM items')
  const values = { RowVersion: '9', Code: 'used', Amount: -1, Region: 'south', Twice: 7 }
  const world: World = { as: 'bo', key: 99, values, stamps }
  const send = () => items.submit(world.as, 'Items', { Id: world.key, ...world.values })
  for (const [step, [status, said], mend] of MENDS) {
    const answer = await send()
    expect({ step, status: answer.status }).toEqual({ step, status })
    expect([step, answer.text]).toEqual([step, expect.stringContaining(said)])
    expect([step, await items.stored('SELECT * FROM items')]).toEqual([step, before])
    mend(world)
  }
  const done = await send()
  expect(done).toMatchObject({
    status: 200,
    body: { data: { Ignored: ['Twice'], Values: { Amount: 200, Twice: 400, Seen: 'event 400' } } },
  })
  // What the event changed raised it once more, and the second time it changed nothing.
  const plain = { Text: 'plain' }
  expect(await items.stored('SELECT Text FROM notes')).toEqual([plain, plain])
  const told = { Title: 'Item free' }
  expect(await items.stored('SELECT Title FROM svc_notifications')).toEqual([told, told])
})

test('every step of the reference is tried here, in its order', () => {
  const tried = MENDS.map(([step]) => step)
  expect(MUTATION_ORDER.map(({ name }) => name).filter((name) => !SILENT.includes(name))).toEqual(
    tried,
  )
})
