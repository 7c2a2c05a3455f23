/** Values of a run that a deploy took from it: the next answer tells their owner. */
import { joinMisfit, listMisfits } from '../../model/fields/misfits.ts'
import { isStepHidden } from '../object/read/permissions.ts'
import type { WizardRun } from './run-records.ts'
import type { WizardAccess } from './wizard-access.ts'

/** Tells whether a run was last written by the present version of the wizard. */
export const isOfNow = (
  { VersionHash }: Pick<WizardRun, 'VersionHash'>,
  { view }: Pick<WizardAccess, 'view'>,
): boolean => VersionHash === view.versionHash

/**
 * Lists `Step.Field` of given values that have no place in the present wizard. Removed steps and
 * fields are named once, when the run continues with another wizard than before; values that a
 * field does not take, until it is given again. Hidden fields are left out.
 */
export function listLostValues(
  run: Pick<WizardRun, 'Given' | 'VersionHash'>,
  access: Pick<WizardAccess, 'view' | 'wizard' | 'grant'>,
): string[] {
  const tellsGone = !isOfNow(run, access)
  return listMisfits(access.wizard, run.Given).flatMap(({ step, field, reason }) => {
    const name = field.slice(field.lastIndexOf('.') + 1)
    const isTold = (reason === 'value' || tellsGone) && !isStepHidden(access.grant, name)
    return isTold ? [joinMisfit(step, field)] : []
  })
}
