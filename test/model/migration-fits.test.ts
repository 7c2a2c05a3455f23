/** Values that a narrower column does not fit, and rows that would be opened or hidden. */
import { describe, expect, test } from 'bun:test'
import type { Column, Entity } from '../../src/model/compiled/entity.ts'
import { DeployTarget } from '../support/deploy.ts'
import { columnOf, entityOf, identity } from '../support/entities.ts'
import { Migrated, runScenario, type Scenario, thing } from '../support/migrate.ts'

const decimal = (scale: number): Partial<Column> => ({ type: 'Decimal', scale })
const optionsOf = (...values: string[]): Partial<Column> => ({
  options: values.map((value) => ({ value, label: value })),
})
const owned = (features: Partial<Entity>): Entity =>
  entityOf('Thing', 'things', [identity(), columnOf('C', { type: 'Integer' })], features)

const SUMS = `INSERT INTO things (A) VALUES (1.239), (2.675), (-0.004), (3), (NULL)`
const LOST = 'Thing.A gets Scale 2: values in 3 rows with more decimal places'
const COMPANIES = 'INSERT INTO svc_companies (Id) VALUES (1), (2);'
const THREE = 'INSERT INTO things (C) VALUES (1), (1), (2)'

const scenarios: Scenario[] = [
  {
    name: 'a smaller Scale that rows do not fit',
    before: [thing(['A', decimal(4)])],
    seed: SUMS,
    after: [thing(['A', decimal(2)])],
    losses: [LOST],
    rows: ['SELECT A FROM things', [[1.239], [2.675], [-0.004], [3], [null]]],
  },
  {
    name: 'a smaller Scale, allowed: what is stored is what is shown',
    before: [thing(['A', decimal(4)], ['RowVersion', { type: 'Integer', kind: 'stamp' }])],
    seed: SUMS,
    after: [thing(['A', decimal(2)], ['RowVersion', { type: 'Integer', kind: 'stamp' }])],
    allowDataLoss: true,
    steps: ['round things.A to Scale 2'],
    losses: [LOST],
    rows: [
      `SELECT A, CAST(A AS TEXT), RowVersion FROM things`,
      [
        [1.24, '1.24', 2],
        [2.68, '2.68', 2],
        [0, '0.0', 2],
        [3, '3.0', 1],
        [null, null, 1],
      ],
    ],
  },
  {
    name: 'a smaller Scale in a table that is rebuilt',
    before: [thing(['A', decimal(3)], ['B'])],
    seed: 'INSERT INTO things (A) VALUES (1.005)',
    after: [thing(['A', decimal(2)])],
    allowDataLoss: true,
    losses: ['Thing.A gets Scale 2: values in 1 row with more decimal places'],
    rows: ['SELECT A FROM things', [[1.01]]],
  },
  {
    name: 'a smaller Scale that every row fits',
    before: [thing(['A', decimal(4)])],
    seed: 'INSERT INTO things (A) VALUES (1.25)',
    after: [thing(['A', decimal(2)])],
    rows: ['SELECT A FROM things', [[1.25]]],
  },
  {
    name: 'texts that become a Decimal of fewer places',
    before: [thing(['A'])],
    seed: `INSERT INTO things (A) VALUES ('1.239'), ('2')`,
    after: [thing(['A', decimal(2)])],
    allowDataLoss: true,
    losses: ['Thing.A gets Scale 2: values in 1 row with more decimal places'],
    rows: ['SELECT A FROM things', [[1.24], [2]]],
  },
  {
    name: 'a fill has the Scale of its column',
    before: [thing(['A', decimal(2)])],
    seed: 'INSERT INTO things (A) VALUES (10)',
    after: [
      thing(
        ['A', decimal(2)],
        ['B', { ...decimal(2), fill: { kind: 'expression', sql: 'A / 3', place: PLACE() } }],
      ),
    ],
    rows: ['SELECT B FROM things', [[3.33]]],
  },
  {
    name: 'a smaller MaxLength that rows do not fit',
    before: [thing(['A', { maxLength: 20 }])],
    seed: `INSERT INTO things (A) VALUES ('abcdef'), ('äöü😀'), ('abc')`,
    after: [thing(['A', { maxLength: 4 }])],
    losses: ['Thing.A gets MaxLength 4: its values in 1 row that are longer'],
  },
  {
    name: 'a smaller MaxLength, allowed: what is longer is cut',
    before: [thing(['A'])],
    seed: `INSERT INTO things (A) VALUES ('abcdef'), ('äöü😀x'), ('abc')`,
    after: [thing(['A', { maxLength: 4 }])],
    allowDataLoss: true,
    losses: ['Thing.A gets MaxLength 4: its values in 2 rows that are longer'],
    rows: ['SELECT A FROM things', [['abcd'], ['äöü😀'], ['abc']]],
  },
  {
    name: 'a key is not cut',
    before: [entityOf('Thing', 'things', [columnOf('A', { key: true, maxLength: 9 })])],
    seed: `INSERT INTO things (A) VALUES ('abcdef')`,
    after: [entityOf('Thing', 'things', [columnOf('A', { key: true, maxLength: 4 })])],
    faults: [
      'Thing.A gets MaxLength 4, and the keys of 1 row are longer: keys are never truncated',
    ],
  },
  {
    name: 'what is longer than a Text without MaxLength may be stays, and is no loss',
    before: [thing(['A'])],
    seed: `INSERT INTO things (A) VALUES (printf('%.*c', 70000, 'x'))`,
    after: [thing(['A'], ['B'])],
    steps: ['add column things.B'],
    rows: ['SELECT length(A) FROM things', [[70_000]]],
  },
  {
    name: 'options that rows have are taken away',
    before: [thing(['A', optionsOf('new', 'old', 'gone')])],
    seed: `INSERT INTO things (A) VALUES ('new'), ('old'), ('gone'), ('old'), (NULL)`,
    after: [thing(['A', optionsOf('new', 'fresh')])],
    losses: ['Thing.A loses the options old, gone: 3 rows have one of them'],
  },
  {
    name: 'options that rows have are taken away, allowed: the rows keep them',
    before: [thing(['A', { type: 'Integer', ...optionsOf('1', '2') }])],
    seed: 'INSERT INTO things (A) VALUES (1), (2)',
    after: [thing(['A', { type: 'Integer', ...optionsOf('1') }])],
    allowDataLoss: true,
    losses: ['Thing.A loses the options 2: 1 row has one of them'],
    rows: ['SELECT A FROM things', [[1], [2]]],
  },
  {
    name: 'options that no row has, or all of them, lose nothing',
    before: [thing(['A', optionsOf('new', 'old')], ['B', optionsOf('x')])],
    seed: `INSERT INTO things (A, B) VALUES ('new', 'x')`,
    after: [thing(['A', optionsOf('new')], ['B'])],
  },
  {
    name: 'a Company is removed',
    before: [owned({ company: 'C' })],
    seed: THREE,
    after: [owned({})],
    losses: ['Thing loses its Company: 3 rows would be open to all of them'],
  },
  {
    name: 'a Company is new',
    before: [owned({})],
    seed: COMPANIES + THREE,
    after: [owned({ company: 'C' })],
    losses: ['Thing gets a Company: 3 rows would be hidden from the others'],
  },
  {
    name: 'a Company is new where there is one company',
    before: [owned({})],
    seed: 'INSERT INTO svc_companies (Id) VALUES (1); INSERT INTO things (C) VALUES (1)',
    after: [owned({ company: 'C' })],
  },
  {
    name: 'another Company',
    before: [owned({ company: 'C' })],
    seed: THREE,
    after: [
      entityOf(
        'Thing',
        'things',
        [
          identity(),
          columnOf('C', { type: 'Integer' }),
          columnOf('D', {
            type: 'Integer',
            fill: { kind: 'expression', sql: '1', place: PLACE() },
          }),
        ],
        { company: 'D' },
      ),
    ],
    losses: ['Thing gets another Company: 1 row would go to another company'],
  },
  {
    name: 'an Audit is removed',
    before: [owned({ audit: true })],
    seed: THREE,
    after: [owned({})],
    losses: ['Thing loses its Audit: changes of 3 rows would not be recorded'],
  },
  {
    name: 'the log of reads is removed, and changes are still recorded',
    before: [owned({ audit: true, logsReads: true })],
    seed: THREE,
    after: [owned({ audit: true })],
    losses: ['Thing loses the log of its reads: who is shown 3 rows would not be recorded'],
  },
  {
    name: 'two columns swap their names, once',
    before: [thing(['A', { type: 'Integer' }], ['B'])],
    seed: `INSERT INTO things (A, B) VALUES (1, 'one')`,
    after: [thing(['A', { was: 'B' }], ['B', { was: 'A', type: 'Integer' }])],
    steps: ['rename column things.B to A', 'rename column things.A to B'],
    rows: ['SELECT A, B FROM things', [['one', 1]]],
  },
  {
    name: 'each of three columns takes the name of the next',
    before: [thing(['A'], ['B'], ['C'])],
    seed: `INSERT INTO things (A, B, C) VALUES ('a', 'b', 'c')`,
    after: [thing(['A', { was: 'B' }], ['B', { was: 'C' }], ['D', { was: 'A' }])],
    rows: ['SELECT A, B, D FROM things', [['b', 'c', 'a']]],
  },
  {
    name: 'a name whose values have none left is not taken',
    before: [thing(['A'], ['B'], ['C'])],
    seed: `INSERT INTO things (A, B, C) VALUES ('a', 'b', 'c')`,
    after: [thing(['A', { was: 'B' }], ['B', { was: 'C' }])],
    faults: [
      'Thing.A was B, so the old A would have no column: remove it in a separate deploy first',
    ],
  },
]

function PLACE() {
  return { file: 'test.xml', line: 1, column: 1 }
}

describe('migration: what does not fit', () => {
  for (const scenario of scenarios) test(scenario.name, () => runScenario(scenario))

  test('names that were swapped are swapped again, and swapped with the key', async () => {
    const database = new Migrated()
    const swapped = thing(['A', { was: 'B' }], ['B', { was: 'A' }])
    await database.migrate([thing(['A'], ['B'])])
    database.db.exec(`INSERT INTO things (A, B) VALUES ('a', 'b')`)
    await database.migrate([swapped])
    await database.migrate([thing(['A'], ['B'])])
    expect((await database.migrate([swapped])).steps).toHaveLength(2)
    expect(database.rows('SELECT A, B FROM things')).toEqual([['a', 'b']])
    const number = { type: 'Integer', required: true } as const
    const byB = entityOf('Thing', 'things', [
      columnOf('A', { was: 'B', ...number, key: true }),
      columnOf('B', { was: 'A' }),
      columnOf('Id', { ...number }),
    ])
    database.db.exec(`UPDATE things SET B = '7'`)
    await database.migrate([thing(['A'], ['B'])])
    await database.migrate([byB])
    expect(database.rows('SELECT A, B, Id FROM things')).toEqual([[7, 'a', 1]])
  })

  test('what an earlier version kept of the tables is completed by the scripts', async () => {
    await using target = await DeployTarget.open()
    const entity = (more: string, columns: string): string =>
      `<Entity Name="Thing" Table="things" ${more}>
        <Column Name="Id" Type="Integer" Key="true" Identity="true"/>${columns}</Entity>`
    const before = `<Column Name="A" Type="Decimal" Scale="4"/>
      <Column Name="B" MaxLength="9"><Option Value="x"/><Option Value="long"/></Column>`
    await target.deploy({ 't.xml': entity('Audit="Enabled"', before) })
    await target.run(
      `INSERT INTO things (A, B) VALUES (1.239, 'long')`,
      `UPDATE svc_facts SET Value = (
        SELECT json_group_array(json_remove(t.value, '$.schema.company', '$.schema.audit',
          '$.schema.columns[1].scale', '$.schema.columns[2].maxLength',
          '$.schema.columns[2].options')) FROM json_each(svc_facts.Value) t) WHERE Name = 'schema'`,
    )
    const { plan } = await target.deploy({
      't.xml': entity(
        '',
        `<Column Name="A" Type="Decimal" Scale="2"/>
         <Column Name="B" MaxLength="3"><Option Value="x"/></Column>`,
      ),
    })
    expect(plan.losses).toEqual([
      'Thing.A gets Scale 2: values in 1 row with more decimal places',
      'Thing.B gets MaxLength 3: its values in 1 row that are longer',
      'Thing.B loses the options long: 1 row has one of them',
      'Thing loses its Audit: changes of 1 row would not be recorded',
    ])
  })
})
