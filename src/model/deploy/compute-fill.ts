/**
 * Fills computed columns of stored records at a deploy: new or changed columns, columns over rows
 * that the deploy wrote or rebuilt, and columns computed from these. As with a `Fill`, no stamp
 * moves and nothing is audited.
 */
import { createHash } from 'node:crypto'
import { yieldNow } from '../../kernel/yielder.ts'
import { composeSpans } from '../../kernel/zone-spans.ts'
import { dayIn, firstZone, utcOffsetMinutes } from '../../kernel/zones.ts'
import { ZONE_PARAMETER } from '../../store/read/zone-table.ts'
import { type SqlArg, SqlReal, type SqlRow, type SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { isComputedFrom } from '../compile/compute.ts'
import type { Column, ComputedColumn, Entity } from '../compiled/entity.ts'
import { toComputed } from '../computed-value.ts'
import { FieldFault } from '../fields/field-kind.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Model } from '../model.ts'
import type { Place } from '../parse/element.ts'
import { askMany } from '../sql/ask-many.ts'
import { quote } from '../sql/quote.ts'

/** Name of the fact that keeps what the computed columns were last filled by. */
export const COMPUTES_FACT = 'computes'

/** A stored record whose computed value its column does not take; nothing of the deploy stays. */
export class ComputeError extends Error {
  override readonly name = 'ComputeError'
  readonly place: Place

  constructor({ entity, column }: ComputedColumn, fault: FieldFault) {
    super(`The computed ${entity.name}.${column.name} of a stored record: ${fault.message}`)
    this.place = column.place
  }
}

/** Changes of the data by a deploy that computed columns may depend on. */
interface FillCause {
  /** The fact as it was. */
  fact: string | undefined
  /** Names of entities whose rows the deploy wrote or rebuilt. */
  written: ReadonlySet<string>
}

/** The fact to keep: each computed column with a hash of what it is computed by. */
export function planComputesFact({ computes }: Pick<Model, 'computes'>): string {
  return JSON.stringify(computes.map((node) => [nameOf(node), hashOf(node)]))
}

const nameOf = ({ entity, column }: ComputedColumn): string => `${entity.name}.${column.name}`

function hashOf({ entity, column, compute }: ComputedColumn): string {
  const parts = [entity.table, column.type, column.scale, compute.sql.text, ...compute.from]
  return createHash('md5').update(JSON.stringify(parts)).digest('hex')
}

/** The columns to fill, in their order. */
export function planFills(
  { computes }: Pick<Model, 'computes'>,
  { fact, written }: FillCause,
): ComputedColumn[] {
  const known = new Map<string, string>(fact === undefined ? [] : JSON.parse(fact))
  const filled: ComputedColumn[] = []
  for (const node of computes) {
    const isCaused =
      known.get(nameOf(node)) !== hashOf(node) ||
      [node.entity.name, ...node.compute.from].some((name) => written.has(name)) ||
      filled.some((other) => isComputedFrom(node, other))
    if (isCaused) filled.push(node)
  }
  return filled
}

/** The transaction, model and instant that columns are filled with. */
interface FillScope {
  tx: Tx
  model: Model
  now: Date
  /** Only this company's records, of entities that are held to one. */
  company?: number
}

/** Fills columns for every stored record, or one company's. Throws a ComputeError. */
export async function fillComputes(
  scope: FillScope,
  nodes: readonly ComputedColumn[],
): Promise<void> {
  if (nodes.length === 0) return
  const zones = await loadZones(scope.tx)
  for (const node of nodes) {
    let last: SqlRow | undefined
    do {
      const page = await loadPage(scope, node.entity, last)
      await fillPage(scope, node, page, zones)
      last = page.length === PAGE ? page.at(-1) : undefined
      await yieldNow()
    } while (last)
  }
}

const PAGE = 512

function loadPage(
  { tx, company }: FillScope,
  entity: Entity,
  last: SqlRow | undefined,
): Promise<SqlRow[]> {
  const keys = entity.keys.map(({ name }) => quote(name)).join(', ')
  const columns = entity.columns.map(({ name }) => quote(name)).join(', ')
  const args: Record<string, SqlValue> = {}
  entity.keys.forEach(({ name }, at) => (args[`k${at}`] = last?.[name] ?? null))
  const marks = entity.keys.map((_, at) => `@k${at}`).join(', ')
  const terms = last ? [`(${keys}) > (${marks})`] : []
  if (company !== undefined && entity.company !== undefined) {
    terms.push(`${quote(entity.company)} = @company`)
    args['company'] = company
  }
  const where = terms.length > 0 ? `WHERE ${terms.join(' AND ')} ` : ''
  const from = `FROM main.${quote(entity.table)}`
  return tx.all(`SELECT ${columns} ${from} ${where}ORDER BY ${keys} LIMIT ${PAGE}`, args)
}

async function fillPage(
  { tx, model, now }: FillScope,
  node: ComputedColumn,
  page: readonly SqlRow[],
  zones: ReadonlyMap<number, string>,
): Promise<void> {
  const { entity, column, compute } = node
  const values = await askMany(compute.sql, page.length, {
    tx,
    model,
    of: `${entity.name}.${column.name}`,
    valueOf: (name, at) => valueOf(name, { entity, row: page[at] ?? {}, zones, now }),
  })
  const where = entity.keys.map(({ name }, at) => `${quote(name)} = @k${at}`).join(' AND ')
  const table = `main.${quote(entity.table)}`
  for (const [at, row] of page.entries()) {
    const value = toComputed(column, values[at] ?? null)
    if (value instanceof FieldFault) throw new ComputeError(node, value)
    if (value === (row[column.name] ?? null)) continue
    const args: Record<string, SqlValue> = { value }
    entity.keys.forEach(({ name }, index) => (args[`k${index}`] = row[name] ?? null))
    await tx.run(`UPDATE ${table} SET ${quote(column.name)} = @value WHERE ${where}`, args)
  }
}

interface FilledRecord {
  entity: Entity
  row: SqlRow
  zones: ReadonlyMap<number, string>
  now: Date
}

/** Returns a context value: NULL for those of a caller, company days, as a deploy has no caller. */
function valueOf(name: string, { entity, row, zones, now }: FilledRecord): SqlArg {
  const company = entity.company === undefined ? null : (row[entity.company] ?? null)
  const known = contextOf({ company, zones, now })[name]
  if (known) return known()
  const column = entity.columnByName.get(name.toLowerCase())
  return column ? toArgument(column, row[column.name] ?? null) : null
}

/** The instant and the company of a deploy's query. */
interface DeployContext {
  company: SqlValue
  /** Time zones by company. */
  zones: ReadonlyMap<number, string>
  now: Date
}

/** The context parameters that have a value without a caller. */
export function contextOf({ company, zones, now }: DeployContext): Record<string, () => SqlValue> {
  const zone = zones.get(Number(company)) ?? 'UTC'
  return {
    CurrentCompanyId: () => company,
    CurrentRoles: () => '[]',
    Now: () => now.toISOString(),
    FormLoadTime: () => now.toISOString(),
    Today: () => dayIn(now, zone),
    MonthStart: () => `${dayIn(now, zone).slice(0, 7)}-01`,
    YearStart: () => `${dayIn(now, zone).slice(0, 4)}-01-01`,
    TimeZone: () => zone,
    UtcOffsetMinutes: () => utcOffsetMinutes(now, zone),
    [ZONE_PARAMETER]: () => composeSpans(zone),
  }
}

/** A cell as a query binds it: a Decimal stays a number with a point. */
export const toArgument = ({ type }: Pick<Column, 'type'>, value: SqlValue): SqlArg =>
  FIELD_KINDS[type].sqlType === 'REAL' && typeof value === 'number' ? new SqlReal(value) : value

/** The zone of each company. */
export async function loadZones(tx: Tx): Promise<Map<number, string>> {
  const rows = await tx.all('SELECT Id, TimeZone FROM svc_companies')
  return new Map(rows.map((row) => [Number(row.Id), firstZone(String(row.TimeZone))]))
}
