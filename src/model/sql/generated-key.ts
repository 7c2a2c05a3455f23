/** Keys that the engine generates where the caller gives none. */
import type { Column } from '../compiled/entity.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

/** A Guid that is a key and refers to nothing: a new record without one is given one. */
export const isGeneratedKey = ({ key, type, references }: Column): boolean =>
  key && FIELD_KINDS[type].key === 'generated' && references === undefined
