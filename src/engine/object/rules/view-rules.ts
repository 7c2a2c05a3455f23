/** The rules in SQL of a view, judged on records as they are stored after the after-write pass. */
import type { Entity, View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import { findBroken, type BrokenRule } from './entity-rules.ts'
import { findFormer, type Former } from '../record/former.ts'
import { keyText } from '../record/written-row.ts'
import { loadReached } from '../record/reached-rows.ts'
import { loadRow, toRecordKey, type RecordAccess } from '../record/record.ts'
import { inChunks, loadStored } from '../record/stored-rows.ts'

/** A record that a mutation has written. */
export interface RuledRecord {
  key: readonly SqlValue[]
  /** The mutation has made it, and the change log need not say so. */
  isNew?: boolean
}

/** Such a record as it is stored, and as it was before. */
interface JudgedRecord<R> {
  record: R
  row: SqlRow
  former: Former
}

/** What of the view's rules in SQL does not hold. */
export async function findBrokenViewRules<R extends RuledRecord>(
  access: RecordAccess,
  records: readonly R[],
): Promise<BrokenRule<JudgedRecord<R>>[]> {
  const { tx, view, entity, context } = access
  const rules = view.validates.filter((rule) => rule.kind === 'sql')
  if (rules.length === 0) return []
  const names = rules.flatMap(({ sql }) => sql.parameters)
  const isOutput = namesOutput(view, entity, names)
  const broken: BrokenRule<JudgedRecord<R>>[] = []
  for (const chunk of inChunks(records)) {
    const keys = chunk.map(({ key }) => key)
    const output = isOutput ? await loadOutput(access, keys) : undefined
    const stored = await loadStored(tx, entity, keys)
    const judged = chunk.map((record): JudgedRecord<R> => {
      const { key, isNew = false } = record
      const id = keyText(key)
      const row = { ...output?.get(id), ...stored.get(id) }
      const former = isNew ? { isNew, row: undefined } : findFormer(tx, { entity, key, row })
      return { record, row, former }
    })
    broken.push(...(await findBroken(tx, rules, { entity, context, records: judged })))
  }
  return broken
}

/** The view's rows of some keys, whoever may see them. */
async function loadOutput(
  access: RecordAccess,
  keys: readonly (readonly SqlValue[])[],
): Promise<Map<string, SqlRow>> {
  const [first, ...more] = keys
  if (first && more.length === 0) {
    const row = await loadRow(access, toRecordKey(access, first))
    return new Map(row ? [[keyText(first), row]] : [])
  }
  const cells = access.view.query.columns.map(({ name }) => quote(name))
  return loadReached({ ...access, reader: access.tx }, keys, { purpose: 'all', cells })
}

/** Whether one of the names is that of an output column which is no column of the entity. */
function namesOutput(view: View, entity: Entity, names: readonly string[]): boolean {
  const others = names.map((name) => name.toLowerCase()).filter((n) => !entity.columnByName.has(n))
  return others.some((other) => view.query.columns.some(({ name }) => name.toLowerCase() === other))
}
