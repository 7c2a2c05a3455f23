/** Values of a run that a deploy took from it: their owner is told with the next answer. */
import { joinMisfit, listMisfits } from '../../model/given-values.ts'
import { isStepHidden } from '../object/read/permissions.ts'
import type { WizardRun } from './run-records.ts'
import type { WizardAccess } from './wizard-access.ts'

/** Whether a run was written last by the wizard of now. */
export const isOfNow = (
  { VersionHash }: Pick<WizardRun, 'VersionHash'>,
  { view }: Pick<WizardAccess, 'view'>,
): boolean => VersionHash === view.versionHash

/**
 * `Step.Field` of what was given and has no place in the wizard of now. Steps and fields that are
 * gone are named once, when the run goes on with another wizard than before; values that a field
 * does not take, until it is given anew. Of hidden fields nothing is told.
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
