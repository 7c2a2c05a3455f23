/** Fields that rows are grouped by and summed up over. */
import type { Schemas } from '../api/wire.ts'
import { DATE_PARTS, type DatePart } from '../state/group-condition.ts'
import type { MetadataField } from './field-kind.ts'
import { alignOf, fitsCell } from './kinds.ts'

/** Types whose values are grouped by parts: the months of a date. */
const PARTS: Readonly<Partial<Record<Schemas['FieldType'], readonly DatePart[]>>> = {
  Date: DATE_PARTS,
  DateTime: DATE_PARTS,
}

/** The names by which rows can be grouped over a field: itself, or parts of it; none else. */
export function groupsOf(field: MetadataField): readonly string[] {
  if (field.Key || !fitsCell(field)) return []
  return PARTS[field.Type]?.map((part) => `${field.Name}:${part}`) ?? [field.Name]
}

/** True for a number that can be summed up: no label stands for it. */
export const isSummable = (field: MetadataField): boolean => !field.Key && alignOf(field) === 'end'
