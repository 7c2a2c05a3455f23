/** The fields of a wizard whose values are bound one by one. */
import type { StepField, Wizard } from './compiled/wizard.ts'

/** Those of every step that is a plain form, in their order: what may be handed to a start. */
export const listBoundFields = ({ steps }: Wizard): StepField[] =>
  steps.flatMap(({ kind, fields }) => (kind === 'Fields' ? fields : []))
