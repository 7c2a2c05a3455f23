/** The fields of a wizard whose values are bound one by one. */
import { STEP_KINDS, type StepField, type Wizard } from './compiled/wizard.ts'

/** Lists the fields of all plain form steps, in their order: they may be handed to a start. */
export const listBoundFields = ({ steps }: Wizard): StepField[] =>
  steps.flatMap(({ kind, fields }) => (STEP_KINDS[kind].binds === 'fields' ? fields : []))
