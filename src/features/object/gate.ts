/** Gates of the object routes that a verb alone does not tell. */
import { Grant } from '../../access/grant.ts'
import { requireView } from '../../engine/object/find-view.ts'
import type { AppContext } from '../../server/context.ts'
import { textMember } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { callerOf } from '../../server/session.ts'

/**
 * The gate of a row action: its capability, else Update; an action that is not there tells nothing.
 */
export function requireActionGate(app: AppContext, request: Request, body: unknown): void {
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
