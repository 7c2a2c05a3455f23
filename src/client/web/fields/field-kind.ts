/** One kind of field in the browser; `kinds.ts` has them all. */
import type { Schemas } from '../api/wire.ts'

/** A field of a view, as its metadata describes it. */
export type MetadataField = Schemas['MetadataField']

/** How values of a type are shown; one file a kind. */
export interface FieldKind {
  /** The side of a cell where the text stands. */
  align: 'start' | 'end'
  /** The text of a value that is there. */
  format(value: unknown, field: MetadataField): string
}
