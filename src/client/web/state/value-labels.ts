/**
 * Labels of values that a filter names by their keys: `31` is `Amber Gardens Group`. Those that
 * were chosen are known; others are asked for once.
 */
import { effect, signal } from '@preact/signals'
import { take, wire } from '../api/wire.ts'
import type { FilterScalar } from './filter-tree.ts'
import { user } from './session.ts'

/** A value of a field that is chosen from a list. */
export interface LabelledValue {
  object: string
  field: string
  value: FilterScalar
}

const labels = signal<ReadonlyMap<string, string>>(new Map())
const asked = new Set<string>()

const keyOf = ({ object, field, value }: LabelledValue): string =>
  JSON.stringify([object, field, String(value)])

// Another user, or another company, sees other records.
effect(() => {
  if (user.value === 'starting') return
  asked.clear()
  labels.value = new Map()
})

/** The label of a value; undefined while it is not known. */
export const findValueLabel = (value: LabelledValue): string | undefined =>
  labels.value.get(keyOf(value))

/** Keeps a label that came with the value. */
export function keepValueLabel(value: LabelledValue, label: string): void {
  const key = keyOf(value)
  asked.add(key)
  if (labels.peek().get(key) !== label) labels.value = new Map(labels.peek()).set(key, label)
}

/** Asks for labels that are not known; what has none, or is not the caller's, stays its key. */
export async function loadValueLabels(values: readonly LabelledValue[]): Promise<void> {
  const missing = values.filter((value) => !asked.has(keyOf(value)))
  for (const value of missing) asked.add(keyOf(value))
  await Promise.all(missing.map(loadLabel))
}

async function loadLabel(labelled: LabelledValue): Promise<void> {
  const { object, field, value } = labelled
  // A page of one: the value that the parameters hold comes before it.
  const body = {
    FormName: object,
    FieldName: field,
    Parameters: { [field]: value },
    PageSize: 1,
  }
  const found = await take(wire.POST('/api/v1/svc/object/field-dataset', { body }))
  const option = found.find(({ Value }) => Value === String(value))
  if (option) keepValueLabel(labelled, option.Label)
}
