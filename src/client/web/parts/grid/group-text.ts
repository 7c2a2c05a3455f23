/** Groups and sums in words: `Status New`, `Sum 1,234.50`. */
import { timeFormat } from '../../texts/formats.ts'
import { language, say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import type { ColumnTotal } from '../../state/grid-layout.ts'
import type { RowGroup } from '../../state/grid-lines.ts'
import { formatField } from '../../fields/kinds.ts'

type Field = Schemas['MetadataField']

/** The field and the value of a group, as a user reads them. */
export function groupText(
  { Fields }: Schemas['MetadataResult'],
  { name, facts }: RowGroup,
): { field: string; text: string } {
  const [fieldName = '', part] = name.split(':')
  const field = Fields.find(({ Name }) => Name === fieldName)
  const label = facts[`${name}__Label`]
  const value = facts[name] ?? null
  const shown =
    value === null
      ? say('timelineEmpty')
      : typeof label === 'string'
        ? label
        : part !== undefined || !field
          ? partText(part, String(value))
          : formatField({ ...field, LabelField: null }, { [fieldName]: value })
  return { field: field?.Label ?? fieldName, text: shown }
}

/** A part of a date: `November 2026`, else as it stands: `2026-Q4`. */
const partText = (part: string | undefined, value: string): string =>
  part === 'month'
    ? timeFormat(language.value, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
        new Date(`${value}-01T00:00:00Z`),
      )
    : value

/** A sum in its column, named where it is another than a sum. */
export function totalText(field: Field, total: ColumnTotal, value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = formatField({ ...field, LabelField: null, Options: [] }, {
    [field.Name]: value,
  } as Schemas['FieldValues'])
  return total.function === 'sum' ? text : `${say(`total_${total.function}`)} ${text}`
}
