/** The name of a row: what its view displays, else its key. */
import type { Schemas } from '../api/wire.ts'
import { formatField } from './kinds.ts'

type Metadata = Schemas['MetadataResult']

/** Fields that name a row, by their view: each line of a grid asks for them. */
const displayed = new WeakMap<Metadata, Schemas['MetadataField'][]>()

function listDisplayed(metadata: Metadata): Schemas['MetadataField'][] {
  const known = displayed.get(metadata)
  if (known) return known
  const { Display, Fields } = metadata
  const found = Display.flatMap((name) => Fields.filter((field) => field.Name === name))
  displayed.set(metadata, found)
  return found
}

/** `SO-2026-00042`, as titles, cards and questions have it. */
export function nameRow(metadata: Metadata, row: Schemas['FieldValues']): string {
  const shown = listDisplayed(metadata)
    .map((field) => formatField(field, row))
    .filter((text) => text !== '')
  return shown.length > 0
    ? shown.join(' ')
    : metadata.Keys.map((name) => String(row[name])).join(' ')
}
