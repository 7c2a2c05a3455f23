/** One kind of field in the browser; `kinds.ts` has them all. */
import type { Schemas } from '../api/wire.ts'

/** A field of a view, as its metadata describes it. */
export type MetadataField = Schemas['MetadataField']

/** Properties of an editor: the value as the wire has it, and the state of its field. */
export interface EditorProps {
  field: MetadataField
  value: unknown
  /** The label of a reference or an option, as it was stored. */
  text: string | undefined
  isReadOnly: boolean
  isRequired: boolean
  /** The fault that is told at it; undefined without one. */
  fault: string | undefined
  /** True in a cell: the label is for screen readers alone, help and fault stand elsewhere. */
  isCell?: boolean
  /** The form, for choices that depend on its other fields. */
  form: { name: string; values: Schemas['FieldValues']; action?: string }
  /** Has the save of the form wait for a value that is still asked for. */
  onPending?(work: Promise<void>): void
  /** Takes the new value, null for none, and the row of a choice: its Label and other columns. */
  onChange(value: unknown, choice?: Readonly<Record<string, string>>): void
}

/** How values of a type are shown and compared; one file a kind. `editors.tsx` types them. */
export interface FieldKind {
  /** The side of a cell where the text stands. */
  align: 'start' | 'end'
  /** True where its editor fits into a cell of a table. */
  fitsCell: boolean
  /** False where a value belongs to its record alone: a copy of the record does not take it. */
  isCopied: boolean
  /** The text of a value that is there. */
  format(value: unknown, field: MetadataField): string
  /** The value of a text that the wire or an address bears: of a choice, of a part of a key. */
  fromText(text: string): string | number | boolean
}
