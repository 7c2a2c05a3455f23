import { describe, expect, test } from 'bun:test'
import Database from 'libsql'
import { findBrokenUnique } from '../../src/model/migrate/indexes.ts'
import { composeTable, ENGINE_DDL } from '../../src/model/sql/ddl.ts'
import { columnOf, entitiesOf, entityOf, identity, indexOn } from '../support/entities.ts'

const inCompany = { company: 'CompanyId' }

const holder = entityOf(
  'Holder',
  'holders',
  [
    identity(),
    columnOf('CompanyId', { type: 'Integer' }),
    columnOf('Code', { unique: true }),
    columnOf('A', { required: true }),
    columnOf('B'),
    columnOf('Active', { type: 'Boolean' }),
    columnOf('Amount', { type: 'Decimal' }),
    columnOf('OwnerId', { type: 'Integer', references: 'User' }),
  ],
  { ...inCompany, indexes: [indexOn('A B', true, 'Active = 1')] },
)

function openHolders(): InstanceType<typeof Database> {
  const db = new Database(':memory:')
  const { create, indexes } = composeTable(holder, entitiesOf(holder))
  for (const sql of [...ENGINE_DDL, create, ...indexes.map((index) => index.sql)]) db.exec(sql)
  return db
}

const insert = (values: Record<string, string | number | null>): string =>
  `INSERT INTO holders (${Object.keys(values).join(', ')})
   VALUES (${Object.values(values)
     .map((value) => JSON.stringify(value).replaceAll('"', "'"))
     .join(', ')})`

const writes: {
  name: string
  rows: Record<string, string | number | null>[]
  error?: string
  broken?: string[]
}[] = [
  {
    name: 'a value twice in a company',
    rows: [
      { CompanyId: 1, Code: 'a', A: '1' },
      { CompanyId: 1, Code: 'a', A: '2' },
    ],
    error: 'UNIQUE',
    broken: ['Code'],
  },
  {
    name: 'a value in two companies',
    rows: [
      { CompanyId: 1, Code: 'a', A: '1' },
      { CompanyId: 2, Code: 'a', A: '1' },
    ],
  },
  {
    name: 'NULL twice in a company',
    rows: [
      { CompanyId: 1, A: '1' },
      { CompanyId: 1, A: '2' },
    ],
    error: 'UNIQUE',
    broken: ['Code'],
  },
  {
    name: 'NULL in two companies',
    rows: [
      { CompanyId: 1, A: '1' },
      { CompanyId: 2, A: '1' },
    ],
  },
  {
    name: 'NULL and the empty text are two values',
    rows: [
      { CompanyId: 1, A: '1' },
      { CompanyId: 1, Code: '', A: '2' },
    ],
  },
  {
    name: 'several columns with a NULL twice',
    rows: [
      { CompanyId: 1, Code: 'a', A: '1', Active: 1 },
      { CompanyId: 1, Code: 'b', A: '1', Active: 1 },
    ],
    error: 'UNIQUE',
    broken: ['A', 'B'],
  },
  {
    name: 'several columns, outside of the condition',
    rows: [
      { CompanyId: 1, Code: 'a', A: '1', Active: 1 },
      { CompanyId: 1, Code: 'b', A: '1', Active: 0 },
    ],
  },
  {
    name: 'several columns with different NULLs',
    rows: [
      { CompanyId: 1, Code: 'a', A: '1', Active: 1 },
      { CompanyId: 1, Code: 'b', A: '1', B: 'x', Active: 1 },
    ],
  },
  { name: 'no company', rows: [{ A: '1' }], error: 'NOT NULL constraint failed' },
  {
    name: 'a Boolean that is none',
    rows: [{ CompanyId: 1, A: '1', Active: 2 }],
    error: 'CHECK constraint failed: Active',
  },
  {
    name: 'a Decimal that is none',
    rows: [{ CompanyId: 1, A: '1', Amount: 'much' }],
    error: 'cannot store TEXT value in REAL column holders.Amount',
  },
  {
    name: 'a user that is none',
    rows: [{ CompanyId: 1, A: '1', OwnerId: 5 }],
    error: 'FOREIGN KEY constraint failed',
  },
]

describe('what a table holds against', () => {
  for (const { name, rows, error, broken } of writes)
    test(name, () => {
      const db = openHolders()
      const write = () => rows.forEach((row) => db.exec(insert(row)))
      if (error === undefined) return expect(write).not.toThrow()
      expect(write).toThrow(error)
      if (broken === undefined) return
      const [first, second] = rows
      db.exec('DELETE FROM holders')
      db.exec(insert(first ?? {}))
      expect(
        findBrokenUnique(
          holder,
          messageOf(() => db.exec(insert(second ?? {}))),
        ),
      ).toEqual(broken)
    })

  test('a key is never given twice', () => {
    const db = openHolders()
    db.exec(insert({ CompanyId: 1, A: '1' }))
    db.exec('DELETE FROM holders')
    db.exec(insert({ CompanyId: 1, A: '1' }))
    expect(db.prepare('SELECT Id FROM holders').raw(true).all()).toEqual([[2]])
  })

  test('a company comes in the order of its keys from an index', () => {
    const plan = openHolders()
      .prepare('EXPLAIN QUERY PLAN SELECT * FROM holders WHERE CompanyId = 1 ORDER BY Id')
      .all()
    expect(JSON.stringify(plan)).toContain('ix_holders.CompanyId')
    expect(JSON.stringify(plan)).not.toContain('TEMP B-TREE')
  })

  test('an error of another table is no broken unique rule of this one', () => {
    expect(findBrokenUnique(holder, 'UNIQUE constraint failed: others.Id')).toBeUndefined()
    expect(findBrokenUnique(holder, 'FOREIGN KEY constraint failed')).toBeUndefined()
  })
})

function messageOf(work: () => void): string {
  try {
    work()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}
