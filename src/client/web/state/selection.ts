/** The rows of the grid that are selected, over its pages. */
import { computed, signal } from '@preact/signals'
import type { Schemas } from '../api/wire.ts'

type Row = Schemas['FieldValues']

/** Selected rows by their keys, in the order in which they were selected. */
export const selection = signal<ReadonlyMap<string, Row>>(new Map())

/** The number of selected rows. */
export const selectedCount = computed(() => selection.value.size)

/** The key of a row as one text. */
export const keyText = ({ Keys }: Schemas['MetadataResult'], row: Row): string =>
  JSON.stringify(Keys.map((name) => row[name]))

/** The key of a row as the wire has it, with its stamp where it has one. */
export function keyOfRow({ Keys }: Schemas['MetadataResult'], row: Row): Row {
  const { RowVersion } = row
  return {
    ...(Object.fromEntries(Keys.map((name) => [name, row[name]])) as Row),
    ...(RowVersion !== undefined && { RowVersion }),
  }
}

/** Selects rows, or no longer. */
export function select(
  metadata: Schemas['MetadataResult'],
  rows: readonly Row[],
  isSelected: boolean,
): void {
  const next = new Map(selection.value)
  for (const row of rows)
    if (isSelected) next.set(keyText(metadata, row), row)
    else next.delete(keyText(metadata, row))
  selection.value = next
}

/** Selects nothing. */
export const clearSelection = (): void => {
  if (selection.peek().size > 0) selection.value = new Map()
}
