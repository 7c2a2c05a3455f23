/**
 * Company scope: common table expressions that bear the names of tables, so that authored SQL that
 * names a table reads the company's rows of it only (src/store/README.md, Company scope). Pure.
 */
import { composeDml } from '../../store/gate/compose.ts'
import { PUBLISHED_TABLES } from '../../store/gate/lists.ts'
import { narrowWrite } from '../../store/gate/narrow.ts'
import { ZONE_SHADOW, ZONE_TABLE } from '../../store/read/zone-table.ts'
import type { Own } from '../../store/sql.ts'
import type { AuthoredSql } from '../compiled/authored-sql.ts'
import type { Entity } from '../compiled/entity.ts'
import { quote } from './quote.ts'

/** `company`: the rows of `@CurrentCompanyId`. `all`: every company's, for System callers. */
export type ShadowScope = 'company' | 'all'

/** `materialized`: their rows are collected before anything is asked of them (`Own`). */
export type ShadowForm = 'inlined' | 'materialized'

const OWN = 'SELECT UserId FROM main.svc_user_companies WHERE CompanyId = @CurrentCompanyId'

/** The tables that SQL may name, with their tenant columns: those of a model, or of a deploy. */
export interface ScopedTables {
  /** Entities by lower-case table name. */
  entityByTable: ReadonlyMap<string, Pick<Entity, 'table' | 'company'>>
}

/** Conditions that hold published engine tables to the company; `svc_zone` is of no company. */
const PUBLISHED_CONDITIONS: Readonly<
  Record<Exclude<keyof typeof PUBLISHED_TABLES, typeof ZONE_TABLE>, string>
> = {
  svc_users: `Id IN (${OWN})`,
  svc_companies: 'Id = @CurrentCompanyId',
  svc_user_roles: `(CompanyId IS NULL OR CompanyId = @CurrentCompanyId) AND UserId IN (${OWN})`,
  svc_workflow_instances: 'CompanyId = @CurrentCompanyId',
  svc_workflow_history:
    'InstanceId IN (SELECT Id FROM main.svc_workflow_instances ' +
    'WHERE CompanyId = @CurrentCompanyId)',
  svc_workflow_tasks: 'CompanyId = @CurrentCompanyId',
  svc_workflow_assignees: 'CompanyId = @CurrentCompanyId AND IsOpen = 1',
}

/**
 * The expressions for those of the tables that need one, in their order: those with a tenant column
 * and the published engine tables, whose other columns they also hide.
 *
 * @throws Error for a table that is neither the model's nor published: it could not be held
 */
export function planShadows(
  model: ScopedTables,
  tables: Iterable<string>,
  scope: ShadowScope,
  form: ShadowForm = 'inlined',
): string[] {
  return listNames(tables).flatMap((name) => planShadow(model, name, { scope, form }) ?? [])
}

/**
 * The expressions for a company that hold some tables to fewer of its rows: by lower-case name of
 * the table, a condition on them.
 *
 * @throws Error for a table that is neither the model's nor published: it could not be held
 */
export function planNarrowedShadows(
  model: ScopedTables,
  tables: Iterable<string>,
  conditions: ReadonlyMap<string, string>,
  form: ShadowForm,
): string[] {
  return listNames(tables).flatMap((name) => {
    const condition = conditions.get(name)
    return planShadow(model, name, { scope: 'company', form, condition }) ?? []
  })
}

const listNames = (tables: Iterable<string>): string[] => [
  ...new Set([...tables].map((table) => table.toLowerCase())),
]

function planShadow(
  model: ScopedTables,
  name: string,
  held: { scope: ShadowScope; form: ShadowForm; condition?: string | undefined },
): string | undefined {
  const as = held.form === 'materialized' ? 'AS MATERIALIZED' : 'AS'
  if (name === ZONE_TABLE) return ZONE_SHADOW
  if (isPublished(name)) {
    const rows = planPublished(name, held.scope)
    const further = held.condition === undefined ? '' : ` WHERE ${held.condition}`
    return `${name} ${as} (${further === '' ? rows : `SELECT * FROM (${rows})${further}`})`
  }
  const entity = model.entityByTable.get(name)
  if (!entity) throw new Error(`The table ${name} cannot be held to a company`)
  const isCompany = entity.company !== undefined && held.scope === 'company'
  const conditions = [
    ...(isCompany ? [`${quoteIfNeeded(entity.company ?? '')} = @CurrentCompanyId`] : []),
    ...(held.condition === undefined ? [] : [held.condition]),
  ]
  if (conditions.length === 0) return undefined
  const table = quoteIfNeeded(entity.table)
  return `${table} ${as} (SELECT * FROM main.${table} WHERE ${conditions.join(' AND ')})`
}

/** `WITH a AS (…), b AS (…)⏎`, or '' without shadows. */
export const withShadows = (shadows: readonly string[]): string =>
  shadows.length === 0 ? '' : `WITH ${shadows.join(', ')}\n`

/**
 * An authored INSERT, UPDATE or DELETE behind its shadows, which hold what it reads, but never its
 * target: the store's triggers do.
 */
export const composeWrite = (sql: AuthoredSql, shadows: readonly string[]): string =>
  composeDml(withShadows(shadows), sql.text, sql.withAt)

/** A statement behind its shadows, and the same over own rows alone where there are others. */
export interface Shadowed {
  sql: string
  own: Own | undefined
}

/** Sets a statement behind the shadows of the tables that it reads. */
export function composeShadowed(
  model: ScopedTables,
  tables: Iterable<string>,
  scope: ShadowScope,
  compose: (head: string) => string,
): Shadowed {
  const names = [...tables]
  const shadows = planShadows(model, names, scope)
  const materialized = (): string =>
    compose(withShadows(planShadows(model, names, scope, 'materialized')))
  return { sql: compose(withShadows(shadows)), own: shadows.length > 0 ? materialized : undefined }
}

/** An authored statement that writes, held to the company in all that it reads and meets. */
export function composeShadowedWrite(
  model: ScopedTables,
  sql: AuthoredSql,
  scope: ShadowScope,
): Shadowed {
  const text = composeWrite(sql, planShadows(model, sql.reads, scope))
  if (scope === 'all') return { sql: text, own: undefined }
  const own = (): string => {
    const column = model.entityByTable.get(sql.writes[0]?.toLowerCase() ?? '')?.company
    const whole = composeWrite(sql, planShadows(model, sql.reads, scope, 'materialized'))
    if (column === undefined) return whole
    return narrowWrite(whole, { column: quote(column), parameter: '@CurrentCompanyId' })
  }
  return { sql: text, own }
}

type Published = keyof typeof PUBLISHED_CONDITIONS

const isPublished = (name: string): name is Published => Object.hasOwn(PUBLISHED_CONDITIONS, name)

function planPublished(name: Published, scope: ShadowScope): string {
  const columns = PUBLISHED_TABLES[name].join(', ')
  const condition = scope === 'all' ? '' : ` WHERE ${PUBLISHED_CONDITIONS[name]}`
  return `SELECT ${columns} FROM main.${name}${condition}`
}

/** Words that SQLite does not take as a name unquoted. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `add all alter and as autoincrement between case check collate commit constraint create default
  deferrable delete distinct drop else escape except exists foreign from group having in index
  insert intersect into is isnull join limit not nothing notnull null on or order primary
  references returning select set table then to transaction union unique update using values
  when where cross full inner left natural outer right if like glob match regexp replace with
  without window over filter current end begin by desc asc row rows view trigger temp temporary
  virtual cast raise recursive current_date current_time current_timestamp true false`.split(/\s+/),
)

const quoteIfNeeded = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name.toLowerCase()) ? name : quote(name)
