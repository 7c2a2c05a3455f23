/** Records that a question calls by a number: `order 10300`. */
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Draft, DraftFilter, UnknownText } from './draft.ts'
import type { Lookups } from './lookups.ts'

/** `order 10300`: a number or code right behind the name of the object. */
export function isNumberOfRecord(draft: Draft, { segments, text }: UnknownText): boolean {
  const [at = 0] = segments
  return /^\S*\d\S*$/.test(text) && draft.meaning(at - 1, 'self') !== undefined
}

/** The record that is called by a number. */
export async function findByKey(
  lookups: Lookups,
  draft: Draft,
  unknown: UnknownText,
): Promise<DraftFilter | undefined> {
  const { entity, keys } = draft.subject.view
  const called = entity?.display.length ? entity.display : keys.map(({ name }) => name)
  const [name, second] = called
  const at = draft.subject.fields.find(({ field, depth }) => depth === 0 && field.name === name)
  const number = Number(unknown.text)
  const isKey = at && !second && FIELD_KINDS[at.field.type].number !== undefined
  if (!isKey || !Number.isSafeInteger(number) || !isNumberOfRecord(draft, unknown)) return undefined
  const filter: DraftFilter = { at, operator: unknown.isNegated ? 'ne' : 'eq', value: number }
  const rows = await lookups.ask(at, {
    ObjectName: at.view.name,
    Fields: [at.field.name],
    Limit: 1,
    Filters: [{ Field: at.field.name, Operator: 'eq', Value: number }],
  })
  return rows.length > 0 ? filter : undefined
}
