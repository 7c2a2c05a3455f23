import { describe, test } from 'bun:test'
import { columnOf, entityOf, identity, indexOn } from '../support/entities.ts'
import { runScenario, type Scenario, thing } from '../support/migrate.ts'

const number = { type: 'Integer' } as const

const ONE = `INSERT INTO things (A) VALUES ('x')`

const scenarios: Scenario[] = [
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
    faults: ['Thing is to be unique by A, but stored rows share 2 values'],
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
    faults: ['Thing is to be unique by C A, but stored rows share 1 value'],
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
      'Column ParentId of Thing references Thing, and 1 row would refer to records that do not exist',
    ],
  },
  {
    name: 'a new reference',
    before: [thing(['ParentId', number])],
    seed: 'INSERT INTO things (ParentId) VALUES (1), (NULL)',
    after: [thing(['ParentId', { ...number, references: 'Thing' }])],
    steps: [
      'rebuild table things: ParentId references differently',
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
    faults: ['Rows of Thing would share 1 value of the key'],
  },
  {
    name: 'a text key gives way to a number',
    before: [entityOf('Thing', 'things', [columnOf('Code', { key: true, required: true })])],
    seed: `INSERT INTO things (Code) VALUES ('b'), ('a')`,
    after: [thing(['Code', { required: true }])],
    steps: [
      'drop index ox1l_things.Code',
      'replace the keys of things and all references to them',
      'rebuild table things: Id is the new key, another key',
    ],
    rows: [
      'SELECT Id, Code FROM things ORDER BY Id',
      [
        [1, 'b'],
        [2, 'a'],
      ],
    ],
  },
]

describe('migration: losses and rules', () => {
  for (const scenario of scenarios) test(scenario.name, () => runScenario(scenario))
})
