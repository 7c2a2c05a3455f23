/**
 * The settle pass: what follows from every change, by whatever path it came. It reads the touched
 * log at the end of each write transaction, so nothing that writes can forget a stamp, a rule or an
 * audit record.
 */
import { validation, type FieldErrors } from '../../kernel/failure.ts'
import { roundDecimal, DECIMAL_SCALE_DEFAULT } from '../../model/fields/decimal.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Entity } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import type { SqlRow, SqlValue } from '../../store/sql.ts'
import type { Settle, TouchedRow, Tx } from '../../store/store.ts'
import { writeAudit } from './audit.ts'
import { STAMP } from './conflict.ts'
import type { Context } from './context.ts'
import { checkRules } from './entity-rules.ts'
import { findOrigin, type Origin } from './mutation.ts'
import { Pace } from './pace.ts'
import type { SettledRow } from './settled-row.ts'
import { findFirstStamp, writeStamp } from './stamps.ts'

/**
 * The pass for `store.useSettle`. What a caller caused ends after `timeoutMs`, as the statements
 * that caused it do; either way others have their turn in between.
 */
export function planSettle(models: CurrentModel, now: () => Date, timeoutMs?: number): Settle {
  return async (tx) => {
    const touched = await tx.takeTouched()
    if (touched.length === 0) return
    const model = models.get()
    const origin = findOrigin(tx) ?? engineOrigin({ caller: undefined, now: now(), model })
    const pace = new Pace(origin.context.caller ? timeoutMs : undefined)
    const rows = await tx.silently(() => settleRows(tx, touched, origin.context, pace))
    await requireEntityRules(tx, rows, origin.context, pace)
    for (const row of rows) {
      await writeTraces(tx, row, origin)
      await pace.step()
    }
  }
}

async function settleRows(
  tx: Tx,
  touched: readonly TouchedRow[],
  context: Context,
  pace: Pace,
): Promise<SettledRow[]> {
  const rows: SettledRow[] = []
  for (const row of touched) {
    const entity = context.model.entities.get(row.entity)
    if (entity) rows.push(await settleRow(tx, entity, row, context))
    await pace.step()
  }
  return rows
}

function engineOrigin(context: Context): Origin {
  return { context, source: 'engine', traceId: undefined }
}

/** Reads the row as it is now and corrects what the engine keeps: decimals, stamp, tracking. */
async function settleRow(
  tx: Tx,
  entity: Entity,
  touched: TouchedRow,
  context: Context,
): Promise<SettledRow> {
  if (touched.what === 'delete') return { entity, touched, after: undefined, changed: [] }
  const where = entity.keys.map((column, at) => `${quote(column.name)} = @k${at}`).join(' AND ')
  const args: Record<string, SqlValue> = {}
  touched.key.forEach((value, at) => (args[`k${at}`] = value))
  const table = `main.${quote(entity.table)}`
  const columns = entity.columns.map((column) => quote(column.name)).join(', ')
  const after = await tx.get(`SELECT ${columns} FROM ${table} WHERE ${where}`, args)
  if (!after) return { entity, touched, after, changed: [] }
  const corrections = planCorrections(entity, touched, after, context)
  if (entity.concurrency && !touched.before) {
    const first = await findFirstStamp(tx, { entity, key: touched.key, now: context.now })
    if (Number(after[STAMP]) < first) corrections.set(STAMP, first)
  }
  if (corrections.size > 0) {
    const sets = [...corrections.keys()].map((name, at) => `${quote(name)} = @c${at}`)
    ;[...corrections.values()].forEach((value, at) => (args[`c${at}`] = value))
    const sql = `UPDATE ${table} SET ${sets.join(', ')} WHERE ${where}`
    await tx.run(sql, args)
    for (const [name, value] of corrections) after[name] = value
  }
  return { entity, touched, after, changed: changedColumns(entity, touched.before, after) }
}

/** What the engine sets by itself after a change. */
export function planCorrections(
  entity: Entity,
  touched: TouchedRow,
  after: SqlRow,
  context: Context,
): Map<string, SqlValue> {
  const corrections = new Map<string, SqlValue>()
  for (const column of entity.columns) {
    const value = after[column.name]
    if (column.type !== 'Decimal' || typeof value !== 'number') continue
    const rounded = Number(roundDecimal(String(value), column.scale ?? DECIMAL_SCALE_DEFAULT))
    if (Number.isFinite(rounded) && rounded !== value) corrections.set(column.name, rounded)
  }
  const { before } = touched
  if (entity.concurrency && before && Number(after[STAMP]) <= Number(before[STAMP])) {
    corrections.set(STAMP, Number(before[STAMP]) + 1)
  }
  if (entity.tracking) {
    const at = context.now.toISOString()
    const by = context.caller?.userId ?? null
    corrections.set('ChangedAt', at)
    corrections.set('ChangedBy', by)
    corrections.set('CreatedAt', before ? (before.CreatedAt ?? null) : at)
    corrections.set('CreatedBy', before ? (before.CreatedBy ?? null) : by)
  }
  return corrections
}

function changedColumns(entity: Entity, before: SqlRow | undefined, after: SqlRow): string[] {
  return entity.columns
    .filter((column) => column.kind === 'declared')
    .filter((column) => (before?.[column.name] ?? null) !== (after[column.name] ?? null))
    .map((column) => column.name)
}

/** @throws validation with the first message a field of every rule that does not hold. */
async function requireEntityRules(
  tx: Tx,
  rows: readonly SettledRow[],
  context: Context,
  pace: Pace,
): Promise<void> {
  const faults: FieldErrors = {}
  for (const row of rows) {
    if (!row.after || row.entity.validates.length === 0) continue
    const broken = await checkRules(tx, row.entity.validates, {
      entity: row.entity,
      row: row.after,
      context,
      isNew: row.touched.what === 'insert',
    })
    for (const [field, message] of Object.entries(broken)) faults[field] ??= message
    await pace.step()
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
}

async function writeTraces(tx: Tx, row: SettledRow, origin: Origin): Promise<void> {
  await writeStamp(tx, row, origin)
  if (row.entity.audit) await writeAudit(tx, row, origin)
}
