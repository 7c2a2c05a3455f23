/** The gate's refusal of authored SQL: a sentence, and the place in the text. */

import { findNearestName } from '../../kernel/nearest-name.ts'

/** A refusal of authored SQL. `offset` counts UTF-16 units from the start of the authored text. */
export class SqlFault extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.name = 'SqlFault'
    this.offset = offset
  }
}

/** `; the nearest is X` behind a name that is not known, or nothing. */
export function suggestName(name: string, names: Iterable<string>): string {
  const nearest = findNearestName(name, names)
  return nearest === undefined ? '' : `; the nearest is ${nearest}`
}
