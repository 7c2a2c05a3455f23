/** The files of a step: uploads of the caller that wait for its fields. */
import type { FieldErrors } from '../../kernel/failure.ts'
import type { Tx } from '../../store/store.ts'
import type { Step } from '../../model/compiled/wizard.ts'
import { findFileFaults } from '../object/write/file-values.ts'
import { uploadOwner } from '../object/write/upload-field.ts'
import type { TakenStep } from './take-step.ts'
import type { WizardUse } from './wizard-access.ts'

/** Finds faults of the files that a step names, as a transaction sees them. */
export async function findStepFileFaults(
  tx: Tx,
  { view, context }: WizardUse,
  { fields }: Step,
  { forms }: TakenStep,
): Promise<FieldErrors> {
  const faults: FieldErrors = {}
  const scope = { tx, context, row: undefined, view: { fields: [], entity: uploadOwner(view) } }
  for (const { prefix, values } of forms) {
    const own = await findFileFaults(scope, fields, values)
    for (const [name, fault] of Object.entries(own)) faults[`${prefix}${name}`] = fault
  }
  return faults
}
