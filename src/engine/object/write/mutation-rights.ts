/**
 * Mutations as their requests name them: what each is about and the rights that it needs, planned
 * once for the gate of its route, for a remembered answer and for the work itself. A request may
 * not be validated yet: what it does not name is undefined here and refused later.
 */
import { isTrueMember, recordMember, textMember } from '../../../kernel/members.ts'
import type { RowAction } from '../../../model/compiled/action.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Model } from '../../../model/model.ts'
import type { Caller } from '../../../access/callers/caller.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { readParameters } from '../parameters.ts'
import { namesRecord } from '../read/find-view.ts'

/** A need of a mutation: one of these verbs and capabilities on the resource. */
export interface NeededRight {
  readonly resource: string
  readonly rights: readonly string[]
}

/** Rights on a detail: which of them its rows need is known row by row. */
export const DETAIL_RIGHTS = ['View', 'Create', 'Update', 'Delete'] as const

/** A submit: of a stored record, or of a new one. */
interface SubmitPlan {
  verb: 'Create' | 'Update'
  /** True where the request says that the record is new, whatever key it gives. */
  isNew: boolean
  parameters: Map<string, unknown>
}

/** Plans a submit on a view by its `Parameters` and `IsNew`. */
export function planSubmit(view: View, request: unknown): SubmitPlan {
  const parameters = readParameters(recordMember(request, 'Parameters'))
  const isNew = isTrueMember(request, 'IsNew')
  const verb = namesRecord(view, parameters) && !isNew ? 'Update' : 'Create'
  return { verb, isNew, parameters }
}

/** The rights of a submit: on its record, and on each of its details. */
export function listSubmitRights(model: Model, request: unknown): NeededRight[] {
  const view = findView(model, request, 'FormName')
  if (!view) return []
  const { verb } = planSubmit(view, request)
  const names = Object.keys(recordMember(request, 'Details') ?? {}).map((name) =>
    name.toLowerCase(),
  )
  const details = view.details
    .filter((detail) => names.includes(detail.name.toLowerCase()))
    .flatMap((detail) => model.viewByKey.get(detail.view.toLowerCase()) ?? [])
  return [
    { resource: view.resource, rights: [verb] },
    ...details.map(({ resource }) => ({ resource, rights: DETAIL_RIGHTS })),
  ]
}

/** The right of a delete. */
export function listDeleteRights(model: Model, request: unknown): NeededRight[] {
  const view = findView(model, request, 'ObjectName')
  return view ? [{ resource: view.resource, rights: ['Delete'] }] : []
}

/** A row action: undefined where the view has none of the name. */
interface ActionUse {
  view: View
  action: RowAction | undefined
}

/** Finds a row action of a view by the `ActionName`. */
export function findAction(view: View, request: unknown): ActionUse {
  const name = textMember(request, 'ActionName')?.toLowerCase()
  return { view, action: view.rowActions.find((action) => action.name.toLowerCase() === name) }
}

/** The right that an action takes: its capability, and Update without one. */
export const rightOf = (action: RowAction | undefined): string => action?.capability ?? 'Update'

/** The right of a row action; a missing one takes Update, and so tells nothing of itself. */
export function listActionRights(model: Model, request: unknown): NeededRight[] {
  const view = findView(model, request, 'ObjectName')
  if (!view) return []
  return [{ resource: view.resource, rights: [rightOf(findAction(view, request).action)] }]
}

/** The grant of a row action. @throws denied */
export function requireActionGrant(
  { caller, model }: { caller: Caller; model: Model },
  { view, action }: ActionUse,
  { allCompanies }: { allCompanies?: boolean } = {},
): Grant {
  return action?.capability
    ? Grant.requireCapability(caller, model, view.resource, action.capability, { allCompanies })
    : Grant.require(caller, model, view.resource, ['Update'], { allCompanies })
}

const findView = (model: Model, request: unknown, place: string): View | undefined => {
  const name = textMember(request, place)
  return name === undefined ? undefined : model.viewByKey.get(name.toLowerCase())
}
