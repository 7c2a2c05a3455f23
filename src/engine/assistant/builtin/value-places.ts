/** The fields of which a text may be a value, and those by which records are called. */
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Draft, UnknownText } from './draft.ts'
import { findTarget, type ReachedField } from './scope.ts'
import { isServed } from '../../object/read/find-view.ts'

/** Fields that one text is looked for in. */
const FIELDS_MAX = 24

/** Fields that may hold a value: the field named beside it, names of records, then texts. */
export function listPlaces(
  { subject }: Pick<Draft, 'subject'>,
  { hint, isHintOnly, rowOf }: UnknownText,
): ReachedField[] {
  if (isHintOnly) return hint ? [hint] : []
  if (rowOf !== undefined)
    return [...subject.fields, ...subject.lists].filter((at) => isOfRow(at, rowOf))
  const isText = ({ field }: ReachedField): boolean =>
    FIELD_KINDS[field.type].isText && field.options.length === 0 && !field.hidden
  const isReference = (at: ReachedField): boolean => findTarget(at.field, at.grant) !== undefined
  const ofDepth = (depth: number) => subject.fields.filter((at) => at.depth === depth)
  const places = [
    ...(hint && (isText(hint) || isReference(hint)) ? [hint] : []),
    ...ofDepth(0).filter(isReference),
    ...subject.lists.filter(isReference),
    ...ofDepth(0).filter((at) => isText(at) && !isReference(at)),
    ...ofDepth(1).filter(isReference),
    ...ofDepth(1).filter((at) => isText(at) && !isReference(at)),
  ]
  return [...new Set(places)].slice(0, FIELDS_MAX)
}

/** True for a reference to records of an entity, and for the names of the records themselves. */
const isOfRow = (at: ReachedField, entity: string): boolean =>
  findTarget(at.field, at.grant)?.view.entity?.name === entity ||
  (at.depth === 0 && at.view.entity?.name === entity && listNameTexts(at).includes(at.field.name))

/** The fields by which a record is called. */
export const listShown = (view: View): Field[] =>
  (view.entity?.display ?? []).flatMap((name) => view.fieldByName.get(name.toLowerCase()) ?? [])

/** Names of those among some fields that are texts and that the caller may see. */
export const listTexts = ({ view, grant }: Pick<ReachedField, 'view' | 'grant'>, fields: Field[]) =>
  [...new Set(fields)]
    .filter((field) => FIELD_KINDS[field.type].isText && isServed(view, grant, field))
    .map(({ name }) => name)

/** The fields of an object's names and keys that are texts and that the caller may see. */
export const listNameTexts = ({ view, grant }: Pick<ReachedField, 'view' | 'grant'>): string[] =>
  listTexts({ view, grant }, [...listShown(view), ...view.keys])

/** Characters from which on a text is a remark, not a city. */
const REMARK = 250

/** True for a field of remarks, whose values are no names. */
export const isRemark = ({ maxLength }: Field): boolean =>
  maxLength !== undefined && maxLength > REMARK
