/** One kind of field in the browser; `kinds.ts` has them all. */
import type { TextKey } from '../texts/en.ts'
import type { Schemas } from '../api/wire.ts'
import type { FilterOperator, FilterScalar } from '../state/filter-tree.ts'

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

/** How a value of a filter is given: typed, as a day or an instant, by a date word. */
export type ValueKind = 'value' | 'day' | 'time' | 'word' | 'counted'

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
  /** Operators of a filter over it, the most wanted first. */
  operators: readonly FilterOperator[]
  /** Words of operators that are other ones than those of most kinds. */
  operatorTexts?: Partial<Record<FilterOperator, TextKey>>
  /** Ways to give a value of a filter, the first one being that of an empty one. */
  valueKinds: readonly ValueKind[]
  /** True for a value that a filter may compare with. */
  isValue(value: FilterScalar): boolean
  /** The values that a filter offers, where they are few. */
  listChoices?(): Schemas['FieldOption'][]
  /** Kinds with the same word compare with each other; undefined where nothing does. */
  alike: string | undefined
  /** The value of a text that the wire or an address bears: of a choice, of a part of a key. */
  fromText(text: string): string | number | boolean
}
