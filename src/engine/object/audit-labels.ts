/** What the references of an audit entry were called when the change was made. */
import { composeLabel, displayOf } from '../../model/label-sql.ts'
import type { Column, Entity, Model } from '../../model/model.ts'
import type { SqlRow, SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'

/** Columns with what they were and are, as an audit entry holds them. */
export type Changes = Record<string, [unknown, unknown]>

const texts = new WeakMap<Column, string>()
const LABELS = Symbol('labels of an audit')

/** Adds `<Column>__Label` for each reference that moved: its record may be gone when it is read. */
export async function addLabels(
  tx: Tx,
  model: Pick<Model, 'entities'>,
  {
    entity,
    before,
    after,
  }: { entity: Entity; before?: SqlRow | undefined; after?: SqlRow | undefined },
  changes: Changes,
): Promise<void> {
  for (const column of entity.columns) {
    if (column.references === undefined || !Object.hasOwn(changes, column.name)) continue
    const from = await findLabel(tx, model, column, before?.[column.name] ?? null)
    const to = await findLabel(tx, model, column, after?.[column.name] ?? null)
    if (from !== null || to !== null) changes[`${column.name}__Label`] = [from, to]
  }
}

/** Asked once a transaction for each value: many records refer to few. */
async function findLabel(
  tx: Tx,
  model: Pick<Model, 'entities'>,
  column: Column,
  value: SqlValue,
): Promise<string | null> {
  if (value === null) return null
  const known = (tx.notes.get(LABELS) ?? new Map()) as Map<string, string | null>
  tx.notes.set(LABELS, known)
  const key = `${column.references} ${String(value)}`
  let label = known.get(key)
  if (label === undefined) {
    const row = await tx.get(`SELECT ${labelText(model, column)} AS label`, { value })
    label = typeof row?.label === 'string' ? row.label : null
    if (known.size < LABELS_MAX) known.set(key, label)
  }
  return label
}

/** Labels that a transaction keeps. */
const LABELS_MAX = 10_000

function labelText(model: Pick<Model, 'entities'>, column: Column): string {
  let text = texts.get(column)
  if (text === undefined) {
    const entity = model.entities.get(column.references ?? '')
    const label = entity && { entity, columns: displayOf(entity), value: '@value', isTenant: true }
    text = label ? composeLabel(model.entities, label, 'all', new Set()) : 'NULL'
    texts.set(column, text)
  }
  return text
}
