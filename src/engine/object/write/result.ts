/** Parts of an ObjectActionResult. */
import type { View } from '../../../model/model.ts'
import { STAMP } from '../rules/conflict.ts'
import type { RecordKey } from '../record/record.ts'
import { toWire } from '../value.ts'

/** A record's key by field name. */
export function toWireKey(key: RecordKey): Record<string, unknown> {
  return Object.fromEntries(
    key.values.map(({ field, value }) => [field.name, toWire(field, value)]),
  )
}

/** The new stamp of a record, where its entity has one and the caller sees it. */
export function stampOf(view: View, values: Record<string, unknown>): { RowVersion?: string } {
  const stamp = values[STAMP]
  return view.entity?.concurrency && typeof stamp === 'string' ? { RowVersion: stamp } : {}
}
