/** What a request changes records with. */
import { newContext, type Mutation } from '../engine/object/write/mutation.ts'
import type { AppContext } from './context.ts'
import { modelOf } from './language.ts'
import type { Seal } from './once.ts'
import { callerOf, traceIdOf } from './session.ts'

/**
 * The mutation of a request, by its caller and in their language. `seal` commits with it; `body`
 * says whether it is held to the caller's company.
 */
export function planMutation(
  app: AppContext,
  request: Request,
  seal: Seal | undefined,
  body: { AllCompanies?: boolean } = {},
): Mutation {
  const caller = callerOf(request)
  const model = modelOf(app, request)
  return {
    ...{ engine: app, caller, model, served: app.models.get(), seal },
    context: newContext(app, caller, model),
    traceId: traceIdOf(request),
    allCompanies: body.AllCompanies ?? false,
  }
}
