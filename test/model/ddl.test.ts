import { describe, expect, test } from 'bun:test'
import Database from 'libsql'
import { ENGINE_DDL, planTable } from '../../src/model/ddl.ts'
import { findBrokenUnique } from '../../src/model/migrate/indexes.ts'
import type { Column, Entity } from '../../src/model/model.ts'
import { columnOf, entitiesOf, entityOf, identity, indexOn, literal } from '../support/entities.ts'

const company = (): Column => columnOf('CompanyId', { type: 'Integer' })
const inCompany = { company: 'CompanyId' }

const customer = entityOf('Customer', 'customers', [identity(), columnOf('Name')])

const columnLines: { name: string; column: Column; line: string }[] = [
  { name: 'text', column: columnOf('A'), line: '"A" TEXT' },
  { name: 'integer', column: columnOf('A', { type: 'Integer' }), line: '"A" INTEGER' },
  { name: 'decimal', column: columnOf('A', { type: 'Decimal', scale: 2 }), line: '"A" REAL' },
  {
    name: 'boolean',
    column: columnOf('A', { type: 'Boolean', ...literal('true') }),
    line: '"A" INTEGER DEFAULT 1 CONSTRAINT "A" CHECK ("A" IN (0, 1))',
  },
  { name: 'date', column: columnOf('A', { type: 'Date' }), line: '"A" TEXT' },
  { name: 'json', column: columnOf('A', { type: 'Json' }), line: '"A" TEXT' },
  {
    name: 'required with a literal default',
    column: columnOf('A', { required: true, ...literal("it's") }),
    line: `"A" TEXT NOT NULL DEFAULT 'it''s'`,
  },
  {
    name: 'a context default is no literal',
    column: columnOf('A', { default: { kind: 'context', parameter: 'Now' } }),
    line: '"A" TEXT',
  },
  {
    name: 'stamp',
    column: columnOf('RowVersion', { type: 'Integer', kind: 'stamp' }),
    line: '"RowVersion" INTEGER NOT NULL DEFAULT 1',
  },
  {
    name: 'tracking is NULL in rows that are older',
    column: columnOf('ChangedBy', { type: 'Integer', kind: 'tracking', required: true }),
    line: '"ChangedBy" INTEGER',
  },
  {
    name: 'reference',
    column: columnOf('A', { type: 'Integer', references: 'Customer', onDelete: 'SetNull' }),
    line: '"A" INTEGER REFERENCES "customers" ("Id") ON DELETE SET NULL',
  },
  {
    name: 'reference to a user',
    column: columnOf('A', { type: 'Integer', references: 'User' }),
    line: '"A" INTEGER REFERENCES "svc_users" ("Id") ON DELETE RESTRICT',
  },
  { name: 'quoted', column: columnOf('Order'), line: '"Order" TEXT' },
]

describe('a column as SQL', () => {
  for (const { name, column, line } of columnLines)
    test(name, () => {
      const entity = entityOf('T', 't', [identity(), column])
      const { create } = planTable(entity, entitiesOf(entity, customer))
      expect(create).toBe(
        `CREATE TABLE "t" (\n  "Id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,\n  ${line}\n) STRICT`,
      )
    })
})

const key = (name: string, type: Column['type'] = 'Text'): Column =>
  columnOf(name, { key: true, required: true, type })

const keyTables: { name: string; columns: Column[]; line: string }[] = [
  { name: 'a Guid key', columns: [key('Id', 'Guid')], line: 'PRIMARY KEY ("Id")' },
  {
    name: 'several keys in their order',
    columns: [key('B'), key('A', 'Integer')],
    line: 'PRIMARY KEY ("B", "A")',
  },
]

describe('a key as SQL', () => {
  for (const { name, columns, line } of keyTables)
    test(name, () => {
      const entity = entityOf('T', 't', columns)
      expect(planTable(entity, entitiesOf(entity)).create).toContain(`${line}\n) STRICT`)
    })
})

const indexTables: { name: string; entity: Entity; indexes: string[] }[] = [
  {
    name: 'unique, reference',
    entity: entityOf('T', 't', [
      identity(),
      columnOf('Code', { unique: true }),
      columnOf('CustomerId', { type: 'Integer', references: 'Customer' }),
    ]),
    indexes: [
      'CREATE UNIQUE INDEX "ux_t.Code" ON "t" ("Code")',
      'CREATE INDEX "ix_t.CustomerId" ON "t" ("CustomerId")',
    ],
  },
  {
    name: 'a reference that leads another index has none of its own',
    entity: entityOf(
      'T',
      't',
      [identity(), columnOf('CustomerId', { references: 'Customer' }), columnOf('At')],
      { indexes: [indexOn('CustomerId At')] },
    ),
    indexes: ['CREATE INDEX "ix_t.CustomerId.At" ON "t" ("CustomerId", "At")'],
  },
  {
    name: 'by company',
    entity: entityOf('T', 't', [identity(), company(), columnOf('Status')], {
      ...inCompany,
      indexes: [indexOn('Status')],
    }),
    indexes: [
      'CREATE INDEX "ix_t.CompanyId.Status" ON "t" ("CompanyId", "Status")',
      'CREATE INDEX "ix_t.CompanyId" ON "t" ("CompanyId")',
    ],
  },
  {
    name: 'by company in the order of a key that is no number',
    entity: entityOf('T', 't', [key('Code'), company()], inCompany),
    indexes: ['CREATE INDEX "ix_t.CompanyId.Code" ON "t" ("CompanyId", "Code")'],
  },
  {
    name: 'unique in a company, NULL equal to NULL',
    entity: entityOf('T', 't', [identity(), company(), columnOf('Code', { unique: true })], {
      ...inCompany,
    }),
    indexes: [
      'CREATE UNIQUE INDEX "ux_t.CompanyId.Code" ON "t" ("CompanyId", "Code")',
      'CREATE UNIQUE INDEX "ux_t.CompanyId.Code.null" ON "t" ' +
        `("CompanyId", ("Code" IS NULL), ifnull("Code", '')) WHERE "Code" IS NULL`,
      'CREATE INDEX "ix_t.CompanyId" ON "t" ("CompanyId")',
    ],
  },
  {
    name: 'unique in a company under a condition',
    entity: entityOf(
      'T',
      't',
      [identity(), company(), columnOf('A', { required: true }), columnOf('S')],
      {
        ...inCompany,
        indexes: [indexOn('A', true, "S = 'new'")],
      },
    ),
    indexes: [
      `CREATE UNIQUE INDEX "ux_t.CompanyId.A.941edbdb" ON "t" ("CompanyId", "A") WHERE S = 'new'`,
      'CREATE INDEX "ix_t.CompanyId" ON "t" ("CompanyId")',
    ],
  },
]

describe('indexes', () => {
  for (const { name, entity, indexes } of indexTables)
    test(name, () => {
      const planned = planTable(entity, entitiesOf(entity, customer)).indexes
      expect(planned.map((index) => index.sql)).toEqual(indexes)
    })
})

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
  const { create, indexes } = planTable(holder, entitiesOf(holder))
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
