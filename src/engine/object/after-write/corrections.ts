/** What the engine keeps of a record by itself: decimals, stamp and tracking. */
import { roundDecimal, DECIMAL_SCALE_DEFAULT } from '../../../model/fields/decimal.ts'
import type { Entity, View } from '../../../model/model.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { LoggedChange, Tx } from '../../../store/store.ts'
import { STAMP } from '../rules/conflict.ts'
import { mapConstraint, ownerOf } from '../rules/constraint.ts'
import type { Context } from '../context.ts'
import type { WorkPace } from '../work-pace.ts'
import { keyText, listChanged, rowId, type WrittenRows } from '../record/written-row.ts'
import { findFirstStamp } from './stamps.ts'
import { inChunks, loadStored, updateStored } from '../record/stored-rows.ts'

/** Records that a round of the after-write pass is about. */
export interface Round {
  tx: Tx
  context: Context
  /** What was touched in this round. */
  rows: WrittenRows
  /** What earlier rounds of the same pass touched. */
  net: WrittenRows
  yielder: WorkPace
  /** Through which the change came, if it came through one. */
  view: View | undefined
}

/** Reads the touched records as they are now and corrects what the engine keeps. */
export async function loadTouched(
  round: Round,
  touched: readonly LoggedChange[],
): Promise<WrittenRows> {
  const { rows, context, yielder } = round
  for (const [name, list] of Map.groupBy(touched, (row) => row.entity)) {
    const entity = context.model.entities.get(name)
    if (!entity) continue
    for (const chunk of inChunks(list)) {
      const kept = chunk.filter((row) => row.what !== 'delete').map((row) => row.key)
      const stored = kept.length > 0 ? await loadStored(round.tx, entity, kept) : new Map()
      for (const row of chunk) {
        await addRow(round, entity, row, stored.get(keyText(row.key)))
        await yielder.yieldWhenDue()
      }
    }
  }
  return rows
}

async function addRow(
  round: Round,
  entity: Entity,
  touched: LoggedChange,
  after: SqlRow | undefined,
): Promise<void> {
  const { tx, context, rows, net } = round
  const id = rowId(entity, touched.key)
  if (!after) {
    rows.set(id, { entity, touched, after, changed: [] })
    return
  }
  const first = net.get(id)?.touched ?? touched
  const corrections = planCorrections(entity, first, after, context)
  for (const [name, value] of planRounding(entity, after)) corrections.set(name, value)
  if (entity.concurrency && !first.before) {
    const least = await findFirstStamp(tx, { entity, key: touched.key, now: context.now })
    if (Number(after[STAMP]) < least) corrections.set(STAMP, least)
  }
  if (corrections.size > 0) await correct(round, entity, touched.key, corrections)
  for (const [name, value] of corrections) after[name] = value
  const changed = listChanged(entity, touched.before, after)
  rows.set(id, { entity, touched, after, changed })
}

/** Changes cells of a record; a rule of the table that they break is told by the field. */
export function correct(
  { tx, context }: Pick<Round, 'tx' | 'context'>,
  entity: Entity,
  key: readonly SqlValue[],
  cells: ReadonlyMap<string, SqlValue>,
): Promise<void> {
  const scope = { view: ownerOf(entity), context }
  return mapConstraint(scope, () => updateStored(tx, entity, key, cells))
}

/** Decimals that have more places than their column. */
export function planRounding(entity: Entity, row: SqlRow): Map<string, SqlValue> {
  const rounded = new Map<string, SqlValue>()
  for (const column of entity.columns) {
    const value = row[column.name]
    if (column.type !== 'Decimal' || typeof value !== 'number') continue
    const number = Number(roundDecimal(String(value), column.scale ?? DECIMAL_SCALE_DEFAULT))
    if (Number.isFinite(number) && number !== value) rounded.set(column.name, number)
  }
  return rounded
}

/** Stamp and tracking as they must be after a change; `touched` is what the pass began with. */
export function planCorrections(
  entity: Entity,
  touched: Pick<LoggedChange, 'before'>,
  after: SqlRow,
  context: Context,
): Map<string, SqlValue> {
  const corrections = new Map<string, SqlValue>()
  const { before } = touched
  if (entity.concurrency && before && Number(after[STAMP]) <= Number(before[STAMP])) {
    corrections.set(STAMP, Number(before[STAMP]) + 1)
  }
  if (entity.tracking) {
    const at = context.now.toISOString()
    const by = context.caller?.userId ?? null
    const wanted = {
      ChangedAt: at,
      ChangedBy: by,
      CreatedAt: before ? (before.CreatedAt ?? null) : at,
      CreatedBy: before ? (before.CreatedBy ?? null) : by,
    }
    for (const [name, value] of Object.entries(wanted)) {
      if ((after[name] ?? null) !== value) corrections.set(name, value)
    }
  }
  return corrections
}
