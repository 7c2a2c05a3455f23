/** Entities that have a table and, some of them, a tenant column: all that a shadow looks at. */
import type { Entity } from '../../src/model/compiled/entity.ts'
import type { Model } from '../../src/model/model.ts'

function planEntity(table: string, company: string | undefined): Entity {
  return {
    name: table,
    table,
    label: table,
    display: [],
    company,
    builtIn: false,
    concurrency: false,
    audit: false,
    logsReads: false,
    tracking: false,
    comments: false,
    parent: undefined,
    was: undefined,
    columns: [],
    columnByName: new Map(),
    keys: [],
    indexes: [],
    sequences: [],
    validates: [],
    events: [],
    place: { file: 'test.xml', line: 1, column: 1 },
  }
}

/** A model of tables, each with its tenant column or none. */
export function planTables(
  tables: Readonly<Record<string, string | undefined>>,
): Pick<Model, 'entityByTable'> {
  const entities = Object.entries(tables).map(([table, company]) => planEntity(table, company))
  return { entityByTable: new Map(entities.map((entity) => [entity.table.toLowerCase(), entity])) }
}

/** The tables of `gate-jail.ts`. */
export const JAIL_MODEL = planTables({
  orders: 'CompanyId',
  customers: 'CompanyId',
  order_lines: undefined,
  cities: undefined,
})
