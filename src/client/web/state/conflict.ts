/** A conflict of a save: what others stored meanwhile, beside what is typed here. */
import type { Schemas } from '../api/wire.ts'

type Field = Schemas['MetadataField']
type Values = Schemas['FieldValues']

/** Whose value is taken. */
export type Side = 'mine' | 'theirs'

/** A field that was changed since the record was loaded; by both unless `by` says by whom. */
export interface ConflictField {
  field: Field
  by: Side | 'both'
}

/** The three states of a record: as it was loaded, as it is typed, as it is stored now. */
export interface ConflictValues {
  before: Values
  mine: Values
  theirs: Values
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Fields that differ, those of both first; where both typed the same there is nothing to say. */
export function listConflicts(
  fields: readonly Field[],
  { before, mine, theirs }: ConflictValues,
): ConflictField[] {
  const found = fields.flatMap((field): ConflictField[] => {
    const { Name, Stamp, Key } = field
    if (Stamp || Key || !(Name in theirs) || isSame(mine[Name], theirs[Name])) return []
    if (isSame(mine[Name], before[Name])) return [{ field, by: 'theirs' }]
    return [{ field, by: isSame(theirs[Name], before[Name]) ? 'mine' : 'both' }]
  })
  return [...found.filter(({ by }) => by === 'both'), ...found.filter(({ by }) => by !== 'both')]
}

/** Names of the fields that are taken as others stored them, with those of their labels. */
export const listTheirs = (
  conflicts: readonly ConflictField[],
  choices: Readonly<Record<string, Side>>,
): Set<string> =>
  new Set(
    conflicts
      .filter(({ field, by }) => (by === 'both' ? choices[field.Name] : by) === 'theirs')
      .flatMap(({ field: { Name, LabelField } }) =>
        LabelField === null ? [Name] : [Name, LabelField],
      ),
  )
