/** The fields that say who wrote a record, and when. */
import type { Draft } from './draft.ts'
import type { ReachedField } from './scope.ts'

/** The fields of who created and who changed a record, and when. */
export const listTracked = ({ subject }: Draft): ReachedField[] =>
  subject.fields.filter(({ field, depth }) => depth === 0 && field.column?.kind === 'tracking')
