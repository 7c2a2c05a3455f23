/** Parts of an ObjectActionResult. */
import type { View } from '../../../model/compiled/view.ts'
import type { RecordKey } from '../record/record.ts'
import { STAMP } from '../rules/conflict.ts'
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

/** Members of a request, as they were sent. */
export type Sent = Readonly<Record<string, unknown>> | null | undefined

/**
 * Names, as they were sent, of the members that nothing was taken from: unknown, computed, hidden
 * and not the caller's to write all look the same. Of two spellings the first is the one taken.
 * @param taken In lower case.
 * @param of What they are members of, where that is not the record itself: `Lines[0].`.
 */
export function listIgnored(sent: Sent, taken: ReadonlySet<string>, of = ''): string[] {
  const met = new Set<string>()
  const ignored: string[] = []
  for (const name of Object.keys(sent ?? {})) {
    const key = name.toLowerCase()
    if (!taken.has(key) || met.has(key)) ignored.push(`${of}${name}`)
    met.add(key)
  }
  return ignored
}
