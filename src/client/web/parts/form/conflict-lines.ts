/** Lines of a table of a conflict: a field of the record, a cell of a row, or a whole row. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import type { ConflictField, ConflictValues, Side } from '../../state/conflict.ts'
import { nameChoice, type RowConflict } from '../../state/row-conflicts.ts'
import { formatField } from '../../fields/kinds.ts'

type Field = Schemas['MetadataField']

/** A line: its three texts, and by whom it was changed. */
export interface ConflictLine {
  /** The name of its choice. */
  name: string
  label: string
  by: Side | 'both'
  texts: Readonly<Record<'before' | Side, string>>
}

/** The line of a field of the record. */
export const lineOfField = (
  { field, by }: ConflictField,
  values: ConflictValues,
): ConflictLine => ({
  name: field.Name,
  label: field.Label,
  by,
  texts: {
    before: formatField(field, values.before),
    mine: formatField(field, values.mine),
    theirs: formatField(field, values.theirs),
  },
})

/** Columns that name a row beside its number. */
const NAMING = 2

/** The lines of a row of a detail: its cells, or itself where one side took it out. */
export function listRowLines(row: RowConflict, columns: readonly Field[]): ConflictLine[] {
  const { id, at, kind, fields, values } = row
  const name = columns
    .slice(0, NAMING)
    .map((field) => formatField(field, values.before))
    .filter((text) => text !== '')
    .join(' · ')
  const label = say('conflictRow', { row: at, name })
  if (kind === 'changed')
    return fields.map((each) => ({
      ...lineOfField(each, values),
      name: nameChoice(id, each.field.Name),
      label: `${label}: ${each.field.Label}`,
    }))
  const list = (of: 'before' | Side): string =>
    fields.map(({ field }) => `${field.Label}: ${formatField(field, values[of])}`).join(', ')
  const gone = say('conflictRowGone')
  const texts =
    kind === 'deleted'
      ? { before: list('before'), theirs: gone, mine: list('mine') }
      : { before: list('before'), theirs: list('theirs'), mine: gone }
  return [{ name: nameChoice(id), label, by: 'both', texts }]
}
