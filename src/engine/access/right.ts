/** What a question is about: a verb, capability or action on a view or another resource. */
import { invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AuthoredCondition, Model, View } from '../../model/model.ts'
import { VERBS } from '../../model/model.ts'
import { listBoardResources } from './resources.ts'

/** A right on a resource, with what must hold of a record for it. */
export interface RequestedRight {
  /** Undefined for a resource that no view bears: a report, a procedure. */
  readonly view: View | undefined
  readonly resource: string
  /** A verb or capability. */
  readonly right: string
  readonly condition: AuthoredCondition | undefined
}

/** Throws 404 for an unknown object, 400 for what is no verb, capability or action of it. */
export function planRight(model: Model, object: string, verb: string): RequestedRight {
  const view = model.viewByKey.get(object.toLowerCase())
  const known = listBoardResources(model).find(
    ({ id, kind }) => kind !== 'Role' && id.toLowerCase() === object.toLowerCase(),
  )
  const resource = view?.resource ?? known?.id
  if (resource === undefined) throw notFound(say`No object of this name`)
  const key = verb.toLowerCase()
  const right = [...VERBS, ...model.capabilities.keys(), ...(known?.rights ?? [])].find(
    (each) => each.toLowerCase() === key,
  )
  if (right !== undefined) return { view, resource, right, condition: findPermit(view, right) }
  const action = view?.rowActions.find(({ name }) => name.toLowerCase() === key)
  if (!action) throw invalid(say`There is no verb, capability or action of this name here`)
  return { view, resource, right: action.capability ?? 'Update', condition: action.when }
}

const findPermit = (view: View | undefined, right: string): AuthoredCondition | undefined =>
  view?.permits.find(({ capability }) => capability === right)?.when
