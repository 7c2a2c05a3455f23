/** Keys that the engine generates where the caller gives none. */
import type { Column } from '../compiled/entity.ts'

/** A Guid that is a key and refers to nothing: a new record without one is given one. */
export const isGeneratedKey = ({ key, type, references }: Column): boolean =>
  key && type === 'Guid' && references === undefined
