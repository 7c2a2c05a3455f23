/** Gates of wizards: they find the wizard, and the run, as the caller may use them now. */
import { Failure } from '../../kernel/failure.ts'
import { Grant } from '../../access/rights/grant.ts'
import { newContext } from '../../engine/object/context.ts'
import type { WizardRun } from '../../engine/wizard/run-records.ts'
import { openRun } from '../../engine/wizard/runs.ts'
import { requireWizard, type WizardUse } from '../../engine/wizard/wizard-access.ts'
import type { AppContext } from '../../server/context.ts'
import { type Incoming, textMember } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { callerOf } from '../../server/session.ts'

/** Returns the caller, the model and the context of a request. */
export function scopeOf(app: AppContext, request: Request) {
  const caller = callerOf(request)
  const model = modelOf(app, request)
  return { caller, model, context: newContext(app, caller, model) }
}

/** The wizard that the path names. @throws notFound, denied without Create */
export function wizardOf(app: AppContext, { request, params }: Incoming): WizardUse {
  const { caller, model, context } = scopeOf(app, request)
  const { view, wizard } = requireWizard(model, textMember(params, 'name') ?? '')
  const grant = Grant.require(caller, model, view.resource, ['Create'])
  return { view, wizard, grant, context }
}

export type RunUse = WizardUse & { run: WizardRun }

/**
 * The run that the path names. Undefined for one that is not there, where the request has an
 * Idempotency-Key: a finish that is repeated gets its first answer, and its run is gone by then.
 * @throws notFound, denied without Create
 */
export async function runOf(
  app: AppContext,
  { request, params }: Incoming,
): Promise<RunUse | undefined> {
  try {
    return await openRun(app.store, scopeOf(app, request), textMember(params, 'id') ?? '')
  } catch (error) {
    const isGone = error instanceof Failure && error.kind === 'notFound'
    if (isGone && request.headers.has('idempotency-key')) return undefined
    throw error
  }
}
