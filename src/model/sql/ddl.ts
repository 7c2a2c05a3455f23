/** From a compiled entity to SQL: its table and its indexes. Only the engine writes DDL. */
import type { Entity } from '../compiled/entity.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { type ColumnSchema, storageOf } from '../migrate/column-schema.ts'
import { planTableSchema, type TableSchema } from '../migrate/table-schema.ts'
import type { Model } from '../model.ts'
import { quote } from './quote.ts'

/**
 * The engine's published tables, with their published columns only, and the membership by which
 * they are held to a company: for the scratch database of the SQL gate. The data has no `svc_zone`:
 * its rows are a value of each statement (`zone-table.ts`).
 */
export const ENGINE_DDL: readonly string[] = [
  `CREATE TABLE svc_users (Id INTEGER PRIMARY KEY AUTOINCREMENT, UserName TEXT NOT NULL,
    DisplayName TEXT NOT NULL, Email TEXT, Active INTEGER NOT NULL)`,
  `CREATE TABLE svc_companies (Id INTEGER PRIMARY KEY AUTOINCREMENT, Code TEXT NOT NULL,
    Name TEXT NOT NULL, TimeZone TEXT NOT NULL)`,
  `CREATE TABLE svc_user_roles (UserId INTEGER NOT NULL, Role TEXT NOT NULL, CompanyId INTEGER)`,
  `CREATE INDEX svc_user_roles_user ON svc_user_roles (UserId)`,
  `CREATE TABLE svc_user_companies (UserId INTEGER NOT NULL, CompanyId INTEGER NOT NULL,
    PRIMARY KEY (UserId, CompanyId))`,
  `CREATE INDEX svc_user_companies_company ON svc_user_companies (CompanyId)`,
  `CREATE TABLE svc_zone (FromAt TEXT NOT NULL, ToAt TEXT NOT NULL, Shift TEXT NOT NULL)`,
  `CREATE TABLE svc_workflow_instances (Id INTEGER PRIMARY KEY AUTOINCREMENT,
    Workflow TEXT NOT NULL, Entity TEXT NOT NULL, RecordKey TEXT NOT NULL,
    CompanyId INTEGER NOT NULL, State TEXT NOT NULL, Status TEXT NOT NULL,
    EnteredAt TEXT NOT NULL, StartedBy INTEGER, StartedAt TEXT NOT NULL, EndedAt TEXT)`,
  `CREATE TABLE svc_workflow_history (Id INTEGER PRIMARY KEY AUTOINCREMENT,
    InstanceId INTEGER NOT NULL, At TEXT NOT NULL, UserId INTEGER, Action TEXT NOT NULL,
    FromState TEXT, ToState TEXT, Since TEXT)`,
  `CREATE TABLE svc_workflow_tasks (Id INTEGER PRIMARY KEY AUTOINCREMENT,
    InstanceId INTEGER NOT NULL, CompanyId INTEGER NOT NULL, Workflow TEXT NOT NULL,
    State TEXT NOT NULL, Status TEXT NOT NULL, ClaimedBy INTEGER, DueAt TEXT,
    CreatedAt TEXT NOT NULL, EndedAt TEXT, EscalatedAt TEXT)`,
  `CREATE TABLE svc_workflow_assignees (Id INTEGER PRIMARY KEY AUTOINCREMENT,
    TaskId INTEGER NOT NULL, CompanyId INTEGER NOT NULL, UserId INTEGER, Role TEXT,
    IsOpen INTEGER NOT NULL)`,
]

/** The table of an entity as SQL. Pure, and the same text for the same entity. */
export function composeTable(
  entity: Entity,
  model: Pick<Model, 'entities'>,
): { create: string; indexes: { name: string; sql: string }[] } {
  const schema = planTableSchema(entity, model)
  return {
    create: renderTable(schema, schema.table),
    indexes: schema.indexes.map(({ name, sql }) => ({ name, sql })),
  }
}

/** `CREATE TABLE` of a schema under a name, which is another one while a table is rebuilt. */
export function renderTable(schema: TableSchema, name: string): string {
  const isIdentity = schema.columns.some((column) => column.identity)
  const lines = schema.columns.map(renderColumn)
  if (!isIdentity) lines.push(`PRIMARY KEY (${schema.keys.map(quote).join(', ')})`)
  return `CREATE TABLE ${quote(name)} (\n  ${lines.join(',\n  ')}\n) STRICT`
}

/**
 * A column as `CREATE TABLE` and `ADD COLUMN` take it. A broken Boolean is named by its column in
 * SQLite's message. AUTOINCREMENT, so that the key of a deleted record never comes again.
 */
export function renderColumn(column: ColumnSchema): string {
  if (column.identity) return `${quote(column.name)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`
  const parts = [quote(column.name), storageOf(column.type)]
  if (column.notNull) parts.push('NOT NULL')
  if (column.default !== null) parts.push(`DEFAULT ${column.default}`)
  if (FIELD_KINDS[column.type].isFlag)
    parts.push(`CONSTRAINT ${quote(column.name)} CHECK (${quote(column.name)} IN (0, 1))`)
  if (column.references !== null) parts.push(renderReference(column.references))
  return parts.join(' ')
}

const ON_DELETE = { Restrict: 'RESTRICT', Cascade: 'CASCADE', SetNull: 'SET NULL' } as const

const renderReference = ({ table, key, onDelete }: NonNullable<ColumnSchema['references']>) =>
  `REFERENCES ${quote(table)} (${quote(key)}) ON DELETE ${ON_DELETE[onDelete]}`
