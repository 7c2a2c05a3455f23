import { describe, test } from 'bun:test'
import { columnOf, entityOf, fillBy, identity, indexOn, literal } from '../support/entities.ts'
import { runScenario, type Scenario, thing } from '../support/migrate.ts'

const number = { type: 'Integer' } as const

const ONE = `INSERT INTO things (A) VALUES ('x')`

const thingWithIndex = (more: Parameters<typeof columnOf>[1]) =>
  entityOf('Thing', 'things', [identity(), columnOf('A', more)], { indexes: [indexOn('A')] })

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
    steps: ['create table things', 'create index ux_things.A', 'create index ox1l_things.A'],
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
        ['Net', { type: 'Decimal', required: true, ...fillBy('Total / 1.2') }],
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
    after: [thing(['A', { required: true, ...fillBy(`'no ' || Id`) }])],
    steps: ['rebuild table things: A is required'],
    rows: ['SELECT A FROM things', [['no 1'], ['x']]],
  },
  {
    name: 'a fill that has done its work names a column that is gone',
    before: [thing(['A', { required: true }])],
    seed: ONE,
    after: [thing(['A', { required: true, ...fillBy('Gone') }], ['B'])],
    steps: ['add column things.B'],
  },
  {
    name: 'a column is renamed with its values',
    before: [thing(['A', { unique: true }])],
    seed: ONE,
    after: [thing(['B', { unique: true, was: 'A' }])],
    steps: [
      ...['drop index ux_things.A', 'drop index ox1l_things.A', 'rename column things.A to B'],
      ...['create index ux_things.B', 'create index ox1l_things.B'],
    ],
    rows: ['SELECT B FROM things', [['x']]],
  },
  {
    name: 'a declared index goes where a unique one has the same columns',
    before: [thingWithIndex({})],
    seed: ONE,
    after: [thingWithIndex({ unique: true })],
    steps: ['drop index ix_things.A', 'create index ux_things.A'],
    rows: ['SELECT A FROM things', [['x']]],
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
        ['B', { ...number, was: 'A', required: true, ...fillBy('length(C)') }],
        ['D', { was: 'C', required: true }],
        ['E', { ...fillBy(`A || C`) }],
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
    name: 'an entity is renamed with its rows',
    before: [thing(['A'])],
    seed: ONE,
    after: [entityOf('Item', 'items', [identity(), columnOf('A')], { was: 'Thing' })],
    steps: ['rename table things to items'],
    rows: ['SELECT A FROM items', [['x']]],
  },
]

describe('migration', () => {
  for (const scenario of scenarios) test(scenario.name, () => runScenario(scenario))
})
