/** Gates of the object routes that need more than a verb. */
import type { Model } from '../../model/model.ts'
import { Grant } from '../../access/rights/grant.ts'
import { readParameters } from '../../engine/object/parameters.ts'
import { namesRecord, requireView } from '../../engine/object/read/find-view.ts'
import type { RequestCall } from '../../server/call.ts'
import { textMember } from '../../server/gate.ts'
import type { PassedGate } from '../../server/idempotency.ts'

/**
 * Passes the gate of a row action: its capability, else Update; a missing action reveals nothing.
 */
export function requireActionGate({ caller, model, body }: RequestCall): undefined {
  const name = textMember(body, 'ObjectName')
  if (name === undefined) return
  const view = requireView(model, name)
  const key = textMember(body, 'ActionName')?.toLowerCase()
  const action = view.rowActions.find((candidate) => candidate.name.toLowerCase() === key)
  if (action?.capability) {
    Grant.requireCapability(caller, model, view.resource, action.capability)
  } else Grant.require(caller, model, view.resource, ['Update'])
}

/** The gates of a submit: of its record by whether it is stored, and of each of its details. */
export function findSubmitGates({ model, body }: RequestCall): PassedGate[] {
  const view = findNamed(model, textMember(body, 'FormName'))
  if (!view) return []
  const parameters = readParameters(recordMember(body, 'Parameters'))
  const isNew = Reflect.get(Object(body), 'IsNew') === true
  const right = namesRecord(view, parameters) && !isNew ? 'Update' : 'Create'
  const names = Object.keys(recordMember(body, 'Details') ?? {}).map((name) => name.toLowerCase())
  const details = view.details
    .filter((detail) => names.includes(detail.name.toLowerCase()))
    .flatMap((detail) => findNamed(model, detail.view) ?? [])
  const rights = ['View', 'Create', 'Update', 'Delete']
  return [
    { resource: view.resource, rights: [right] },
    ...details.map(({ resource }) => ({ resource, rights })),
  ]
}

/** The gate of a delete. */
export function findDeleteGates({ model, body }: RequestCall): PassedGate[] {
  const view = findNamed(model, textMember(body, 'ObjectName'))
  return view ? [{ resource: view.resource, rights: ['Delete'] }] : []
}

/** The gate of a row action. */
export function findActionGates({ model, body }: RequestCall): PassedGate[] {
  const view = findNamed(model, textMember(body, 'ObjectName'))
  const key = textMember(body, 'ActionName')?.toLowerCase()
  const action = view?.rowActions.find((candidate) => candidate.name.toLowerCase() === key)
  return view ? [{ resource: view.resource, rights: [action?.capability ?? 'Update'] }] : []
}

const findNamed = (model: Model, name: string | undefined) =>
  name === undefined ? undefined : model.viewByKey.get(name.toLowerCase())

/** A member of a body that was not validated yet, as a record. */
function recordMember(holder: unknown, name: string): Record<string, unknown> | undefined {
  const value: unknown = Reflect.get(Object(holder), name)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : undefined
}
