/**
 * Corrections that the engine makes to a record by itself: decimals, texts, tracking, the stamp and
 * its history.
 */
import { composeText, normalizeText } from '../../../kernel/blanks.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { LoggedChange, Tx } from '../../../store/store.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import type { View } from '../../../model/compiled/view.ts'
import { DECIMAL_SCALE_DEFAULT, isAtScale, roundDecimal } from '../../../model/fields/decimal.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { MoveInstance } from './effects.ts'
import type { Context } from '../context.ts'
import type { ChangeSource } from '../mutation.ts'
import { inChunks, loadStored, updateStored } from '../record/stored-rows.ts'
import {
  keyText,
  listChanged,
  rowId,
  type WrittenRow,
  type WrittenRows,
} from '../record/written-row.ts'
import { STAMP } from '../rules/conflict.ts'
import { mapConstraint, ownerOf } from '../rules/constraint.ts'
import type { WorkPace } from '../work-pace.ts'

/** An after-write pass: who caused it, and what its rounds have come to so far. */
export interface Pass {
  tx: Tx
  origin: ChangeSource
  context: Context
  /** Through which the change came, if it came through one. */
  view: View | undefined
  net: WrittenRows
  yielder: WorkPace
  moveInstance: MoveInstance | undefined
}

/** A round of a pass, or all of them at its end, with the records that it is about. */
export interface Round extends Pass {
  rows: WrittenRows
}

/** Reads the touched records as they are now and corrects what the engine keeps. */
export async function loadTouched(round: Round, touched: readonly LoggedChange[]): Promise<void> {
  const { context, yielder } = round
  for (const [name, list] of Map.groupBy(touched, (row) => row.entity)) {
    const entity = context.model.entities.get(name)
    if (!entity) continue
    for (const chunk of inChunks(list)) {
      const unread = chunk.filter((row) => row.what !== 'delete' && !row.after)
      const keys = unread.map((row) => row.key)
      const stored = keys.length > 0 ? await loadStored(round.tx, entity, keys) : new Map()
      for (const row of chunk) {
        await addRow(round, entity, row, row.after ?? stored.get(keyText(row.key)))
        await yielder.yieldWhenDue()
      }
    }
  }
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
  const { history } = round.origin
  const keeps = history?.entity === entity ? history.keeps : undefined
  const corrections = planCorrections(entity, first, after, { context, keeps })
  for (const [name, value] of planRounding(entity, after)) corrections.set(name, value)
  planTexts(entity, touched.before, after, corrections)
  if (entity.concurrency && !first.before) {
    const least = await findFirstStamp(tx, { entity, key: touched.key, now: context.now })
    if (Number(after[STAMP]) < least) corrections.set(STAMP, least)
  }
  if (corrections.size > 0) await correct(round, entity, touched.key, corrections)
  for (const [name, value] of corrections) after[name] = value
  const changed = listChanged(entity, touched.before, after)
  rows.set(id, { entity, touched, after, changed })
}

/** Changes cells of a record; a rule of the table that they break is reported on the field. */
export function correct(
  { tx, context }: Pick<Round, 'tx' | 'context'>,
  entity: Entity,
  key: readonly SqlValue[],
  cells: ReadonlyMap<string, SqlValue>,
): Promise<void> {
  return mapConstraint({ view: ownerOf(entity), context }, () =>
    updateStored(tx, entity, key, cells),
  )
}

/** Decimals that have more places than their column. */
function planRounding(entity: Entity, row: SqlRow): Map<string, SqlValue> {
  const rounded = new Map<string, SqlValue>()
  for (const column of entity.columns) {
    const value = row[column.name]
    if (FIELD_KINDS[column.type].number !== 'scaled' || typeof value !== 'number') continue
    const scale = column.scale ?? DECIMAL_SCALE_DEFAULT
    if (isAtScale(value, scale)) continue
    const number = Number(roundDecimal(String(value), scale))
    if (Number.isFinite(number) && number !== value) rounded.set(column.name, number)
  }
  return rounded
}

const textsOf = new WeakMap<Entity, readonly Column[]>()

/** Texts of an entity; keys and references are what other records know the record by. */
const listTexts = (entity: Entity): readonly Column[] =>
  textsOf.getOrInsertComputed(entity, ({ columns }) =>
    columns.filter(
      ({ type, key, references, kind }) =>
        FIELD_KINDS[type].isText && !key && references === undefined && kind === 'declared',
    ),
  )

/** Adds texts that moved and are not composed, or have blanks at their ends: `" K2"` is `K2`. */
function planTexts(
  entity: Entity,
  before: SqlRow | undefined,
  after: SqlRow,
  corrections: Map<string, SqlValue>,
): void {
  for (const column of listTexts(entity)) {
    const value = after[column.name]
    if (typeof value !== 'string' || before?.[column.name] === value) continue
    const stored = column.keepsBlanks ? composeText(value) : normalizeText(value)
    if (stored === '') corrections.set(column.name, null)
    else if (stored !== value) corrections.set(column.name, stored)
  }
}

/** Plans the cells of who made and changed a record, and when; `before` is its former row. */
export function planTracking(context: Context, before: SqlRow | undefined): [string, SqlValue][] {
  const at = context.now.toISOString()
  const by = context.caller?.userId ?? null
  return [
    ['ChangedAt', at],
    ['ChangedBy', by],
    ['CreatedAt', before ? (before.CreatedAt ?? null) : at],
    ['CreatedBy', before ? (before.CreatedBy ?? null) : by],
  ]
}

/** All tracking columns: what history comes to in another record does not say who changed it. */
export const TRACKING: ReadonlySet<string> = new Set([
  'CreatedAt',
  'CreatedBy',
  'ChangedAt',
  'ChangedBy',
])

/** For whom corrections are planned. */
interface CorrectionScope {
  context: Context
  /** Tracking columns that history has: they stay as they were written. */
  keeps: ReadonlySet<string> | undefined
}

/** Stamp and tracking as they must be after a change; `touched` is how the pass found it. */
export function planCorrections(
  entity: Entity,
  touched: Pick<LoggedChange, 'before'>,
  after: SqlRow,
  { context, keeps }: CorrectionScope,
): Map<string, SqlValue> {
  const corrections = new Map<string, SqlValue>()
  const { before } = touched
  if (entity.concurrency && before && Number(after[STAMP]) <= Number(before[STAMP])) {
    corrections.set(STAMP, Number(before[STAMP]) + 1)
  }
  if (entity.tracking) {
    for (const [name, value] of planTracking(context, before)) {
      if (keeps?.has(name)) continue
      if ((after[name] ?? null) !== value) corrections.set(name, value)
    }
  }
  return corrections
}

/** Stamps kept of a record at least: how far back a 409 can say what moved. */
const STAMPS_KEPT = 50
/** Older ones go at every so many stamps. */
const STAMPS_AT_ONCE = 10

const DELETE_STAMPS =
  'DELETE FROM svc_stamps WHERE Entity = @entity AND RecordKey = @key AND Stamp < @oldest'

/** Writes down the stamp of one record's change. */
export async function writeStamp(tx: Tx, row: WrittenRow, origin: ChangeSource): Promise<void> {
  const { entity, touched, after, changed } = row
  if (!entity.concurrency || touched.what === 'insert') return
  const entry = { entity: entity.name, key: JSON.stringify(touched.key) }
  const stamp = Number((after ?? touched.before)?.[STAMP])
  if (!after || stamp % STAMPS_AT_ONCE === 0) {
    const oldest = after ? stamp - STAMPS_KEPT : Number.MAX_SAFE_INTEGER
    await tx.run(DELETE_STAMPS, { ...entry, oldest })
  }
  if (!after && !mayReturn(entity)) return
  await tx.run(
    `INSERT OR IGNORE INTO svc_stamps (Entity, RecordKey, Stamp, Fields, UserId, At)
     VALUES (@entity, @key, @stamp, @fields, @user, @at)`,
    {
      ...entry,
      stamp,
      fields: JSON.stringify(changed),
      user: origin.context.caller?.userId ?? null,
      at: origin.context.now.toISOString(),
    },
  )
}

/**
 * The stamp that a new record must have at least: beyond those of a deleted one of the same key,
 * whose last one is kept for that, and at least the time, whatever statement made the record.
 */
async function findFirstStamp(
  tx: Tx,
  { entity, key, now }: { entity: Entity; key: readonly unknown[]; now: Date },
): Promise<number> {
  if (!mayReturn(entity)) return now.getTime()
  const last = await tx.get<{ Stamp: number | null }>(
    'SELECT max(Stamp) AS Stamp FROM svc_stamps WHERE Entity = @entity AND RecordKey = @key',
    { entity: entity.name, key: JSON.stringify(key) },
  )
  return Math.max(now.getTime(), (last?.Stamp ?? 0) + 1)
}

/** A key that the server gives never comes again. */
const mayReturn = (entity: Entity): boolean => !entity.keys.some((key) => key.identity)
