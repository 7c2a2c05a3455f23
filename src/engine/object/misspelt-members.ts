/**
 * Members of a body that asks, where one is nearly right: `Filter` for `Filters` would be ignored,
 * as unknown members are, and the answer would have all rows (src/server/README.md, Conventions).
 */
import { type Failure, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { countEdits } from '../../kernel/nearest-name.ts'
import { findUnknownMember } from '../../kernel/unknown-members.ts'

/** Unknown members of one body that are compared with the known ones, which takes its time. */
const UNKNOWN_MAX = 1000
const EDITS_MAX = 2
const SHOWN_MAX = 100

/**
 * Returns the refusal of a member within two letters of a known one, or of too many unknown ones;
 * undefined without one. The reader of filters reports the faults in them, in any case of letters.
 */
export function findMisspelt(schema: object, body: object): Failure | undefined {
  let unknown = 0
  return findUnknownMember(schema, body, {
    judge: ({ name, known }) =>
      ++unknown > UNKNOWN_MAX ? tooManyUnknown() : refuseNear(name, known),
  })
}

/** The refusal of an unknown member within two letters of one of these names, in any case. */
export function refuseNear(name: string, names: readonly string[]): Failure | undefined {
  const near = names.find((known) => isNear(name.toLowerCase(), known.toLowerCase()))
  if (near === undefined) return undefined
  return invalid(say`Unknown member '${name.slice(0, SHOWN_MAX)}'. Did you mean ${near}?`, {
    code: 'UNKNOWN_MEMBER',
  })
}

const tooManyUnknown = (): Failure =>
  invalid(say`The request has more than ${UNKNOWN_MAX} unknown members`, {
    code: 'UNKNOWN_MEMBER',
  })

/** Tells whether a name is a near miss: two letters are most of a short name. */
function isNear(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > EDITS_MAX) return false
  const edits = countEdits(name, known)
  return edits <= EDITS_MAX && edits * 2 < known.length
}
