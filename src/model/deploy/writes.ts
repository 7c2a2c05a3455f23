/** Writes of a deploy beside reference rows: fills by query, then migrations. */
import { yieldNow } from '../../kernel/yielder.ts'
import { listAssigned } from '../../store/gate/assigned.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { AuthoredSql } from '../compiled/authored-sql.ts'
import type { Entity } from '../compiled/entity.ts'
import { toComputed } from '../computed-value.ts'
import { contextOf, loadZones, toArgument } from './compute-fill.ts'
import { auditMigration } from './rows-audit.ts'
import type { CompiledFill, CompiledMigration, DeploySql } from './sql.ts'
import { composeRoundedSql } from '../fields/decimal.ts'
import { FieldFault } from '../fields/field-kind.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { rowsOf } from '../migrate/probe.ts'
import type { SchemaMatch } from '../migrate/schema-match.ts'
import type { Model } from '../model.ts'
import type { Place } from '../parse/element.ts'
import { askMany } from '../sql/ask-many.ts'
import { quote } from '../sql/quote.ts'
import { composeWrite, planShadows } from '../sql/shadow.ts'

/** A failed statement of a deploy, refused by the stored rows; all of it is rolled back. */
export class DeploySqlError extends Error {
  override readonly name = 'DeploySqlError'
  readonly place: Place

  constructor(place: Place, message: string, cause?: unknown) {
    super(message, { cause })
    this.place = place
  }
}

interface WriteScope {
  tx: Tx
  sql: DeploySql
  model: Model
  now: Date
}

/** Asks each fill for the stored rows that have no value yet, and writes what it gives. */
export async function runFills({ tx, sql, now }: WriteScope): Promise<void> {
  const zones = sql.fills.length > 0 ? await loadZones(tx) : new Map<number, string>()
  for (const fill of sql.fills) {
    let last = BEFORE_ALL
    for (;;) {
      const page = await loadPage(tx, fill, last)
      await fillPage(fill, page, { tx, scope: sql.scope, zones, now })
      await yieldNow()
      if (page.length < PAGE) break
      last = Number(page.at(-1)?.[ROW])
    }
  }
}

const PAGE = 512

/** Keys that are numbers are row numbers, and may be negative. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER - 1

/** The row's number; names of the model hold no dot. */
const ROW = '.row'

function loadPage(tx: Tx, { table, match }: CompiledFill, last: number): Promise<SqlRow[]> {
  const { wanted } = table
  return tx.all(
    `SELECT rowid AS ${quote(ROW)}, * FROM main.${quote(wanted.table)}
     WHERE ${quote(match.wanted.name)} IS NULL AND rowid > @last ORDER BY rowid LIMIT ${PAGE}`,
    { last },
  )
}

async function fillPage(
  fill: CompiledFill,
  page: readonly SqlRow[],
  at: Pick<WriteScope, 'tx' | 'now'> & {
    scope: DeploySql['scope']
    zones: ReadonlyMap<number, string>
  },
): Promise<void> {
  const { tx, scope, zones, now } = at
  const { table, match, authored } = fill
  const of = `${table.entity.name}.${match.column.name}`
  const cellOf = planCells(fill)
  const values = await ask(fill, () =>
    askMany(authored, page.length, {
      tx,
      model: scope,
      scope: fill.scope,
      of,
      valueOf: (name, index) => {
        const row = page[index] ?? {}
        const company = table.entity.company === undefined ? null : row[table.entity.company]
        const known = contextOf({ company: company ?? null, zones, now })[name]
        return known ? known() : cellOf(name, row)
      },
    }),
  )
  const set = `UPDATE main.${quote(table.wanted.table)} SET ${quote(match.wanted.name)} = @value`
  for (const [index, row] of page.entries()) {
    const value = toComputed(match.column, values[index] ?? null)
    if (value instanceof FieldFault)
      throw new DeploySqlError(fill.place, `The Fill of ${of}: ${value.message}`)
    if (value !== null) await tx.run(`${set} WHERE rowid = @row`, { value, row: Number(row[ROW]) })
  }
}

/** A row's cell by a name of the stored row, or by one of the new row that it has not borne. */
function planCells({ table }: CompiledFill): (name: string, row: SqlRow) => SqlArg {
  const cells = new Map<string, (row: SqlRow) => SqlArg>()
  const add = (name: string, column: { name: string; type: Entity['columns'][number]['type'] }) =>
    cells.set(name.toLowerCase(), (row) => toArgument(column, row[column.name] ?? null))
  for (const { wanted } of table.columns) add(wanted.name, wanted)
  for (const column of table.removed) add(column.name, column)
  for (const { stored, wanted } of table.columns) if (stored) add(stored.name, wanted)
  return (name, row) => cells.get(name.toLowerCase())?.(row) ?? null
}

async function ask(fill: CompiledFill, work: () => Promise<SqlValue[]>): Promise<SqlValue[]> {
  try {
    return await work()
  } catch (error) {
    throw new DeploySqlError(fill.place, `Fill: ${messageOf(error)}`, error)
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/**
 * Runs the migrations over all companies, one after another. Rounding, stamps and files follow, as
 * they do without an author's action. Each leaves an entry in the audit log for every audited
 * entity that it wrote. Resolves to the statements that changed rows.
 */
export async function runMigrations(scope: WriteScope): Promise<ChangedByMigration[]> {
  const changed: ChangedByMigration[] = []
  for (const migration of scope.sql.migrations) {
    for (const statement of migration.statements) {
      const count = await runStatement(scope, migration, statement)
      if (count > 0) changed.push({ migration: migration.name, statement, count })
    }
    for (const entity of listWritten([migration], scope.model)) {
      await followWrites(scope.tx, entity)
      if (entity.audit)
        await auditMigration(scope.tx, entity, scope.now, { Migration: [null, migration.name] })
    }
    await yieldNow()
  }
  return changed
}

/** A statement of a migration that changed rows. */
interface ChangedByMigration {
  migration: string
  statement: AuthoredSql
  count: number
}

/**
 * Describes the changed rows that going back does not change back: those of tables that were there
 * before, but for an UPDATE of columns that the deploy added. Pure.
 */
export function describeChanged(
  changed: readonly ChangedByMigration[],
  { tables }: SchemaMatch,
): string[] {
  return changed.flatMap(({ migration, statement, count }) => {
    const name = statement.writes[0]?.toLowerCase()
    const table = tables.find(({ wanted }) => wanted.table.toLowerCase() === name)
    if (table && table.stored === undefined) return []
    const added = table?.columns.filter(({ stored }) => stored === undefined) ?? []
    const names = new Set(added.map(({ wanted }) => wanted.name.toLowerCase()))
    if (listAssigned(statement.text)?.every((column) => names.has(column))) return []
    return [`Migration ${migration}: it changed ${rowsOf(count)} of table ${statement.writes[0]}`]
  })
}

async function runStatement(
  { tx, sql, now }: WriteScope,
  { name }: CompiledMigration,
  statement: AuthoredSql,
): Promise<number> {
  const known = contextOf({ company: null, zones: new Map(), now })
  const args: Record<string, SqlArg> = {}
  for (const parameter of statement.parameters) args[parameter] = known[parameter]?.() ?? null
  const shadows = planShadows(sql.scope, statement.reads, 'all')
  try {
    const { changes } = await tx.authored(composeWrite(statement, shadows), args, name)
    return changes
  } catch (error) {
    throw new DeploySqlError(statement.place, `Migration ${name}: ${messageOf(error)}`, error)
  }
}

/** The entities of the new model whose tables migrations write. */
export function listWritten(migrations: readonly CompiledMigration[], model: Model): Entity[] {
  const tables = new Set(
    migrations.flatMap(({ statements }) => statements.flatMap(({ writes }) => writes)),
  )
  return [...tables].flatMap((table) => model.entityByTable.get(table.toLowerCase()) ?? [])
}

/** Decimals have their Scale, stamps move before an open form overwrites it, files go with rows. */
async function followWrites(tx: Tx, entity: Entity): Promise<void> {
  const table = `main.${quote(entity.table)}`
  for (const column of entity.columns) {
    const name = quote(column.name)
    if (column.kind === 'stamp') await tx.run(`UPDATE ${table} SET ${name} = ${name} + 1`)
    if (FIELD_KINDS[column.type].number !== 'scaled' || !isDeclared(entity, column.name)) continue
    const rounded = composeRoundedSql(name, column.scale ?? 0)
    await tx.run(`UPDATE ${table} SET ${name} = ${rounded} WHERE ${name} IS NOT ${rounded}`)
  }
  if (!entity.columns.some(({ type }) => FIELD_KINDS[type].structure === 'files')) return
  const key = entity.keys
    .map(({ name }, at) => `r.${quote(name)} = json_extract(svc_files.RecordKey, '$[${at}]')`)
    .join(' AND ')
  await tx.run(
    `DELETE FROM svc_files WHERE Entity = @entity
     AND NOT EXISTS (SELECT 1 FROM ${table} AS r WHERE ${key})`,
    { entity: entity.name },
  )
}

const isDeclared = (entity: Entity, name: string): boolean =>
  entity.columnByName.get(name.toLowerCase())?.kind === 'declared'
