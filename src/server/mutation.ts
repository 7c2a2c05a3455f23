/** Mutations of a request. */
import { type Mutation, newMutation } from '../engine/object/mutation.ts'
import type { AppContext } from './context.ts'
import type { RecordResponse } from './idempotent-response.ts'
import { modelOf } from './language.ts'
import { callerOf, traceIdOf } from './session.ts'

/**
 * The mutation of a request, by its caller. `recordResponse` commits with it;
 * `body` says whether it is held to the caller's company.
 */
export function planMutation(
  app: AppContext,
  request: Request,
  recordResponse: RecordResponse | undefined,
  body: { AllCompanies?: boolean } = {},
): Mutation {
  const by = { engine: app, caller: callerOf(request), model: modelOf(app, request) }
  const traceId = traceIdOf(request)
  return newMutation({ ...by, traceId }, { allCompanies: body.AllCompanies, recordResponse })
}
