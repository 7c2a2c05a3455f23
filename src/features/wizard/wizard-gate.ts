/** Gates of wizards: they find the wizard, and the run, as the caller may use them now. */
import { Failure } from '../../kernel/failure.ts'
import { textMember } from '../../kernel/members.ts'
import { Grant } from '../../access/rights/grant.ts'
import { newContext } from '../../engine/object/context.ts'
import type { WizardRun } from '../../engine/wizard/run-records.ts'
import { openRun } from '../../engine/wizard/runs.ts'
import { requireWizard, type WizardUse } from '../../engine/wizard/wizard-access.ts'
import type { RequestCall } from '../../server/call.ts'

/** Returns the caller, the model and the context of a call. */
export const scopeOf = ({ app, caller, model }: Pick<RequestCall, 'app' | 'caller' | 'model'>) => ({
  caller,
  model,
  context: newContext(app, caller, model),
})

/** The wizard that the path names. @throws notFound, denied without Create */
export function wizardOf(call: RequestCall): WizardUse {
  const { caller, model, context } = scopeOf(call)
  const { view, wizard } = requireWizard(model, textMember(call.params, 'name') ?? '')
  const grant = Grant.require(caller, model, view.resource, ['Create'])
  return { view, wizard, grant, context }
}

export type RunUse = WizardUse & { run: WizardRun }

/**
 * The run that the path names. Undefined for one that is not there, where the request has an
 * Idempotency-Key: a finish that is repeated gets its first answer, and its run no longer exists by
 * then.
 * @throws notFound, denied without Create
 */
export async function runOf(call: RequestCall): Promise<RunUse | undefined> {
  const { app, request, params } = call
  try {
    return await openRun(app.store, scopeOf(call), textMember(params, 'id') ?? '')
  } catch (error) {
    const isGone = error instanceof Failure && error.kind === 'notFound'
    if (isGone && request.headers.has('idempotency-key')) return undefined
    throw error
  }
}
