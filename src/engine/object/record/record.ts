/**
 * A stored record inside a write transaction: found through the caller's rows, read as it is
 * stored.
 */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlRead, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import type { AuthoredCondition } from '../../../model/compiled/authored-sql.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import { Bindings } from '../bindings.ts'
import { missingRecord } from '../form/load-form.ts'
import type { Mutation } from '../mutation.ts'
import { projectRow, visibleFields } from '../read/projection.ts'
import { noteRows } from '../read/shown-records.ts'
import { bindNames, composeOnce, findSource, type Purpose } from '../read/source.ts'
import { composeHolds } from './reached-rows.ts'
import { findRow } from './stored-rows.ts'
import { parseKey } from '../value.ts'
import type { RecordAccess, ViewAccess, ViewUse } from '../view-access.ts'

/** The key of the record that a mutation is about. */
export interface RecordKey {
  /** Values by key field, in order. */
  values: readonly { field: Field; column: Column; value: SqlValue }[]
}

/** @throws invalid for a view that has no records of its own to change. */
export function requireEntity(view: View): Entity {
  if (!view.entity || view.entity.builtIn || view.keys.length === 0) {
    throw invalid(say`'${view.name}' is read-only`, { code: 'READ_ONLY' })
  }
  return view.entity
}

/** The records of a view in the transaction of a mutation. @throws invalid as `requireEntity`. */
export const openRecords = (
  reader: Tx,
  { context }: Mutation,
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
): RecordAccess => ({ reader, view, grant, context, entity: requireEntity(view) })

/** 400: the record's Permit does not hold now. */
export const notPermittedNow = () =>
  invalid(say`This is not possible in the current state of the record`, {
    code: 'NOT_PERMITTED_NOW',
  })

/**
 * Key values of a request, typed; undefined when one is missing. @throws invalid naming the key.
 */
export function readKey(
  { view, entity }: Pick<RecordAccess, 'view' | 'entity'>,
  parameters: ReadonlyMap<string, unknown>,
): RecordKey | undefined {
  const values: RecordKey['values'][number][] = []
  for (const field of view.keys) {
    const given = parameters.get(field.name.toLowerCase())
    if (given === undefined || given === null || given === '') return undefined
    const parsed = parseKey(field, given)
    if (parsed.fault !== undefined) throw invalid(say`Parameter '${field.name}': ${parsed.fault}`)
    const column = field.column ?? entity.columnByName.get(field.name.toLowerCase())
    if (!column) throw invalid(say`'${view.name}' has no key, so its records cannot be changed`)
    values.push({ field, column, value: parsed.value })
  }
  return values.length > 0 ? { values } : undefined
}

/** The key in a request that must name its record. @throws invalid. */
export function requireKey(
  access: Pick<RecordAccess, 'view' | 'entity'>,
  parameters: ReadonlyMap<string, unknown>,
): RecordKey {
  const { view } = access
  const key = readKey(access, parameters)
  if (key) return key
  throw invalid(say`Parameters must contain the key: ${view.keys.map((k) => k.name).join(', ')}`)
}

/** The key of a record by its values in the order of the entity's keys. */
export function toRecordKey(
  { view, entity }: Pick<RecordAccess, 'view' | 'entity'>,
  values: readonly SqlValue[],
): RecordKey {
  return {
    values: view.keys.flatMap((field) => {
      const at = entity.keys.findIndex((each) => each === field.column)
      const column = entity.keys[at]
      return column ? [{ field, column, value: values[at] ?? null }] : []
    }),
  }
}

/** The values of a key, in the order of the entity's keys. */
export const keyValues = ({ keys }: Entity, { values }: RecordKey): SqlValue[] =>
  keys.map((column) => values.find((each) => each.column === column)?.value ?? null)

/** `"Id" = @k1 AND …` over the entity's columns, with its arguments. */
export function keyCondition(key: RecordKey): { sql: string; args: Record<string, SqlValue> } {
  const args: Record<string, SqlValue> = {}
  const parts = key.values.map(({ column, value }, at) => {
    args[`k${at}`] = value
    return `${quote(column.name)} = @k${at}`
  })
  return { sql: parts.join(' AND '), args }
}

/** The stored row by entity column; undefined when there is none in the caller's company. */
export async function findStored(
  access: RecordAccess<Reader>,
  key: RecordKey,
): Promise<SqlRow | undefined> {
  const { reader, entity, grant } = access
  const row = await findRow(reader, entity, keyValues(entity, key))
  if (!row || !entity.company || grant.allCompanies) return row
  return row[entity.company] === grant.caller.companyId ? row : undefined
}

/**
 * The stored row of a record that the caller's rows hold, and whether a permit or other condition
 * holds for it. @throws notFound for a row that is not there or that a row filter hides.
 */
export async function requireStored(
  access: RecordAccess<Reader>,
  key: RecordKey,
  purpose: Purpose,
  condition?: AuthoredCondition,
): Promise<{ row: SqlRow; isPermitted: boolean }> {
  const row = await findStored(access, key)
  if (!row) throw missingRecord()
  const source = findSource(access.view, access.grant, purpose)
  if (access.view.isGenerated && source.filter === '' && !condition) {
    return { row, isPermitted: true }
  }
  const permit = condition ? composeHolds(condition) : '1'
  const select = [`permitted ${permit}`, () => `(${permit}) AS permitted`] as const
  const found = await access.reader.get(planByKey(access, key, purpose, select))
  if (!found) throw missingRecord()
  return { row, isPermitted: found.permitted === 1 }
}

/**
 * Values of a record as the caller sees it after the change; undefined when it has left the
 * caller's View and List rows.
 */
export async function loadSaved(
  access: RecordAccess<Reader>,
  key: RecordKey,
  purpose: Purpose,
): Promise<Record<string, unknown> | undefined> {
  const { view, grant, reader } = access
  const content = (): string =>
    `${projectRow(view, visibleFields(view, grant, 'Form'), grant)} AS content`
  const found = await reader.get(planByKey(access, key, purpose, ['content', content]))
  if (!found) return undefined
  const text = String(found.content)
  // Who creates a record has given it.
  if (purpose !== 'created') noteRows(view, grant.model, text)
  return JSON.parse(text) as Record<string, unknown>
}

/** The output columns of one row, for texts and for the statements of actions. */
export async function loadRow(access: ViewAccess, key: RecordKey): Promise<SqlRow | undefined> {
  const columns = (): string =>
    access.view.query.columns.map((column) => quote(column.name)).join(', ')
  return access.reader.get(planByKey(access, key, 'all', ['columns', columns]))
}

/** A record as a view names it, which need not be an entity's. */
export interface ViewKey {
  readonly values: readonly { field: Field; value: SqlValue }[]
}

/** The key of a record by its values. @throws invalid for a view without keys, and a false value */
export function requireViewKey(view: View, parameters: ReadonlyMap<string, unknown>): ViewKey {
  const values = view.keys.map((field) => {
    const given = parameters.get(field.name.toLowerCase()) ?? null
    const parsed = parseKey(field, given)
    if (parsed.fault !== undefined) throw invalid(say`Parameter '${field.name}': ${parsed.fault}`)
    return { field, value: parsed.value }
  })
  if (values.length > 0 && values.every(({ value }) => value !== null)) return { values }
  throw invalid(say`Parameters must contain the key: ${view.keys.map((k) => k.name).join(', ')}`)
}

/** Tells whether the rows that a caller reads hold the record. */
export async function isReadable(reader: Reader, use: ViewUse, key: ViewKey): Promise<boolean> {
  const found = await reader.get(planByKey(use, key, 'read', ['readable', () => '1 AS readable']))
  return found !== undefined
}

/** A statement over the view's row of a key; the kind sets its text apart. */
export function planByKey(
  { view, grant, context }: ViewUse,
  key: ViewKey,
  purpose: Purpose,
  [kind, select]: readonly [kind: string, select: () => string],
): SqlRead {
  const source = findSource(view, grant, purpose)
  const bindings = new Bindings()
  const parameters = new Map(
    key.values.map(({ field, value }) => [field.name.toLowerCase(), value] as const),
  )
  bindNames(source.names, bindings, context, { view, parameters })
  const keys = key.values.map(({ field, value }) => `${quote(field.name)} = ${bindings.add(value)}`)
  const sql = composeOnce(
    source,
    `record ${kind}`,
    (form) => `${form.with}SELECT ${select()} FROM ${form.from} ${form.where([], keys)} LIMIT 1`,
  )
  return { ...sql, args: bindings.args(), runs: source.runs, of: source.of }
}
