import { describe, expect, test } from 'bun:test'
import type { Column, Entity } from '../../src/model/compiled/entity.ts'
import type { FieldType } from '../../src/model/compiled/field-features.ts'
import { storageOf } from '../../src/model/migrate/column-schema.ts'
import { planConversion } from '../../src/model/migrate/projection.ts'
import { columnOf, entityOf, identity } from '../support/entities.ts'
import { Migrated } from '../support/migrate.ts'

const number = { type: 'Integer' } as const

const parentOf = (...columns: Column[]): Entity =>
  entityOf('Parent', 'parents', [identity(), columnOf('A'), ...columns])

const childOf = (onDelete: Column['onDelete'], target = 'Parent'): Entity =>
  entityOf('Child', 'children', [
    identity(),
    columnOf('ParentId', { ...number, references: target, onDelete }),
  ])

const tree = (...columns: Column[]): Entity =>
  entityOf('Node', 'nodes', [
    identity(),
    columnOf('UpId', { ...number, references: 'Node', onDelete: 'Cascade' }),
    ...columns,
  ])

async function openFamily(onDelete: Column['onDelete']): Promise<Migrated> {
  const database = new Migrated()
  await database.migrate([parentOf(columnOf('B')), childOf(onDelete)])
  database.db.exec(`INSERT INTO parents (A) VALUES ('1'), ('2'), ('3');
    INSERT INTO children (ParentId) SELECT Id FROM parents, (SELECT 1 UNION ALL SELECT 2)`)
  return database
}

const foreignKeys = (database: Migrated, table: string): unknown[] =>
  database.rows(`SELECT "table", "from", "to", on_delete FROM pragma_foreign_key_list('${table}')`)

describe('a rebuilt parent', () => {
  for (const onDelete of ['Restrict', 'Cascade', 'SetNull'] as const)
    test(`keeps its children: ${onDelete}`, async () => {
      const database = await openFamily(onDelete)
      const { steps } = await database.migrate([parentOf(), childOf(onDelete)])
      expect(steps).toEqual(['rebuild table parents: without B'])
      expect(database.rows('SELECT count(*), count(ParentId) FROM children')).toEqual([[6, 6]])
      expect(database.rows('PRAGMA foreign_key_check')).toEqual([])
      expect(foreignKeys(database, 'children')).toEqual([
        [
          'parents',
          'ParentId',
          'Id',
          { Restrict: 'RESTRICT', Cascade: 'CASCADE', SetNull: 'SET NULL' }[onDelete],
        ],
      ])
    })

  test('still cascades afterwards', async () => {
    const database = await openFamily('Cascade')
    await database.migrate([parentOf(), childOf('Cascade')])
    database.db.exec('DELETE FROM parents WHERE Id = 2')
    expect(database.rows('SELECT DISTINCT ParentId FROM children')).toEqual([[1], [3]])
  })

  test('keeps its children when it is renamed, key and all', async () => {
    const database = await openFamily('Cascade')
    const key = columnOf('Number', {
      ...number,
      key: true,
      identity: true,
      required: true,
      was: 'Id',
    })
    const renamed = entityOf('Elder', 'elders', [key, columnOf('A')], { was: 'Parent' })
    const { steps } = await database.migrate([renamed, childOf('Cascade', 'Elder')])
    expect(steps).toEqual([
      'rename table parents to elders',
      'rename column elders.Id to Number',
      'rebuild table elders: without B',
    ])
    expect(database.rows('SELECT count(*), count(ParentId) FROM children')).toEqual([[6, 6]])
    expect(foreignKeys(database, 'children')).toEqual([['elders', 'ParentId', 'Number', 'CASCADE']])
    expect(database.rows('PRAGMA foreign_key_check')).toEqual([])
  })

  test('keeps a tree', async () => {
    const database = new Migrated()
    await database.migrate([tree(columnOf('B'))])
    database.db.exec('INSERT INTO nodes (UpId) VALUES (NULL), (1), (2), (2)')
    await database.migrate([tree()])
    expect(database.rows('SELECT UpId FROM nodes')).toEqual([[null], [1], [2], [2]])
    expect(foreignKeys(database, 'nodes')).toEqual([['nodes', 'UpId', 'Id', 'CASCADE']])
  })

  test('never gives a key again', async () => {
    const database = await openFamily('Cascade')
    database.db.exec('DELETE FROM parents WHERE Id > 1')
    await database.migrate([parentOf(), childOf('Cascade')])
    database.db.exec(`INSERT INTO parents (A) VALUES ('new')`)
    expect(database.rows('SELECT Id FROM parents')).toEqual([[1], [4]])
  })

  test('never gives a key again, when its last record is gone', async () => {
    const database = await openFamily('Cascade')
    database.db.exec('DELETE FROM parents')
    await database.migrate([parentOf(), childOf('Cascade')])
    database.db.exec(`INSERT INTO parents (A) VALUES ('new')`)
    expect(database.rows('SELECT Id FROM parents')).toEqual([[4]])
  })

  test('changes OnDelete in its child alone', async () => {
    const database = await openFamily('Cascade')
    const { steps } = await database.migrate([parentOf(columnOf('B')), childOf('SetNull')])
    expect(steps).toEqual([
      'rebuild table children: ParentId references differently',
      'create index ix_children.ParentId again',
    ])
  })
})

describe('a table that was changed by other means', () => {
  const drifts: { name: string; sql: string; steps: string[]; losses?: string[] }[] = [
    {
      name: 'another column',
      sql: `ALTER TABLE parents ADD COLUMN X TEXT`,
      steps: ['rebuild table parents: without X, it was changed outside a deploy'],
    },
    {
      name: 'another column with values',
      sql: `ALTER TABLE parents ADD COLUMN X TEXT; UPDATE parents SET X = 'x'`,
      steps: ['rebuild table parents: without X, it was changed outside a deploy'],
      losses: ['Parent.X is removed: its values in 3 rows'],
    },
    {
      name: 'a missing column',
      sql: 'ALTER TABLE parents DROP COLUMN B',
      steps: ['rebuild table parents: it was changed outside a deploy'],
    },
    {
      name: 'a missing index',
      sql: 'DROP INDEX "ix_children.ParentId"',
      steps: ['create index ix_children.ParentId'],
    },
    {
      name: 'a missing table',
      sql: 'DROP TABLE children',
      steps: ['create table children', 'create index ix_children.ParentId'],
    },
  ]
  for (const { name, sql, steps, losses } of drifts)
    test(name, async () => {
      const database = await openFamily('Cascade')
      database.db.exec(sql)
      const outcome = await database.migrate([parentOf(columnOf('B')), childOf('Cascade')])
      expect(outcome).toEqual({ steps, losses: losses ?? [], faults: [] })
    })
})

const conversions: { from: FieldType; to: FieldType; value: unknown; becomes: unknown }[] = [
  { from: 'Text', to: 'Integer', value: ' 12 ', becomes: 12 },
  { from: 'Text', to: 'Integer', value: '-3', becomes: -3 },
  { from: 'Text', to: 'Integer', value: '007', becomes: undefined },
  { from: 'Text', to: 'Integer', value: '12a', becomes: undefined },
  { from: 'Text', to: 'Integer', value: '99999999999999999999', becomes: undefined },
  { from: 'Text', to: 'Decimal', value: '1.5', becomes: 1.5 },
  { from: 'Text', to: 'Decimal', value: '1,5', becomes: undefined },
  { from: 'Text', to: 'Decimal', value: '', becomes: null },
  { from: 'Text', to: 'Integer', value: ' \u00a0', becomes: null },
  { from: 'Text', to: 'Integer', value: '9007199254740993', becomes: undefined },
  { from: 'Text', to: 'Decimal', value: '12345678901234567890', becomes: undefined },
  { from: 'Text', to: 'Boolean', value: 'TRUE', becomes: 1 },
  { from: 'Text', to: 'Boolean', value: '0', becomes: 0 },
  { from: 'Text', to: 'Boolean', value: 'yes', becomes: undefined },
  { from: 'Text', to: 'Date', value: '2024-02-29', becomes: '2024-02-29' },
  { from: 'Text', to: 'Date', value: '2023-02-29', becomes: undefined },
  { from: 'Text', to: 'Date', value: 'now', becomes: undefined },
  {
    from: 'Text',
    to: 'DateTime',
    value: '2024-02-29T10:00:00Z',
    becomes: '2024-02-29T10:00:00.000Z',
  },
  {
    from: 'Text',
    to: 'DateTime',
    value: '2024-02-29 10:00+02:00',
    becomes: '2024-02-29T08:00:00.000Z',
  },
  { from: 'Text', to: 'DateTime', value: '2024-02-29 10:00', becomes: undefined },
  { from: 'Text', to: 'DateTime', value: '2023-02-29T10:00:00Z', becomes: undefined },
  { from: 'Text', to: 'DateTime', value: '2024-02-29T24:00:00Z', becomes: undefined },
  { from: 'Text', to: 'DateTime', value: '2024-02-29T10:00:00.9999Z', becomes: undefined },
  { from: 'Text', to: 'Date', value: '0000-01-01', becomes: undefined },
  { from: 'Text', to: 'Time', value: '10:30', becomes: '10:30:00' },
  { from: 'Text', to: 'Time', value: '25:30', becomes: undefined },
  {
    from: 'Text',
    to: 'Guid',
    value: '0F8FAD5B-D9CB-469F-A165-70867728950E',
    becomes: '0f8fad5b-d9cb-469f-a165-70867728950e',
  },
  { from: 'Text', to: 'Guid', value: 'x', becomes: undefined },
  { from: 'Text', to: 'Json', value: '{"a": 1}', becomes: '{"a":1}' },
  { from: 'Text', to: 'Json', value: '{a', becomes: undefined },
  { from: 'Text', to: 'Json', value: ' null', becomes: null },
  { from: 'Text', to: 'File', value: 'x', becomes: undefined },
  { from: 'Integer', to: 'Text', value: 5, becomes: '5' },
  { from: 'Integer', to: 'Decimal', value: 5, becomes: 5 },
  { from: 'Integer', to: 'Boolean', value: 1, becomes: 1 },
  { from: 'Integer', to: 'Boolean', value: 2, becomes: undefined },
  { from: 'Integer', to: 'Date', value: 20240101, becomes: undefined },
  { from: 'Decimal', to: 'Integer', value: 5, becomes: 5 },
  { from: 'Decimal', to: 'Integer', value: 5.5, becomes: undefined },
  { from: 'Boolean', to: 'Text', value: 1, becomes: 'true' },
  { from: 'Boolean', to: 'Integer', value: 1, becomes: 1 },
  { from: 'Date', to: 'DateTime', value: '2024-02-29', becomes: '2024-02-29T00:00:00.000Z' },
  { from: 'DateTime', to: 'Date', value: '2024-02-29T00:00:00.000Z', becomes: '2024-02-29' },
  { from: 'DateTime', to: 'Date', value: '2024-02-29T00:00:00.001Z', becomes: undefined },
  { from: 'Date', to: 'Text', value: '2024-02-29', becomes: '2024-02-29' },
]

describe('a stored value in another type', () => {
  const { db } = new Migrated()
  for (const { from, to, value, becomes } of conversions)
    test(`${from} ${value} to ${to}`, () => {
      const { value: sql, isLossless } = planConversion('v', from, { type: to, scale: null })
      const stored = `SELECT CAST(@v AS ${storageOf(from)}) AS v`
      const query = `SELECT ${sql} AS v, (${isLossless ?? '1'}) IS TRUE AS kept FROM (${stored})`
      const [row] = db.prepare(query).raw(true).all({ v: value })
      expect(row).toEqual(becomes === undefined ? [null, 0] : [becomes, 1])
    })
})
