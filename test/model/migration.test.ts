import { describe, expect, test } from 'bun:test'
import type { Entity } from '../../src/model/model.ts'
import { columnOf, entityOf, identity, indexOn, literal } from '../support/entities.ts'
import { Migrated } from '../support/migrate.ts'

const number = { type: 'Integer' } as const
const thing = (...columns: Parameters<typeof columnOf>[]): Entity =>
  entityOf('Thing', 'things', [identity(), ...columns.map((column) => columnOf(...column))])

interface Scenario {
  name: string
  before: Entity[]
  seed: string
  after: Entity[]
  allowDataLoss?: boolean
  steps?: string[]
  losses?: string[]
  faults?: string[]
  /** What a SELECT gives afterwards. */
  rows?: [string, unknown[]]
}

const ONE = `INSERT INTO things (A) VALUES ('x')`

const scenarios: Scenario[] = [
  {
    name: 'the same',
    before: [thing(['A', { unique: true }])],
    seed: ONE,
    after: [thing(['A', { unique: true }])],
    steps: [],
  },
  {
    name: 'a new table',
    before: [],
    seed: '',
    after: [thing(['A', { unique: true }])],
    steps: ['create table things', 'create index ux_things.A'],
  },
  {
    name: 'a new column in place',
    before: [thing(['A'])],
    seed: ONE,
    after: [thing(['A'], ['B', number])],
    steps: ['add column things.B'],
    rows: ['SELECT A, B FROM things', [['x', null]]],
  },
  {
    name: 'a new required column with a default in place',
    before: [thing(['A'])],
    seed: ONE,
    after: [thing(['A'], ['B', { required: true, type: 'Boolean', ...literal('true') }])],
    steps: ['add column things.B'],
    rows: ['SELECT A, B FROM things', [['x', 1]]],
  },
  {
    name: 'a new stamp in place',
    before: [thing(['A'])],
    seed: ONE,
    after: [thing(['A'], ['RowVersion', { ...number, kind: 'stamp' }])],
    steps: ['add column things.RowVersion'],
    rows: ['SELECT RowVersion FROM things', [[1]]],
  },
  {
    name: 'a new required column with a fill',
    before: [thing(['A'], ['Total', { type: 'Decimal' }])],
    seed: 'INSERT INTO things (Total) VALUES (12)',
    after: [
      thing(
        ['A'],
        ['Total', { type: 'Decimal' }],
        ['Net', { type: 'Decimal', required: true, fill: 'Total / 1.2' }],
      ),
    ],
    steps: ['rebuild table things: Net is filled'],
    rows: ['SELECT Total, Net FROM things', [[12, 10]]],
  },
  {
    name: 'a new required column without one',
    before: [thing(['A'])],
    seed: ONE,
    after: [thing(['A'], ['B', { required: true }])],
    faults: [
      'Column B of Thing needs a value, and 1 row would have none: ' +
        'give it a Fill="…" with an expression over the stored row, or a Default',
    ],
    rows: ['SELECT * FROM things', [[1, 'x']]],
  },
  {
    name: 'a new required column in an empty table',
    before: [thing(['A'])],
    seed: '',
    after: [thing(['A'], ['B', { required: true }])],
    steps: ['rebuild table things: B is new and required'],
  },
  {
    name: 'a column becomes required, with NULLs in it',
    before: [thing(['A'])],
    seed: 'INSERT INTO things (A) VALUES (NULL), (NULL)',
    after: [thing(['A', { required: true }])],
    faults: [
      'Column A of Thing needs a value, and 2 rows would have none: ' +
        'give it a Fill="…" with an expression over the stored row, or a Default',
    ],
  },
  {
    name: 'a column becomes required with a fill for its NULLs',
    before: [thing(['A'])],
    seed: `INSERT INTO things (A) VALUES (NULL), ('x')`,
    after: [thing(['A', { required: true, fill: `'no ' || Id` }])],
    steps: ['rebuild table things: A is required'],
    rows: ['SELECT A FROM things', [['no 1'], ['x']]],
  },
  {
    name: 'a fill that has done its work names a column that is gone',
    before: [thing(['A', { required: true }])],
    seed: ONE,
    after: [thing(['A', { required: true, fill: 'Gone' }], ['B'])],
    steps: ['add column things.B'],
  },
  {
    name: 'a column is renamed with its values',
    before: [thing(['A', { unique: true }])],
    seed: ONE,
    after: [thing(['B', { unique: true, was: 'A' }])],
    steps: ['drop index ux_things.A', 'rename column things.A to B', 'create index ux_things.B'],
    rows: ['SELECT B FROM things', [['x']]],
  },
  {
    name: 'a column was renamed before',
    before: [thing(['B'])],
    seed: '',
    after: [thing(['B', { was: 'A' }])],
    steps: [],
  },
  {
    name: 'a column is renamed, changed, and filled from another',
    before: [thing(['A'], ['C'])],
    seed: `INSERT INTO things (A, C) VALUES ('7', 'c'), (NULL, 'd')`,
    after: [
      thing(
        ['B', { ...number, was: 'A', required: true, fill: 'length(C)' }],
        ['D', { was: 'C', required: true }],
        ['E', { fill: `A || C` }],
      ),
    ],
    steps: [
      'rename column things.A to B',
      'rename column things.C to D',
      'rebuild table things: B becomes Integer, D is required, E is filled',
    ],
    rows: [
      'SELECT B, D, E FROM things',
      [
        [7, 'c', '7c'],
        [1, 'd', null],
      ],
    ],
  },
  {
    name: 'Was names a column that is still there',
    before: [thing(['A'])],
    seed: '',
    after: [thing(['A'], ['B', { was: 'A' }])],
    faults: ['Was="A" names a column that is still there'],
  },
  {
    name: 'an entity is renamed with its rows',
    before: [thing(['A'])],
    seed: ONE,
    after: [entityOf('Item', 'items', [identity(), columnOf('A')], { was: 'Thing' })],
    steps: ['rename table things to items'],
    rows: ['SELECT A FROM items', [['x']]],
  },
  {
    name: 'a removed column',
    before: [thing(['A'], ['B'])],
    seed: `INSERT INTO things (A, B) VALUES ('x', 'y'), ('z', NULL)`,
    after: [thing(['A'])],
    losses: ['Thing.B is removed: its values in 1 row'],
    rows: [
      'SELECT A, B FROM things',
      [
        ['x', 'y'],
        ['z', null],
      ],
    ],
  },
  {
    name: 'a removed column, allowed',
    before: [thing(['A'], ['B'])],
    seed: `INSERT INTO things (A, B) VALUES ('x', 'y')`,
    after: [thing(['A'])],
    allowDataLoss: true,
    steps: ['rebuild table things: without B'],
    losses: ['Thing.B is removed: its values in 1 row'],
    rows: ['SELECT * FROM things', [[1, 'x']]],
  },
  {
    name: 'a removed column without values, and a removed stamp, lose nothing',
    before: [thing(['A'], ['B'], ['RowVersion', { ...number, kind: 'stamp' }])],
    seed: ONE,
    after: [thing(['A'])],
    steps: ['rebuild table things: without B, without RowVersion'],
    rows: ['SELECT * FROM things', [[1, 'x']]],
  },
  {
    name: 'a removed entity',
    before: [thing(['A'])],
    seed: ONE,
    after: [],
    losses: ['entity Thing: 1 row of table things'],
    rows: ['SELECT A FROM things', [['x']]],
  },
  {
    name: 'a removed entity, allowed',
    before: [thing(['A'])],
    seed: ONE,
    after: [],
    allowDataLoss: true,
    steps: ['drop table things of entity Thing'],
    losses: ['entity Thing: 1 row of table things'],
    rows: [`SELECT name FROM sqlite_schema WHERE name = 'things'`, []],
  },
  {
    name: 'a narrower type',
    before: [thing(['A'])],
    seed: `INSERT INTO things (A) VALUES ('12'), ('007'), ('x'), (NULL)`,
    after: [thing(['A', number])],
    losses: ['Thing.A becomes Integer: its values in 2 rows that are no Integer'],
  },
  {
    name: 'a narrower type, allowed',
    before: [thing(['A'])],
    seed: `INSERT INTO things (A) VALUES ('12'), ('x')`,
    after: [thing(['A', number])],
    allowDataLoss: true,
    losses: ['Thing.A becomes Integer: its values in 1 row that are no Integer'],
    rows: ['SELECT A FROM things', [[12], [null]]],
  },
  {
    name: 'a new unique rule that stored rows break',
    before: [thing(['A'])],
    seed: `INSERT INTO things (A) VALUES ('x'), ('x'), ('y'), ('y'), ('z'), (NULL), (NULL)`,
    after: [thing(['A', { unique: true }])],
    faults: ['Thing is to be unique by A, and stored rows stand twice or more under 2 values'],
  },
  {
    name: 'a new unique rule over a NULL in a company',
    before: [
      entityOf('Thing', 'things', [identity(), columnOf('C', number), columnOf('A')], {
        company: 'C',
      }),
    ],
    seed: 'INSERT INTO things (C) VALUES (1), (1), (2)',
    after: [
      entityOf(
        'Thing',
        'things',
        [identity(), columnOf('C', number), columnOf('A', { unique: true })],
        { company: 'C' },
      ),
    ],
    faults: ['Thing is to be unique by C A, and stored rows stand twice or more under 1 value'],
  },
  {
    name: 'a new unique rule under a condition',
    before: [thing(['A'], ['S'])],
    seed: `INSERT INTO things (A, S) VALUES ('x', 'old'), ('x', 'new')`,
    after: [
      {
        ...thing(['A'], ['S']),
        indexes: [indexOn('A', true, "S = 'new'")],
      },
    ],
    steps: ['create index ux_things.A.941edbdb'],
  },
  {
    name: 'a new reference to rows that are not there',
    before: [thing(['ParentId', number])],
    seed: 'INSERT INTO things (ParentId) VALUES (1), (5), (NULL)',
    after: [thing(['ParentId', { ...number, references: 'Thing' }])],
    faults: [
      'Column ParentId of Thing references Thing, and 1 row would point to none that is there',
    ],
  },
  {
    name: 'a new reference',
    before: [thing(['ParentId', number])],
    seed: 'INSERT INTO things (ParentId) VALUES (1), (NULL)',
    after: [thing(['ParentId', { ...number, references: 'Thing' }])],
    steps: [
      'rebuild table things: ParentId references otherwise',
      'create index ix_things.ParentId',
    ],
    rows: ['SELECT ParentId FROM things', [[1], [null]]],
  },
  {
    name: 'another key that stands twice',
    before: [thing(['Code', { required: true }])],
    seed: `INSERT INTO things (Code) VALUES ('a'), ('a')`,
    after: [entityOf('Thing', 'things', [columnOf('Code', { key: true, required: true })])],
    losses: ['Thing.Id is removed: its values in 2 rows'],
    faults: ['Rows of Thing would stand twice or more under 1 value of the key'],
  },
  {
    name: 'a text key gives way to a number',
    before: [entityOf('Thing', 'things', [columnOf('Code', { key: true, required: true })])],
    seed: `INSERT INTO things (Code) VALUES ('b'), ('a')`,
    after: [thing(['Code', { required: true }])],
    steps: ['rebuild table things: Id is the new key, another key'],
    rows: [
      'SELECT Id, Code FROM things ORDER BY Id',
      [
        [1, 'b'],
        [2, 'a'],
      ],
    ],
  },
]

describe('migration', () => {
  for (const scenario of scenarios)
    test(scenario.name, async () => {
      const database = new Migrated()
      await database.migrate(scenario.before)
      database.db.exec(scenario.seed)
      const outcome = await database.migrate(scenario.after, scenario.allowDataLoss)
      expect(outcome.faults).toEqual(scenario.faults ?? [])
      expect(outcome.losses).toEqual(scenario.losses ?? [])
      if (scenario.steps) expect(outcome.steps).toEqual(scenario.steps)
      if (scenario.rows) expect(database.rows(scenario.rows[0])).toEqual(scenario.rows[1])
      if (outcome.faults.length > 0) return
      if (outcome.losses.length > 0 && !scenario.allowDataLoss) return
      expect((await database.migrate(scenario.after)).steps).toEqual([])
    })
})
