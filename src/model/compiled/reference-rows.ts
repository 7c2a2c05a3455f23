import type { Place } from '../parse/element.ts'

/** Reference rows that a deploy upserts by their key. */
export interface ReferenceRows {
  entity: string
  key: readonly string[]
  once: boolean
  rows: readonly { values: Readonly<Record<string, string>>; place: Place }[]
  place: Place
}
