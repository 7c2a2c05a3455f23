/** Gates of the object routes: passed before anything of a body but its object's name is used. */
import { Grant } from '../../access/grant.ts'
import type { View, Verb } from '../../model/model.ts'
import { requireView } from '../../engine/object/find-view.ts'
import type { AppContext } from '../../server/context.ts'
import { modelOf } from '../../server/language.ts'
import { callerOf } from '../../server/session.ts'

/** What a route's hook sees of a request before its body is validated. */
interface Incoming {
  request: Request
  params?: unknown
  body?: unknown
}

/** The gate of a route that names its object in the path: any of the verbs. */
export function pathGate(app: AppContext, verbs: readonly Verb[]) {
  return ({ request, params }: Incoming): void => {
    requireGrant(app, request, textMember(params, 'name') ?? '', verbs)
  }
}

/**
 * The gate of a route that names its object in the body; a body without the name fails validation.
 */
export function bodyGate(app: AppContext, member: string, verbs: readonly Verb[]) {
  return ({ request, body }: Incoming): void => {
    const name = textMember(body, member)
    if (name !== undefined) requireGrant(app, request, name, verbs)
  }
}

/**
 * The gate of a row action: its capability, else Update; an action that is not there tells nothing.
 */
export function actionGate(app: AppContext) {
  return ({ request, body }: Incoming): void => {
    const name = textMember(body, 'ObjectName')
    if (name === undefined) return
    const caller = callerOf(request)
    const model = modelOf(app, request)
    const view = requireView(model, name)
    const key = textMember(body, 'ActionName')?.toLowerCase()
    const action = view.rowActions.find((candidate) => candidate.name.toLowerCase() === key)
    if (action?.capability) {
      Grant.requireCapability(caller, model, view.resource, action.capability)
    } else Grant.require(caller, model, view.resource, ['Update'])
  }
}

/** The view and the caller's grant for it. @throws notFound, denied. */
export function requireGrant(
  app: AppContext,
  request: Request,
  name: string,
  verbs: readonly Verb[],
  allCompanies = false,
): { view: View; grant: Grant } {
  const model = modelOf(app, request)
  const view = requireView(model, name)
  const grant = Grant.require(callerOf(request), model, view.resource, verbs, { allCompanies })
  return { view, grant }
}

function textMember(holder: unknown, name: string): string | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined
  const value: unknown = Reflect.get(holder, name)
  return typeof value === 'string' ? value : undefined
}
