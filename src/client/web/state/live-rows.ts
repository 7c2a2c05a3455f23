/** Changes of rows by others, as the hub tells them of an object. */
import { holdHub, onHub } from '../api/hub.ts'
import type { Schemas } from '../api/wire.ts'

/** A change of a row: its key, or null where many rows changed at once. */
interface ObjectChange {
  Object: string
  Action: string
  Keys: Schemas['FieldValues'] | null
}

/** Rows are asked for again this long after the last change. */
const WAIT_MS = 600

/**
 * Calls `onChange` a moment after rows of the object changed, of one key alone where it is given;
 * returns what ends it.
 */
export function followRows(
  object: string,
  onChange: () => void,
  key?: Schemas['FieldValues'],
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const soon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(onChange, WAIT_MS)
  }
  const ends = [
    holdHub('Subscribe', 'Unsubscribe', object),
    onHub('objectChanged', (told) => {
      const { Object: name, Keys } = told as ObjectChange
      if (name.toLowerCase() === object.toLowerCase() && isOf(key, Keys)) soon()
    }),
    onHub('resynced', soon),
  ]
  return () => {
    clearTimeout(timer)
    ends.forEach((end) => end())
  }
}

const isOf = (
  key: Schemas['FieldValues'] | undefined,
  told: Schemas['FieldValues'] | null,
): boolean =>
  !key ||
  !told ||
  Object.entries(key).every(([name, value]) => String(told[name]) === String(value))

/** A record as the hub and requests name it. */
interface NamedRecord {
  Object: string
  Keys: Schemas['FieldValues']
}

/** True where both name the same record. */
export const isSameRecord = (one: NamedRecord, other: NamedRecord): boolean =>
  one.Object.toLowerCase() === other.Object.toLowerCase() && isOf(one.Keys, other.Keys)

/** Users who have a record open, as the hub names them. */
interface Presence {
  Object: string
  Keys: Schemas['FieldValues']
  Users: readonly { Id: number; DisplayName: string }[]
}

/** Tells who else has a record open; returns what ends it. */
export function followPresence(
  object: string,
  keys: Schemas['FieldValues'],
  onChange: (names: readonly string[]) => void,
  self: number,
): () => void {
  const wanted = JSON.stringify(keys)
  const ends = [
    holdHub('Open', 'Close', object, keys),
    onHub('presence', (told) => {
      const { Object: name, Keys, Users } = told as Presence
      if (name.toLowerCase() !== object.toLowerCase() || JSON.stringify(Keys) !== wanted) return
      onChange(Users.filter(({ Id }) => Id !== self).map(({ DisplayName }) => DisplayName))
    }),
  ]
  return () => ends.forEach((end) => end())
}
