/** A member of a request that is nearly right: a known one misspelt, not another one. */
import { type Failure, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { countEdits } from '../../kernel/nearest-name.ts'

const EDITS_MAX = 2
const SHOWN_MAX = 100

/** The refusal of an unknown member within two letters of one of these names. */
export function refuseNear(name: string, names: readonly string[]): Failure | undefined {
  const near = names.find((known) => isNear(name.toLowerCase(), known.toLowerCase()))
  if (near === undefined) return undefined
  return invalid(say`${name.slice(0, SHOWN_MAX)} is no member of this request; write ${near}`, {
    code: 'UNKNOWN_MEMBER',
  })
}

/** Tells whether a name is a near miss: two letters are most of a short name. */
function isNear(name: string, known: string): boolean {
  if (name === known || Math.abs(name.length - known.length) > EDITS_MAX) return false
  const edits = countEdits(name, known)
  return edits <= EDITS_MAX && edits * 2 < known.length
}
