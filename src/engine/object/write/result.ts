/** Parts of an ObjectActionResult. */
import type { RecordKey } from './record.ts'
import { toWire } from '../value.ts'

/** A record's key by field name. */
export function toWireKey(key: RecordKey): Record<string, unknown> {
  return Object.fromEntries(
    key.values.map(({ field, value }) => [field.name, toWire(field, value)]),
  )
}
