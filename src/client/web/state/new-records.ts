/** Records that are made in dialogs over the place, each for the field that asked for it. */
import { signal } from '@preact/signals'
import type { Schemas } from '../api/wire.ts'

/** A record that is to be made. */
export interface NewRecord {
  slug: string
  /** The text that was typed in the field: the name of the new record, perhaps. */
  typed: string
  /** Takes the key and the name of what was made. */
  onMade(key: Schemas['FieldValues'], name: string): void
}

/** The records whose dialogs are open, the uppermost last: a dialog may ask for another record. */
export const newRecords = signal<readonly NewRecord[]>([])

/** Opens the dialog of a new record. */
export function beginNewRecord(asked: NewRecord): void {
  newRecords.value = [...newRecords.peek(), asked]
}

/** Closes the dialog of a new record. */
export function endNewRecord(asked: NewRecord): void {
  newRecords.value = newRecords.peek().filter((each) => each !== asked)
}
