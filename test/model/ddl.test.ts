import { describe, expect, test } from 'bun:test'
import type { Column, Entity } from '../../src/model/compiled/entity.ts'
import { composeTable } from '../../src/model/sql/ddl.ts'
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
      const { create } = composeTable(entity, entitiesOf(entity, customer))
      expect(create).toBe(
        `CREATE TABLE "t" (\n  "Id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,\n  ` +
          `${line}\n) STRICT`,
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
      expect(composeTable(entity, entitiesOf(entity)).create).toContain(`${line}\n) STRICT`)
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
    name: 'a declared one is not made where a unique one has the same columns, and all rows',
    entity: entityOf(
      'T',
      't',
      [
        ...[identity(), company()],
        columnOf('Code', { unique: true, required: true }),
        columnOf('A', { required: true }),
      ],
      {
        ...inCompany,
        indexes: [indexOn('Code'), indexOn('Code A'), indexOn('A', true, "A > ''"), indexOn('A')],
      },
    ),
    indexes: [
      'CREATE UNIQUE INDEX "ux_t.CompanyId.Code" ON "t" ("CompanyId", "Code")',
      'CREATE INDEX "ix_t.CompanyId.Code.A" ON "t" ("CompanyId", "Code", "A")',
      `CREATE UNIQUE INDEX "ux_t.CompanyId.A.3f04016a" ON "t" ("CompanyId", "A") WHERE A > ''`,
      'CREATE INDEX "ix_t.CompanyId.A" ON "t" ("CompanyId", "A")',
      'CREATE INDEX "ix_t.CompanyId" ON "t" ("CompanyId")',
    ],
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
      const planned = composeTable(entity, entitiesOf(entity, customer)).indexes
      const plain = planned.filter((index) => !index.name.startsWith('ox'))
      expect(plain.map((index) => index.sql)).toEqual(indexes)
    })

  /** The key of a text stands as `key(…)`. */
  const listOrders = (entity: Entity): string[] =>
    composeTable(entity, entitiesOf(entity, customer)).indexes.flatMap(({ name, sql }) =>
      name.startsWith('ox') ? [sql.replace(/CASE WHEN typeof\(("\w+")\).* END/, 'key($1)')] : [],
    )

  test('texts are sorted by indexes of their keys', () => {
    const columns = [
      ...[identity(), company(), columnOf('Code', { unique: true }), columnOf('Name')],
      ...[columnOf('At', { type: 'Date' }), columnOf('Number', { sequence: 'Numbers' })],
      columnOf('State', { options: ['a', 'b'].map((value) => ({ value, label: value })) }),
      columnOf('Mood', { options: ['b', 'C'].map((value) => ({ value, label: value })) }),
    ]
    const indexes = ['State Name', 'Name At', 'Number', 'State', 'Mood'].map((each) =>
      indexOn(each),
    )
    const partial = indexOn('Name', false, "State = 'a'")
    const entity = entityOf('T', 't', columns, { ...inCompany, indexes: [...indexes, partial] })
    expect(listOrders(entity)).toEqual([
      'CREATE INDEX "ox1l_t.CompanyId.Code" ON "t" ("CompanyId", key("Code"), "Id")',
      'CREATE INDEX "ox1l_t.CompanyId.State.Name" ON "t" ("CompanyId", "State", key("Name"), "Id")',
      'CREATE INDEX "ox1l_t.CompanyId.Name" ON "t" ("CompanyId", key("Name"), "Id")',
      'CREATE INDEX "ox1l_t.CompanyId.Mood" ON "t" ("CompanyId", key("Mood"), "Id")',
    ])
    const byKey = entityOf('T', 't', [key('Code'), columnOf('RefCode', { references: 'Customer' })])
    expect(listOrders(byKey)).toEqual(['CREATE INDEX "ox1l_t.Code" ON "t" (key("Code"), "Code")'])
  })
})
