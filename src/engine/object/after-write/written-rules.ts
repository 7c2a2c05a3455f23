/**
 * Rules that must hold for all records that a transaction touched, as they will be stored: those of
 * their entities, references, trees.
 */
import { type Message, say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import { checkField, checkLength } from '../../../model/fields/check.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Model } from '../../../model/model.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Round } from './corrections.ts'
import { formerOf } from '../record/record-values.ts'
import { inChunks, toKeyList } from '../record/stored-rows.ts'
import type { WrittenRow } from '../record/written-row.ts'
import { breakRecords, type BrokenField } from '../rules/broken-records.ts'
import { referredTo } from '../rules/constraint.ts'
import { findBroken } from '../rules/entity-rules.ts'
import { parseValue } from '../value.ts'

/** @throws validation with every rule that does not hold, on the fields of its record. */
export async function requireWrittenRules({
  tx,
  rows,
  context,
  yielder,
  view,
}: Round): Promise<void> {
  const faults: BrokenField[] = []
  const present = [...rows.values()].flatMap((row) =>
    row.after ? [{ ...row, row: row.after }] : [],
  )
  for (const row of present) faults.push(...checkWritten(row))
  const ruled = present.filter(({ entity }) => entity.validates.length > 0)
  for (const [entity, list] of Map.groupBy(ruled, (row) => row.entity)) {
    for (const chunk of inChunks(list)) {
      const records = chunk.map(({ row, touched }) => {
        return { row, key: touched.key, former: formerOf(touched, row) }
      })
      const broken = await findBroken(tx, entity.validates, { entity, records, context })
      for (const { record, field, message } of broken) {
        faults.push({ entity, key: record.key, field, message })
      }
      await yielder.yieldWhenDue()
    }
  }
  if (faults.length > 0) throw breakRecords(faults, view)
}

/**
 * Rules that a field carries hold for a computed value too, once it has moved, and no statement
 * writes a text that is longer than its column holds.
 */
function checkWritten({ entity, after, changed, touched }: WrittenRow): BrokenField[] {
  return entity.columns.flatMap((column) => {
    if (!column.compute && !FIELD_KINDS[column.type].isText) return []
    if (touched.what !== 'insert' && !changed.includes(column.name)) return []
    const value = after?.[column.name] ?? null
    const message = column.compute
      ? checkField(value, column)
      : (checkLength(value, column) ?? checkKey(value, column))
    return message === undefined ? [] : [{ entity, key: touched.key, field: column.name, message }]
  })
}

/** A key cannot be put right behind the statement that wrote it: others may refer to it already. */
function checkKey(value: SqlValue, column: Column): Message | undefined {
  if (!column.key || typeof value !== 'string') return undefined
  const parsed = parseValue(column, value)
  if (parsed.fault === undefined && parsed.value === value) return undefined
  return say`${column.label} must not start or end with blanks and must be normalized (Unicode NFC)`
}

/** A reference that was stored. */
interface Pointer {
  target: Entity
  value: SqlValue
  company: SqlValue
}

/**
 * References that any statement has stored point to records that the company has. Those between
 * records of companies the writer's guards hold; here it is users, and what records that every
 * company shares refer to. @throws invalid, unless the transaction may write all companies.
 */
export async function requireWrittenReferences(round: Round): Promise<void> {
  const { tx, rows } = round
  if (tx.company === null) return
  const pointers = [...rows.values()].flatMap((row) => listPointers(round, row))
  const groups = Map.groupBy(pointers, ({ target, company }) => `${target.name} ${company}`)
  for (const group of groups.values())
    for (const chunk of inChunks(group)) {
      // As a reference to nothing, which the statement itself was refused for.
      if (await isAnyStrange(tx, chunk)) throw referredTo()
    }
}

/** Lists the references that the change has moved; the user who writes may always be named. */
function listPointers({ tx, context }: Round, row: WrittenRow): Pointer[] {
  const { entity, after, touched, changed } = row
  if (!after) return []
  return listReferring(context.model, entity).flatMap(({ column, target }) => {
    const value = after[column.name] ?? null
    const isMoved = touched.what === 'insert' || changed.includes(column.name)
    if (!isMoved || value === null) return []
    if (target.builtIn && value === context.caller?.userId) return []
    const company = entity.company === undefined ? tx.company : (after[entity.company] ?? null)
    return [{ target, value, company }]
  })
}

interface Referring {
  column: Column
  target: Entity
}

const referring = new WeakMap<Entity, readonly Referring[]>()

/** Columns whose references no guard of the writer holds to a company. */
function listReferring(model: Model, entity: Entity): readonly Referring[] {
  let known = referring.get(entity)
  if (known) return known
  known = entity.columns.flatMap((column) => {
    const target = model.entities.get(column.references ?? '')
    if (!target || column.kind !== 'declared') return []
    const isLoose = target.builtIn || (target.company !== undefined && entity.company === undefined)
    return isLoose ? [{ column, target }] : []
  })
  referring.set(entity, known)
  return known
}

/** Tells whether the company lacks a record of one of the values, all of one target and company. */
async function isAnyStrange(tx: Tx, [first, ...more]: readonly Pointer[]): Promise<boolean> {
  if (!first) return false
  const { target, company } = first
  const values = [first, ...more].map(({ value }) => value)
  const found = await tx.get(
    `SELECT 1 AS Found FROM json_each(@values) v WHERE NOT EXISTS (${planOwn(target)}) LIMIT 1`,
    { values: JSON.stringify([...new Set(values)]), company },
  )
  return found !== undefined
}

const MEMBERS = 'SELECT 1 FROM main.svc_user_companies m'

function planOwn(target: Entity): string {
  if (target.builtIn) return `${MEMBERS} WHERE m.UserId = v.value AND m.CompanyId = @company`
  const key = quote(target.keys[0]?.name ?? '')
  return (
    `SELECT 1 FROM main.${quote(target.table)} t WHERE t.${key} = v.value ` +
    `AND t.${quote(target.company ?? '')} IS @company`
  )
}

/**
 * Trees (`Parent="…"`): no record is below itself, by whatever path it was moved there.
 * @throws validation on the parent's field when one of the records, as they are stored now, is
 * among its own ancestors. A change that closes a circle moved one of its records.
 */
export async function requireTrees({ tx, rows, view }: Round): Promise<void> {
  const moved = [...rows.values()].filter(({ entity, after, changed }) => {
    const { parent } = entity
    return parent !== undefined && after && after[parent] !== null && changed.includes(parent)
  })
  for (const [entity, list] of Map.groupBy(moved, (row) => row.entity)) {
    for (const chunk of inChunks(list)) {
      const start = await findCircle(tx, entity, chunk)
      if (start) throw breakRecords([describeCircle(start)], view)
    }
  }
}

function describeCircle({ entity, touched }: WrittenRow) {
  const field = entity.parent ?? ''
  const label = entity.columnByName.get(field.toLowerCase())?.label ?? field
  const message = say`${label}: a record cannot be placed below itself`
  return { entity, key: touched.key, field, message }
}

/** Finds one of the moved records that is below itself. */
async function findCircle(
  tx: Tx,
  entity: Entity,
  moved: readonly WrittenRow[],
): Promise<WrittenRow | undefined> {
  const [key] = entity.keys
  const { parent } = entity
  if (!key || parent === undefined) return undefined
  const table = `main.${quote(entity.table)}`
  const [id, above] = [quote(key.name), quote(parent)]
  const keys = toKeyList(moved.map((row) => row.touched.key))
  const { rows } = await tx.authored(
    `WITH RECURSIVE svc_above(Start, At) AS (
       SELECT ${id}, ${above} FROM ${table} WHERE ${id} IN (SELECT value FROM json_each(@keys))
       UNION
       SELECT a.Start, t.${above} FROM svc_above a JOIN ${table} t ON t.${id} = a.At
       WHERE a.At IS NOT a.Start
     ) SELECT Start FROM svc_above WHERE Start = At LIMIT 1`,
    { keys },
  )
  const [start] = rows
  return start && moved.find(({ touched }) => touched.key[0] === start.Start)
}
