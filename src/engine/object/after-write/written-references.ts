/**
 * References that some statement has stored point to what the company has, however they came
 * about. Those between records of companies the writer's guards hold; here it is users, and what
 * records that every company shares refer to.
 */
import { noun, say } from '../../../kernel/messages.ts'
import type { Column, Entity, Model, View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import { breakRecords, type BrokenField } from '../rules/broken-records.ts'
import type { Context } from '../context.ts'
import type { WrittenRow, WrittenRows } from '../record/written-row.ts'
import { inChunks } from '../record/stored-rows.ts'

/** What the references are judged on. */
export interface ReferencesScope {
  tx: Tx
  rows: WrittenRows
  context: Context
  /** Through which the change came, if it came through one. */
  view: View | undefined
}

/** A reference that was stored: whose, and to what. */
interface Pointer {
  row: WrittenRow
  column: Column
  target: Entity
  value: SqlValue
  company: SqlValue
}

/** @throws validation for a user or record of another company, unless all of them may be written */
export async function requireWrittenReferences(scope: ReferencesScope): Promise<void> {
  const { tx, rows, view } = scope
  if (tx.company === null) return
  const pointers = [...rows.values()].flatMap((row) => listPointers(scope, row))
  const broken: BrokenField[] = []
  const groups = Map.groupBy(pointers, ({ target, company }) => `${target.name} ${company}`)
  for (const group of groups.values())
    for (const chunk of inChunks(group)) {
      const strange = await findStrange(tx, chunk)
      for (const { row, column, target, value } of chunk) {
        if (!strange.has(value)) continue
        const message = say`${column.label}: there is no such ${noun(target.label)}`
        broken.push({ entity: row.entity, key: row.touched.key, field: column.name, message })
      }
    }
  if (broken.length > 0) throw breakRecords(broken, view)
}

/** Those that the change has moved; who writes may always be named. */
function listPointers({ tx, context }: ReferencesScope, row: WrittenRow): Pointer[] {
  const { entity, after, touched, changed } = row
  if (!after) return []
  return listReferring(context.model, entity).flatMap(({ column, target }) => {
    const value = after[column.name] ?? null
    const isMoved = touched.what === 'insert' || changed.includes(column.name)
    if (!isMoved || value === null) return []
    if (target.builtIn && value === context.caller?.userId) return []
    const company = entity.company === undefined ? tx.company : (after[entity.company] ?? null)
    return [{ row, column, target, value, company }]
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

/** The values among those of one target and company that the company has no record of. */
async function findStrange(tx: Tx, [first, ...more]: readonly Pointer[]): Promise<Set<SqlValue>> {
  if (!first) return new Set()
  const { target, company } = first
  const values = [first, ...more].map(({ value }) => value)
  const rows = await tx.all(
    `SELECT v.value AS Value FROM json_each(@values) v WHERE NOT EXISTS (${planOwn(target)})`,
    { values: JSON.stringify([...new Set(values)]), company },
  )
  return new Set(rows.map(({ Value }) => Value ?? null))
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
