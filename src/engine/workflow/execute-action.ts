/** POST /execute-row-action: an action of the view's own, or of the workflow that moves it. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { RowAction } from '../../model/compiled/action.ts'
import type { View } from '../../model/compiled/view.ts'
import { Grant } from '../../access/rights/grant.ts'
import { takeDispatch } from '../object/after-write/pending-events.ts'
import { newContext } from '../object/context.ts'
import type { Mutation } from '../object/mutation.ts'
import { readParameters } from '../object/parameters.ts'
import { requireView } from '../object/read/find-view.ts'
import { purposeOf } from '../object/read/source.ts'
import {
  keyValues,
  loadSaved,
  requireEntity,
  requireKey,
  requireStored,
} from '../object/record/record.ts'
import { keyText } from '../object/record/written-row.ts'
import { requireStamp } from '../object/rules/conflict.ts'
import type { ExecuteRowActionRequest, ObjectActionResult } from '../object/schema.ts'
import { namesOfKey } from '../object/write/delete-row.ts'
import { findAction, rightOf } from '../object/write/mutation-rights.ts'
import { listIgnored, stampOf, toWireKey } from '../object/write/result.ts'
import { executeRowAction } from '../object/write/row-action.ts'
import { type ActionOutcome, performAction } from './act.ts'
import { findRunning } from './instance-rows.ts'
import { pin } from './versions.ts'

/** @throws as `executeRowAction` and `performAction` */
export function executeAction(
  mutation: Mutation,
  request: ExecuteRowActionRequest,
): Promise<ObjectActionResult> {
  const view = requireView(mutation.model, request.ObjectName)
  const { action } = findAction(view, request)
  if (action?.workflow === undefined) return executeRowAction(mutation, request)
  return moveRecord(mutation, request, { view, action, workflow: action.workflow })
}

/** The action of a workflow on the record of a row, by its instance. */
async function moveRecord(
  mutation: Mutation,
  request: ExecuteRowActionRequest,
  { view, action, workflow }: { view: View; action: RowAction; workflow: string },
): Promise<ObjectActionResult> {
  const { caller, model, engine } = mutation
  const right = rightOf(action)
  const grant = Grant.requireCapability(caller, model, view.resource, right)
  const entity = requireEntity(view)
  const parameters = readParameters(request.Parameters)
  const use = { view, grant, entity, context: newContext(engine, caller, model) }
  const key = requireKey(use, parameters)
  const reader = engine.store
  // A record that the caller does not reach is missing for them, with or without an instance.
  await requireStored({ ...use, reader }, key, purposeOf(right))
  const of = { entity: entity.name, key: keyText(keyValues(entity, key)), workflow }
  const instance = await findRunning(reader, of)
  if (!instance)
    throw invalid(say`No workflow is running for this record`, { code: 'NOT_PERMITTED_NOW' })
  const pinned = await pin(engine, model, instance)
  const given = request.RowVersion ?? parameters.get('rowversion')
  const wanted = {
    action: action.name,
    parameters,
    comment: readText(parameters.get('comment')),
    check: (access: ActionOutcome['access'], stored: SqlRow) =>
      requireStamp(access, key, stored, { given, isRequired: false, merge: undefined }),
  }
  return performAction(mutation, pinned, wanted, (tx, outcome) =>
    toResult(tx, outcome, { action, request, view }),
  )
}

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

async function toResult(
  tx: Tx,
  { access, key, dropped }: ActionOutcome,
  { action, request, view }: { action: RowAction; request: ExecuteRowActionRequest; view: View },
): Promise<ObjectActionResult> {
  const own = action.parameters.map(({ name }) => name.toLowerCase())
  const taken = new Set([...own.filter((name) => !dropped.has(name)), ...namesOfKey(view)])
  const values = access.grant.reads ? await loadSaved(access, key, 'read') : undefined
  return {
    Action: action.name,
    Keys: toWireKey(key),
    Dispatch: takeDispatch(tx),
    Ignored: listIgnored(request.Parameters, taken.add('comment')),
    ...(values && { ...stampOf(view, values), Values: values }),
  }
}
