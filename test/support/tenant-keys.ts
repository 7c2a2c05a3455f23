/** Recipes of the sweep, and the keys by which they name records. */
import { CANARY, CANARY_DIGITS } from './tenant-model.ts'
import type { Call } from './tenant-world.ts'

/** One key of each kind; a record of the same kind has the same `id` in every table. */
export interface Keys {
  id: number
  text: string
  user: number
  company: number
  /** Of a session of that user. */
  session: string
  /** Of an import that can still be taken back. */
  importId: number
  /** Name of a file that was exported. */
  file: string
  /** Of a wizard, begun by that user. */
  run: string
}

/** The names of two files are as long. */
const fileOf = (id: number): string => `clients-${String(id).padStart(32, '0')}.csv`

const keysOf = (id: number, text: string, user: number, company: number) => {
  const importId = Math.floor(id / 100)
  const run = `run-${String(id).padStart(18, '0')}`
  return { id, text, user, company, importId, file: fileOf(id), run }
}

export const OWN = keysOf(501, 'plain', 3, 2)
export const HIDDEN = keysOf(Number(`${CANARY_DIGITS}01`), CANARY, 1, 1)
export const MISSING = keysOf(3133999, 'zqonarx', 99, 99)

/** The caller and the request of a route. */
export interface Recipe {
  /** Users of TWO, `undefined` for nobody; each group in worlds of its own. */
  as: readonly (readonly (string | undefined)[])[]
  /** Nothing is changed by it, so that worlds may be shared. */
  isRead?: boolean
  /** None of the requests is anything but refused to these. */
  isRefused?: boolean
  calls(keys: Keys): Call[]
}
