/** One deploy: tables, Rows, fills, migrations, then what goes and the constraints. */
import { describe, expect, test } from 'bun:test'
import { formatDiagnostic } from '../../src/model/deploy/report.ts'
import { DeployTarget, NOW } from '../support/deploy.ts'

const ID = '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>'
const COMPANY = '<Column Name="CompanyId" Type="Integer" Required="true"/>'

const COMPANIES = `INSERT INTO svc_companies (Code, Name, CreatedAt)
  VALUES ('one', 'One', '${NOW}'), ('two', 'Two', '${NOW}')`

const KIND = `<Entity Name="Kind" Table="kinds">${ID}
  <Column Name="Code" Required="true" Unique="true"/><Column Name="Label"/></Entity>`
const KINDS = `<Rows Entity="Kind" Key="Code">
  <Row Code="b" Label="Big"/><Row Code="s" Label="Small"/></Rows>`

const leave = (columns: string): string =>
  `<Entity Name="Leave" Table="leaves" Concurrency="Enabled">${ID}${columns}</Entity>`
const CODED = leave('<Column Name="Kind"/><Column Name="Days" Type="Decimal" Scale="1"/>')

/** Deploys `before`, runs `seed`, and deploys `after`. */
async function redeploy(
  target: DeployTarget,
  before: Record<string, string>,
  seed: readonly string[],
  after: Record<string, string>,
) {
  await target.deploy(before)
  await target.run(...seed)
  const { plan, isDone } = await target.deploy(after, { allowDataLoss: true })
  return { isDone, faults: plan.faults.map(formatDiagnostic), steps: plan.steps }
}

describe('one deploy', () => {
  test('brings an entity, its rows and a required reference filled from them', async () => {
    await using target = await DeployTarget.open()
    const reference = `<Column Name="KindId" References="Kind" Required="true">
      <Fill>SELECT k.Id FROM kinds k WHERE k.Code = @Kind</Fill></Column>`
    const done = await redeploy(
      target,
      { 'leave.xml': CODED },
      [`INSERT INTO leaves (Kind, Days) VALUES ('s', 1.5), ('b', 2), ('s', 3)`],
      {
        'leave.xml': leave(`${reference}<Column Name="Days" Type="Decimal" Scale="1"/>`),
        'kind.xml': KIND,
        'rows.xml': KINDS,
      },
    )
    expect(done).toEqual({
      isDone: true,
      faults: [],
      steps: [
        'create table kinds',
        'rebuild table leaves: without Kind, KindId is filled',
        'create index ux_kinds.Code',
        'create index ox1l_kinds.Code',
        'fill leaves.KindId by query',
        'rebuild table leaves with its constraints',
        'create index ix_leaves.KindId',
      ],
    })
    expect(
      await target.rows('SELECT l.Id, k.Label, l.Days FROM leaves l JOIN kinds k ON k.Id = KindId'),
    ).toEqual([
      { Id: 1, Label: 'Small', Days: 1.5 },
      { Id: 2, Label: 'Big', Days: 2 },
      { Id: 3, Label: 'Small', Days: 3 },
    ])
    const [column] = await target.rows(
      `SELECT "notnull" AS n FROM pragma_table_info('leaves') WHERE name = 'KindId'`,
    )
    expect(column).toEqual({ n: 1 })
  })

  test('fills records with negative keys too', async () => {
    await using target = await DeployTarget.open()
    const part = (columns: string): string =>
      `<Entity Name="Part" Table="parts"><Column Name="Id" Type="Integer" Key="true"/>
        <Column Name="Code"/>${columns}</Entity>`
    const more = '<Column Name="More"><Fill>SELECT upper(@Code)</Fill></Column>'
    const { faults } = await redeploy(
      target,
      { 'part.xml': part('') },
      [`INSERT INTO parts (Id, Code) VALUES (-5, 'a'), (-1, 'b'), (0, 'c'), (7, 'd')`],
      { 'part.xml': part(more) },
    )
    expect(faults).toEqual([])
    expect(await target.rows('SELECT More FROM parts ORDER BY Id')).toEqual(
      ['A', 'B', 'C', 'D'].map((More) => ({ More })),
    )
  })

  test('is refused by the column where a fill finds nothing, and nothing stays', async () => {
    await using target = await DeployTarget.open()
    await target.deploy({ 'leave.xml': CODED })
    await target.run(`INSERT INTO leaves (Kind) VALUES ('s'), ('?')`)
    const before = await target.dump()
    const reference = `<Column Name="KindId" References="Kind" Required="true">
      <Fill>SELECT Id FROM kinds WHERE Code = @kind</Fill></Column>`
    const { plan, isDone } = await target.deploy({
      'leave.xml': leave(`<Column Name="Kind"/>${reference}<Column Name="Days" Type="Decimal"/>`),
      'kind.xml': KIND,
      'rows.xml': KINDS,
    })
    expect({ isDone, faults: plan.faults.map(formatDiagnostic) }).toEqual({
      isDone: false,
      faults: [
        'leave.xml:1:141: Column KindId of Leave needs a value, and 1 row would have none: give it ' +
          'a Fill="…" with an expression over the stored row, or a Default',
      ],
    })
    expect(await target.dump()).toBe(before)
  })

  test('lets its rows give stored rows what becomes required', async () => {
    await using target = await DeployTarget.open()
    const ranked = KIND.replace('</Entity>', '<Column Name="Rank" Required="true"/></Entity>')
    const rows = KINDS.replace('Label="Big"', 'Rank="1"').replace('Label="Small"', 'Rank="2"')
    const done = await redeploy(target, { 'kind.xml': KIND, 'rows.xml': KINDS }, [], {
      'kind.xml': ranked,
      'rows.xml': rows,
    })
    expect({ isDone: done.isDone, faults: done.faults }).toEqual({ isDone: true, faults: [] })
    expect(await target.rows('SELECT Code, Label, Rank FROM kinds')).toEqual([
      { Code: 'b', Label: 'Big', Rank: '1' },
      { Code: 's', Label: 'Small', Rank: '2' },
    ])
  })

  test('holds a fill to the company of its row, but for what tells the company', async () => {
    await using target = await DeployTarget.open()
    const line = (more: string): string =>
      `<Entity Name="Line" Table="lines" ${more.includes('CompanyId') ? 'Company="CompanyId"' : ''}>
        ${ID}<Column Name="HeadId" References="Head"/><Column Name="Code"/>${more}</Entity>`
    const head = `<Entity Name="Head" Table="heads" Company="CompanyId">${ID}${COMPANY}</Entity>`
    const part = `<Entity Name="Part" Table="parts" Company="CompanyId">${ID}${COMPANY}
      <Column Name="Code"/></Entity>`
    const done = await redeploy(
      target,
      { 'head.xml': head, 'part.xml': part, 'line.xml': line('') },
      [
        COMPANIES,
        `INSERT INTO heads (CompanyId) VALUES (1), (2)`,
        `INSERT INTO parts (CompanyId, Code) VALUES (1, 'x'), (2, 'x'), (1, 'y')`,
        `INSERT INTO lines (HeadId, Code) VALUES (1, 'x'), (2, 'x'), (2, 'y')`,
      ],
      {
        'line.xml': line(`<Column Name="PartId" References="Part">
            <Fill>SELECT Id FROM parts WHERE Code = @Code</Fill></Column>
          <Column Name="CompanyId" Type="Integer" Required="true">
            <Fill>SELECT h.CompanyId FROM heads h WHERE h.Id = @HeadId</Fill></Column>`),
      },
    )
    expect({ isDone: done.isDone, faults: done.faults }).toEqual({ isDone: true, faults: [] })
    expect(await target.rows('SELECT CompanyId, PartId FROM lines ORDER BY Id')).toEqual([
      { CompanyId: 1, PartId: 1 },
      { CompanyId: 2, PartId: 2 },
      { CompanyId: 2, PartId: null },
    ])
  })

  test('passes a fill through the gate', async () => {
    await using target = await DeployTarget.open()
    await target.deploy({ 'leave.xml': CODED })
    const fill = (sql: string): Record<string, string> => ({
      'leave.xml': leave(`<Column Name="Kind"/><Column Name="Days" Type="Decimal" Scale="1"/>
        <Column Name="More"><Fill>${sql}</Fill></Column>`),
    })
    const messages: string[] = []
    for (const sql of [
      `SELECT readfile('/etc/passwd')`,
      'SELECT @Gone',
      'SELECT Kind FROM leavs',
      'SELECT 1 AS a, 2 AS b',
      'DELETE FROM leaves',
      'SELECT PasswordHash FROM svc_users',
    ])
      messages.push(...(await target.deploy(fill(sql))).plan.faults.map(({ message }) => message))
    expect(messages).toEqual([
      'The function readfile is not available',
      'There is no parameter @Gone',
      'No table is named leavs; the nearest is leaves',
      'This query must have one output column',
      'Only reading is available here: no DELETE',
      'No column is named PasswordHash here',
    ])
  })
})

describe('a migration', () => {
  const PERSON = (columns: string): string =>
    `<Entity Name="Person" Table="people" Audit="Enabled" Concurrency="Enabled">${ID}
      <Column Name="Name"/>${columns}</Entity>`
  const PLACE = `<Entity Name="Place" Table="places">${ID}
    <Column Name="PersonId" References="Person" Required="true" Unique="true"/>
    <Column Name="Street" Required="true"/></Entity>`
  const split = (sql: string): string =>
    `<Migration Name="SplitAddress"><Sql>${sql}</Sql></Migration>`
  const SPLIT = `INSERT INTO places (PersonId, Street) SELECT Id, Street FROM people
    WHERE Street IS NOT NULL`
  const BEFORE = { 'person.xml': PERSON('<Column Name="Street"/>') }
  const PEOPLE = `INSERT INTO people (Name, Street) VALUES ('Anna', 'Lane 1'), ('Bert', NULL)`
  const AFTER = { 'person.xml': PERSON(''), 'place.xml': PLACE, 'split.xml': split(SPLIT) }

  test('reads what goes, writes what is new, and runs once', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(BEFORE)
    await target.run(PEOPLE)
    const dry = await target.deploy(AFTER, { dryRun: true })
    expect(dry.plan.losses).toEqual(['Person.Street is removed: its values in 1 row'])
    expect(dry.plan.steps).toEqual([
      'rebuild table people: without Street',
      'create table places',
      'create index ux_places.PersonId',
      'run migration SplitAddress',
      'rebuild table people with its constraints',
    ])
    const { plan, isDone } = await target.deploy(AFTER, { allowDataLoss: true })
    expect({ isDone, faults: plan.faults.map(formatDiagnostic) }).toEqual({
      isDone: true,
      faults: [],
    })
    expect(await target.rows('SELECT * FROM places')).toEqual([
      { Id: 1, PersonId: 1, Street: 'Lane 1' },
    ])
    expect(await target.rows(`SELECT name FROM pragma_table_info('people')`)).toEqual([
      { name: 'Id' },
      { name: 'Name' },
      { name: 'RowVersion' },
    ])
    expect((await target.deploy(AFTER)).plan.steps).toEqual([])
    await target.run('DELETE FROM places')
    await target.deploy(AFTER)
    await target.deploy({ 'person.xml': PERSON('') }, { prune: true, allowDataLoss: true })
    await target.deploy(AFTER)
    expect(await target.rows('SELECT * FROM places')).toEqual([])
  })

  test('with another text once it is done is refused', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(AFTER)
    const { plan } = await target.deploy({ 'split.xml': split('DELETE FROM places') })
    expect(plan.faults.map(formatDiagnostic)).toEqual([
      'split.xml:1:1: Migration SplitAddress already ran in this database with other statements ' +
        'and does not run again: restore its text, and put new ' +
        'statements into a migration with another Name',
    ])
    const padded = { 'split.xml': split(`\n  ${SPLIT}\n`) }
    expect((await target.deploy(padded)).isDone).toBe(true)
  })

  test('that is done is not looked at again, whatever becomes of its tables', async () => {
    await using target = await DeployTarget.open()
    await target.deploy({ ...BEFORE, 'place.xml': PLACE })
    await target.run(PEOPLE)
    const all = '<Migration Name="All"><Sql>INSERT INTO places VALUES (7, 1, 2)</Sql></Migration>'
    expect((await target.deploy({ 'all.xml': all })).isDone).toBe(true)
    const wider = PLACE.replace('</Entity>', '<Column Name="Street2"/></Entity>')
    const { plan, isDone } = await target.deploy({ 'place.xml': wider, 'all.xml': all })
    expect({ isDone, faults: plan.faults }).toEqual({ isDone: true, faults: [] })
  })

  test('of a model does not run where the database is new', async () => {
    await using target = await DeployTarget.open()
    const { plan, isDone } = await target.deploy(AFTER)
    expect({ isDone, faults: plan.faults.map(formatDiagnostic) }).toEqual({
      isDone: true,
      faults: [],
    })
    expect(plan.steps).not.toContain('run migration SplitAddress')
    expect(await target.rows('SELECT Name FROM svc_migrations')).toEqual([{ Name: 'SplitAddress' }])
  })

  test('moves stamps, rounds, fills computed columns and leaves an audit entry', async () => {
    await using target = await DeployTarget.open()
    const person = PERSON(`<Column Name="Pay" Type="Decimal" Scale="1"/>
      <Column Name="Twice" Type="Decimal"><Compute>SELECT @Pay * 2</Compute></Column>`)
    await target.deploy({ 'person.xml': person })
    await target.run(`INSERT INTO people (Name, Pay) VALUES ('Anna', 1.5)`)
    await target.deploy({
      'raise.xml': `<Migration Name="Raise"><Sql>UPDATE people SET Pay = Pay * 1.1,
        Name = Name || ' ' || @Today</Sql></Migration>`,
    })
    expect(await target.rows('SELECT Name, Pay, Twice, RowVersion FROM people')).toEqual([
      { Name: 'Anna 2026-03-04', Pay: 1.7, Twice: 3.4, RowVersion: 2 },
    ])
    expect(await target.rows('SELECT Entity, Action, Changes FROM svc_audit')).toEqual([
      { Entity: 'Person', Action: 'migrate', Changes: '{"Migration":[null,"Raise"]}' },
    ])
  })

  test('may delete rows of a table that is rebuilt, and a whole entity goes after it', async () => {
    await using target = await DeployTarget.open()
    await target.deploy({ ...BEFORE, 'place.xml': PLACE })
    await target.run(PEOPLE, `INSERT INTO places (PersonId, Street) VALUES (1, 'Lane 2')`)
    const { isDone, plan } = await target.deploy(
      {
        'person.xml': PERSON('<Column Name="Where" Required="true" Default="?"/>'),
        'merge.xml': `<Migration Name="Merge">
          <Sql>UPDATE people SET "Where" = (SELECT Street FROM places WHERE PersonId = people.Id)
            WHERE Id IN (SELECT PersonId FROM places)</Sql>
          <Sql>DELETE FROM people WHERE Name = 'Bert'</Sql></Migration>`,
      },
      { prune: true, allowDataLoss: true },
    )
    expect({ isDone, faults: plan.faults.map(formatDiagnostic) }).toEqual({
      isDone: true,
      faults: [],
    })
    expect(await target.rows('SELECT Id, Name, "Where" FROM people')).toEqual([
      { Id: 1, Name: 'Anna', Where: 'Lane 2' },
    ])
    expect(await target.rows(`SELECT name FROM sqlite_schema WHERE name = 'places'`)).toEqual([])
  })

  test('brings a new key and a column under its former name with it', async () => {
    await using target = await DeployTarget.open()
    const byCode = '<Column Name="Code" Key="true"/><Column Name="Title"/>'
    const byId = `${ID}<Column Name="Short" Was="Code"/><Column Name="Name" Was="Title"/>
      <Column Name="Upper"/>`
    const tag = (columns: string): string => `<Entity Name="Tag" Table="tags">${columns}</Entity>`
    const note = `<Entity Name="Note" Table="notes">${ID}
      <Column Name="TagId" References="Tag"/><Column Name="Text"/></Entity>`
    const done = await redeploy(
      target,
      { 'tag.xml': tag(byCode), 'note.xml': note },
      [
        `INSERT INTO tags (Code, Title) VALUES ('b', 'Beta'), ('a', 'Alpha')`,
        `INSERT INTO notes (TagId) VALUES ('a'), ('b')`,
      ],
      {
        'tag.xml': tag(byId),
        'm.xml': `<Migration Name="Upper"><Sql>UPDATE tags SET Upper = upper(Short)</Sql>
          <Sql>UPDATE notes SET Text = (SELECT Name FROM tags WHERE Id = TagId)</Sql></Migration>`,
      },
    )
    expect({ isDone: done.isDone, faults: done.faults }).toEqual({ isDone: true, faults: [] })
    expect(
      await target.rows('SELECT n.Text, t.Upper FROM notes n JOIN tags t ON t.Id = n.TagId'),
    ).toEqual([
      { Text: 'Alpha', Upper: 'A' },
      { Text: 'Beta', Upper: 'B' },
    ])
  })

  for (const [name, sql, fault] of [
    ['a read', 'SELECT 1', 'It opens with INSERT, UPDATE or DELETE'],
    ['a pragma', 'PRAGMA foreign_keys=OFF', 'It opens with INSERT'],
    ['a table of the engine', `UPDATE svc_users SET Active = 1`, 'svc_users belongs to the engine'],
    ['a secret of the engine', `UPDATE people SET Name = (SELECT PasswordHash FROM svc_users)`, ''],
    ['an unknown column', 'UPDATE people SET Gone = 1', 'No column is named Gone here'],
    ['a request', 'UPDATE people SET Name = @Name', 'There is no parameter @Name'],
    ['a failure', `UPDATE people SET Name = json('{')`, 'Migration Bad: '],
    [
      'a reference to none',
      `UPDATE places SET PersonId = 77`,
      '1 row would refer to records that do not exist',
    ],
    ['a broken rule', `INSERT INTO places (PersonId, Street) SELECT 1, 'x'`, 'Migration Bad: '],
  ] as const)
    test(`that holds ${name} is refused, and nothing stays`, async () => {
      await using target = await DeployTarget.open()
      await target.deploy({ ...BEFORE, 'place.xml': PLACE })
      await target.run(PEOPLE, `INSERT INTO places (PersonId, Street) VALUES (1, 'Lane 2')`)
      const before = await target.dump()
      const { plan, isDone } = await target.deploy({
        'bad.xml': `<Migration Name="Bad"><Sql>UPDATE people SET Name = 'changed'</Sql>
          <Sql>${sql}</Sql></Migration>`,
      })
      expect(isDone).toBe(false)
      expect(plan.faults).toHaveLength(1)
      expect(plan.faults[0]?.message).toContain(fault)
      expect(await target.dump()).toBe(before)
    })

  test('crosses no company', async () => {
    await using target = await DeployTarget.open()
    const held = (name: string, more: string): string =>
      `<Entity Name="${name}" Table="${name.toLowerCase()}s" Company="CompanyId">${ID}${COMPANY}
        ${more}</Entity>`
    const files = {
      'a.xml': held('Alpha', ''),
      'b.xml': held('Beta', '<Column Name="AlphaId" References="Alpha"/>'),
    }
    await target.deploy(files)
    await target.run(
      COMPANIES,
      'INSERT INTO alphas (CompanyId) VALUES (1), (2)',
      'INSERT INTO betas (CompanyId, AlphaId) VALUES (1, 1)',
    )
    const { plan } = await target.deploy({
      'm.xml': '<Migration Name="Cross"><Sql>UPDATE betas SET AlphaId = 2</Sql></Migration>',
    })
    expect(plan.faults.map(({ message }) => message)).toEqual([
      'Beta.AlphaId: 1 row would refer to a record of another company',
    ])
  })
})
