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
import type { SettledRow } from './settled-row.ts'

/** The pass for `store.useSettle`. */
export function planSettle(models: CurrentModel, now: () => Date): Settle {
  return async (tx) => {
    const touched = await tx.takeTouched()
    if (touched.length === 0) return
    const model = models.get()
    const origin = findOrigin(tx) ?? engineOrigin({ caller: undefined, now: now(), model })
    const rows: SettledRow[] = []
    for (const row of touched) {
      const entity = model.entities.get(row.entity)
      if (entity) rows.push(await settleRow(tx, entity, row, origin.context))
    }
    await requireEntityRules(tx, rows, origin.context)
    for (const row of rows) await writeTraces(tx, row, origin)
  }
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
  if (corrections.size > 0) {
    const sets = [...corrections.keys()].map((name, at) => `${quote(name)} = @c${at}`)
    ;[...corrections.values()].forEach((value, at) => (args[`c${at}`] = value))
    const sql = `UPDATE ${table} SET ${sets.join(', ')} WHERE ${where}`
    await tx.silently(() => tx.run(sql, args))
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
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
}

/** Stamps kept of a record: how far back a 409 can tell what moved. */
const STAMPS_KEPT = 50

async function writeTraces(tx: Tx, row: SettledRow, origin: Origin): Promise<void> {
  const { entity, touched, after, changed } = row
  const entry = { entity: entity.name, key: JSON.stringify(touched.key) }
  if (entity.concurrency && touched.what === 'delete') {
    await tx.run('DELETE FROM svc_stamps WHERE Entity = @entity AND RecordKey = @key', entry)
  } else if (entity.concurrency && touched.what === 'update' && after) {
    await tx.run(
      `INSERT OR IGNORE INTO svc_stamps (Entity, RecordKey, Stamp, Fields, UserId, At)
       VALUES (@entity, @key, @stamp, @fields, @user, @at)`,
      {
        ...entry,
        stamp: after[STAMP] ?? null,
        fields: JSON.stringify(changed),
        user: origin.context.caller?.userId ?? null,
        at: origin.context.now.toISOString(),
      },
    )
    await tx.run(
      'DELETE FROM svc_stamps WHERE Entity = @entity AND RecordKey = @key AND Stamp < @oldest',
      { ...entry, oldest: Number(after[STAMP]) - STAMPS_KEPT },
    )
  }
  if (entity.audit) await writeAudit(tx, row, origin)
}
