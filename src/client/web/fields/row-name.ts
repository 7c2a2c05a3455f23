/** The name of a row: what its view displays, else its key. */
import type { Schemas } from '../api/wire.ts'
import { formatField } from './kinds.ts'

/** `SO-2026-00042`, as titles, cards and questions have it. */
export function nameRow(
  { Display, Fields, Keys }: Schemas['MetadataResult'],
  row: Schemas['FieldValues'],
): string {
  const shown = Display.flatMap((name) => Fields.filter((field) => field.Name === name))
    .map((field) => formatField(field, row))
    .filter((text) => text !== '')
  return shown.length > 0 ? shown.join(' ') : Keys.map((name) => String(row[name])).join(' ')
}
