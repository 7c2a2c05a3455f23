import { describe, expect, test } from 'bun:test'
import { Failure } from '../../src/kernel/failure.ts'
import { executeDeploy } from '../../src/model/deploy/deploy.ts'
import type { DeployOptions } from '../../src/model/deploy/plan.ts'
import { prepareDeploy } from '../../src/model/deploy/prepare.ts'
import { DeployTarget, NOW } from '../support/deploy.ts'

const item = (columns: string): string =>
  `<Entity Name="Item" Table="items" Display="Name">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>${columns}
  </Entity>`

const NAME = '<Column Name="Name" Type="Text" Required="true"/>'
const BEFORE = { 'item.xml': item(`${NAME}<Column Name="Weight" Type="Integer"/>`) }
/** A view that only moves to another place. */
const MOVED = `<ObjectView Name="Moved" Entity="Shelf"><Field Name="Code" Label="C"/>
  </ObjectView>`
const SEED = "INSERT INTO items (Name, Weight) VALUES ('Bolt', 5), ('Nut', 7)"

const rollBack = (target: DeployTarget, options: DeployOptions = {}) =>
  target.deploy({}, { ...options, rollback: true })

/** The schema and the current scripts: all that a deploy moves, without the rows. */
async function describeState(target: DeployTarget): Promise<unknown> {
  return [
    await target.rows(`SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'svc_%'
      AND name NOT LIKE 'sqlite_%' ORDER BY name`),
    await target.rows(`SELECT Type, Name, FileName, VersionHash, Document FROM svc_scripts
      WHERE IsCurrent ORDER BY Type, Name`),
    target.models.get().hash,
  ]
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((caught: unknown) => caught)
  if (!(error instanceof Failure)) throw new Error(`No failure: ${String(error)}`)
  return `${error.kind} ${error.code}: ${error.message}`
}

describe('a deploy is rolled back', () => {
  test('scripts, tables, names, types, keys and rows are those of before', async () => {
    await using target = await DeployTarget.open()
    const shelf = (key: string) =>
      `<Entity Name="Shelf" Table="shelves" Display="Code">${key}</Entity>`
    const reference = '<Column Name="ShelfId" References="Shelf"/>'
    const weight = '<Column Name="Weight" Type="Integer"/>'
    await target.deploy({
      'item.xml': item(`${NAME}${reference}${weight}`),
      'shelf.xml': shelf('<Column Name="Code" Type="Text" Key="true"/>'),
      'view.xml': '<ObjectView Name="Items" Entity="Item"/>',
      'gone.xml': '<ObjectView Name="Shelves" Entity="Shelf"/>',
      'moved.xml': `<Model>${MOVED}</Model>`,
    })
    await target.run(
      "INSERT INTO shelves (Code) VALUES ('A'), ('B')",
      "INSERT INTO items (Name, ShelfId, Weight) VALUES ('Bolt', 'B', 5), ('Nut', NULL, 7)",
    )
    const before = await describeState(target)
    const changed = {
      'item.xml': `\n${item(
        `<Column Name="Title" Type="Text" Was="Name" Required="true"/>${reference}
        <Column Name="Weight" Type="Decimal"/>
        <Column Name="Grade" Type="Text" Required="true" Fill="'no ' || Id"/>
        <Column Name="Colour" Type="Text" Default="grey"/>`,
      )
        .replace('Display="Name"', 'Display="Title"')
        .replace('"Item"', '"Article" Was="Item"')}`,
      'shelf.xml': shelf(
        `<Column Name="Id" Type="Integer" Key="true" Identity="true"/>
        <Column Name="Code" Type="Text" Required="true" Unique="true"/>`,
      ),
      'view.xml': '<ObjectView Name="Items" Entity="Article" Label="Things"/>',
      'other.xml': `<Model>\n <!-- Here now. -->  ${MOVED}</Model>`,
      'unit.xml': `<Model><Entity Name="Unit" Table="units" Display="Code">
        <Column Name="Code" Type="Text" Key="true"/><Column Name="Size" Type="Decimal"/></Entity>
        <Rows Entity="Unit" Key="Code"><Row Code="kg" Size="1"/><Row Code="t"/></Rows></Model>`,
    }
    const options = { prune: true }
    expect((await target.deploy(changed, options)).isDone).toBe(true)
    expect(await describeState(target)).not.toEqual(before)

    const dry = await rollBack(target, { dryRun: true })
    expect(dry.isDone).toBe(false)
    expect(dry.plan.losses).toEqual([])
    const { plan, isDone } = await rollBack(target)
    expect([plan.faults, plan.losses, isDone]).toEqual([[], [], true])
    expect(plan.new.map(({ name }) => name)).toEqual(['Item', 'Shelves'])
    expect(plan.removed.map(({ name }) => name)).toEqual(['Article', 'Unit', 'Unit'])
    expect(await describeState(target)).toEqual(before)
    expect(await target.rows('SELECT * FROM items')).toEqual([
      { Id: 1, Name: 'Bolt', ShelfId: 'B', Weight: 5 },
      { Id: 2, Name: 'Nut', ShelfId: null, Weight: 7 },
    ])

    // The way is open again, and a second rollback in place of the first changes nothing.
    const again = await rollBack(target)
    expect([again.isDone, again.plan.rollback?.rolledBackAt !== undefined]).toEqual([false, true])
    expect(await describeState(target)).toEqual(before)
    expect((await target.deploy(changed, options)).isDone).toBe(true)
    expect((await rollBack(target)).isDone).toBe(true)
    expect(await describeState(target)).toEqual(before)
  })

  test('data that came since is told, and goes when that is allowed', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(BEFORE)
    await target.run(SEED)
    await target.deploy({
      'item.xml': item(`${NAME}<Column Name="Weight" Type="Decimal"/>
        <Column Name="Remark" Type="Text"/><Column Name="Colour" Type="Text" Default="grey"/>`),
      'unit.xml': `<Model><Entity Name="Unit" Table="units" Display="Code">
        <Column Name="Code" Type="Text" Key="true"/><Column Name="Label" Type="Text"/></Entity>
        <Rows Entity="Unit" Key="Code"><Row Code="kg"/><Row Code="t"/></Rows></Model>`,
    })
    await target.run(
      "UPDATE items SET Remark = 'short', Weight = 5.5, Colour = 'red' WHERE Id = 1",
      "UPDATE units SET Label = 'Ton' WHERE Code = 't'",
      "INSERT INTO units (Code) VALUES ('lb')",
    )
    const kept = await target.dump()
    const { plan, isDone } = await rollBack(target)
    expect(isDone).toBe(false)
    expect(plan.losses.toSorted()).toEqual([
      'Item.Colour is removed: its values in 1 row',
      'Item.Remark is removed: its values in 1 row',
      'Item.Weight becomes Integer: its values in 1 row that are no Integer',
      'entity Unit: 2 rows of table units',
    ])
    expect(await target.dump()).toBe(kept)
    expect((await rollBack(target, { allowDataLoss: true })).isDone).toBe(true)
    expect(await target.rows('SELECT * FROM items')).toEqual([
      { Id: 1, Name: 'Bolt', Weight: null },
      { Id: 2, Name: 'Nut', Weight: 7 },
    ])
  })

  test.each([
    [
      'a removed column',
      BEFORE,
      { 'item.xml': item(NAME) },
      'Item.Weight is removed: its values in 2 rows',
    ],
    [
      'a removed table',
      { ...BEFORE, 'more.xml': item(NAME).replaceAll('tem', 'dea') },
      { 'more.xml': item(NAME).replaceAll('tem', 'dea') },
      'entity Item: 2 rows of table items',
    ],
    [
      'a narrower text',
      BEFORE,
      {
        'item.xml': item(
          '<Column Name="Name" Type="Text" Required="true" MaxLength="3"/><Column Name="Weight" Type="Integer"/>',
        ),
      },
      'Item.Name gets MaxLength 3: its values in 1 row that are longer',
    ],
    [
      'values of another type',
      BEFORE,
      { 'item.xml': item(`${NAME}<Column Name="Weight" Type="Boolean"/>`) },
      'Item.Weight becomes Boolean: its values in 2 rows that are no Boolean',
    ],
    [
      'values that are computed over',
      BEFORE,
      {
        'item.xml': item(
          `${NAME}<Column Name="Weight" Type="Integer"><Compute>SELECT length(@Name)</Compute></Column>`,
        ),
      },
      'Item.Weight becomes computed: its values in 2 rows',
    ],
    [
      'a text that is a number now',
      { 'item.xml': item(`${NAME}<Column Name="Weight" Type="Text"/>`) },
      { 'item.xml': item(`${NAME}<Column Name="Weight" Type="Decimal"/>`) },
      'Item.Weight became Decimal: values in 2 rows that would be written otherwise as Text again',
    ],
    [
      'rows that a migration changed',
      BEFORE,
      {
        'item.xml': `<Model>${BEFORE['item.xml']}<Migration Name="Double">
          <Sql>UPDATE items SET Weight = Weight * 2 WHERE Weight = 5</Sql></Migration></Model>`,
      },
      'Migration Double: it changed 1 row of table items',
    ],
  ])('%s is not brought back: it is refused, whatever is allowed', async (_, from, to, lost) => {
    await using target = await DeployTarget.open()
    await target.deploy(from)
    await target.run(SEED)
    const done = await target.deploy(to, { allowDataLoss: true, prune: true })
    expect([done.plan.faults, done.isDone]).toEqual([[], true])
    const kept = await target.dump()
    expect(await refusal(rollBack(target, { allowDataLoss: true }))).toBe(
      `conflict NO_ROLLBACK: The last deploy lost data: ${lost}. ` +
        'Restore a backup, or deploy the earlier files.',
    )
    expect(await target.dump()).toBe(kept)
  })

  test('a removed column without values and a migration of new columns go both ways', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(BEFORE)
    await target.run("INSERT INTO items (Name) VALUES ('Bolt')")
    const before = await describeState(target)
    const next = {
      'item.xml': `<Model>${item(`${NAME}<Column Name="Grade" Type="Text"/>`)}
        <Migration Name="Grades"><Sql>UPDATE items SET Grade = 'second' WHERE 1</Sql></Migration></Model>`,
    }
    for (let round = 0; round < 2; round++) {
      expect((await target.deploy(next)).plan.steps).toContain('run migration Grades')
      const { plan, isDone } = await rollBack(target, { allowDataLoss: true })
      expect([plan.losses, isDone]).toEqual([['Item.Grade is removed: its values in 1 row'], true])
      expect(await describeState(target)).toEqual(before)
    }
  })

  test('rows that do not fit the model of before are faults', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(BEFORE)
    await target.deploy({
      'item.xml': item('<Column Name="Name" Type="Text"/><Column Name="Weight" Type="Integer"/>'),
    })
    await target.run('INSERT INTO items (Weight) VALUES (1)')
    const { plan, isDone } = await rollBack(target, { allowDataLoss: true })
    expect(isDone).toBe(false)
    expect(plan.faults.map(({ message }) => message)).toEqual([
      'Column Name of Item needs a value, and 1 row would have none: give it a Fill="…" with an ' +
        'expression over the stored row, or a Default',
    ])
  })

  test('columns that swapped their names swap them back', async () => {
    await using target = await DeployTarget.open()
    const columns = (a: string, b: string): string =>
      item(`<Column Name="A"${a}/><Column Name="B"${b}/>`).replace('Display="Name"', '')
    await target.deploy({ 'item.xml': columns('', '') })
    await target.run("INSERT INTO items (A, B) VALUES ('a', 'b')")
    const before = await describeState(target)
    await target.deploy({ 'item.xml': columns(' Was="B"', ' Was="A"') })
    expect(await target.rows('SELECT A, B FROM items')).toEqual([{ A: 'b', B: 'a' }])
    expect((await rollBack(target)).isDone).toBe(true)
    expect(await target.rows('SELECT A, B FROM items')).toEqual([{ A: 'a', B: 'b' }])
    expect(await describeState(target)).toEqual(before)
  })

  test('it is refused without a deploy before, and after one of an earlier version', async () => {
    await using target = await DeployTarget.open()
    expect(await refusal(rollBack(target))).toBe(
      'conflict NO_ROLLBACK: No model has been deployed: there is nothing to roll back.',
    )
    await target.deploy(BEFORE)
    expect(await refusal(rollBack(target))).toBe(
      'conflict NO_ROLLBACK: The last deploy was the first one: there is no model to go back to.',
    )
    await target.run("DELETE FROM svc_facts WHERE Name = 'last deploy'")
    expect(await refusal(rollBack(target))).toContain(
      'NO_ROLLBACK: An earlier version made the last deploy',
    )
  })

  test('a deploy that changes nothing is not the last one', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(BEFORE)
    const before = await describeState(target)
    const next = { 'item.xml': item(`${NAME}<Column Name="Weight" Type="Decimal"/>`) }
    await target.deploy(next)
    await target.deploy(next)
    expect((await rollBack(target)).isDone).toBe(true)
    expect(await describeState(target)).toEqual(before)
  })

  test('another deploy in between is not rolled back in its place', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(BEFORE)
    await target.deploy({ 'item.xml': item(`${NAME}<Column Name="Weight" Type="Decimal"/>`) })
    const fact =
      "UPDATE svc_facts SET Value = replace(Value, '2026-', '2027-') WHERE Name = 'last deploy'"
    const { store, models } = target
    const planned = await prepareDeploy(store, [], { rollback: true }, models.compiler)
    await target.run(fact)
    const clock = { now: () => new Date(NOW) }
    const late = executeDeploy({ store, models, clock }, planned, { rollback: true })
    expect(await refusal(late)).toContain('conflict LAST_DEPLOY_CHANGED')
  })
})
