/** POST /execute-row-action: a declared action on a row, on the selected rows, or on none. */
import { Grant } from '../../access/grant.ts'
import { invalid, validation, type FieldErrors } from '../../kernel/failure.ts'
import { checkField } from '../../model/fields/check.ts'
import type { RowAction, View } from '../../model/model.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { requireStamp } from './conflict.ts'
import { runEffects, type EffectScope } from './effects.ts'
import { requireRowAction, requireView } from './find-view.ts'
import { missingRecord } from './form.ts'
import { writeMutation, type Mutation } from './mutation.ts'
import { readParameters } from './parameters.ts'
import {
  loadRow,
  notPermittedNow,
  readKey,
  requireEntity,
  requireStored,
  type RecordKey,
  type RecordScope,
} from './record.ts'
import { toWireKey } from './result.ts'
import type { Purpose } from './source.ts'
import type { Dispatch, ExecuteRowActionRequest, ObjectActionResult } from './schema.ts'
import { parseValue, toArg } from './value.ts'

export const ACTION_ROWS_MAX = 5000

/** An action that passed its gate. */
interface ActionPlan {
  view: View
  action: RowAction
  grant: Grant
  /** Typed parameters of the action by lower-case name. */
  values: Map<string, SqlValue>
  parameters: Map<string, unknown>
}

/** @throws denied, notFound, validation, conflict, invalid; every refusal leaves nothing. */
export async function executeRowAction(
  mutation: Mutation,
  request: ExecuteRowActionRequest,
): Promise<ObjectActionResult> {
  const plan = planAction(mutation, request)
  const { view, action } = plan
  const dispatch: Dispatch[] = []
  const rows = requireRows(plan, request)
  const keys = await writeMutation(mutation, view.name, async (tx) => {
    dispatch.length = 0
    if (action.for === 'View') {
      await runEffects(effectScope(tx, mutation, plan, undefined), dispatch)
      await tx.settle()
      return []
    }
    const done: RecordKey[] = []
    for (const row of rows) done.push(await runOnRow(tx, mutation, plan, row, dispatch))
    await tx.settle()
    return done
  })
  const wire = keys.map(toWireKey)
  return {
    Action: action.name,
    Keys: action.for === 'Rows' ? wire : (wire[0] ?? null),
    Dispatch: dedupe(dispatch),
  }
}

/** The gate of an action is its capability, and Update without one (model language, Permit). */
function planAction(mutation: Mutation, request: ExecuteRowActionRequest): ActionPlan {
  const { caller, model, allCompanies } = mutation
  const view = requireView(model, request.ObjectName)
  const key = request.ActionName.toLowerCase()
  const capability = view.rowActions.find((a) => a.name.toLowerCase() === key)?.capability
  const grant = capability
    ? Grant.requireCapability(caller, model, view.resource, capability, { allCompanies })
    : Grant.require(caller, model, view.resource, ['Update'], { allCompanies })
  const action = requireRowAction(view, request.ActionName)
  if (action.opens) throw invalid(`'${action.name}' opens something and runs nothing here`)
  const parameters = readParameters(request.Parameters)
  return { view, action, grant, parameters, values: readActionValues(action, parameters) }
}

/** @throws validation for a parameter that is missing or does not fit. */
function readActionValues(
  action: RowAction,
  parameters: ReadonlyMap<string, unknown>,
): Map<string, SqlValue> {
  const values = new Map<string, SqlValue>()
  const faults: FieldErrors = {}
  for (const parameter of action.parameters) {
    const name = parameter.name.toLowerCase()
    const parsed = parseValue(parameter, parameters.get(name) ?? literalDefault(parameter))
    if (parsed.fault === undefined) {
      const message = checkField(parsed.value, parameter)
      if (message !== undefined) faults[parameter.name] = message
      values.set(name, parsed.value)
    } else faults[parameter.name] = parsed.fault
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
  return values
}

function literalDefault(parameter: RowAction['parameters'][number]): string | null {
  return parameter.default?.kind === 'literal' ? parameter.default.value : null
}

/** Key parameters of each row that the action runs on. */
function requireRows(
  { action, parameters }: ActionPlan,
  request: ExecuteRowActionRequest,
): { parameters: Map<string, unknown>; stamp: unknown }[] {
  if (action.for === 'View') return []
  const stamp = request.RowVersion ?? parameters.get('rowversion')
  if (action.for === 'Row' || !request.Keys?.length) return [{ parameters, stamp }]
  if (request.Keys.length > ACTION_ROWS_MAX) {
    throw invalid(`An action takes at most ${ACTION_ROWS_MAX} rows at once`)
  }
  return request.Keys.map((item) => {
    const own = readParameters(item)
    return { parameters: own, stamp: own.get('rowversion') }
  })
}

/** An action whose gate is a verb reaches the rows of that verb. */
const PURPOSES: ReadonlyMap<string, Purpose> = new Map([
  ['Update', 'update'],
  ['Delete', 'delete'],
])

async function runOnRow(
  tx: Tx,
  mutation: Mutation,
  plan: ActionPlan,
  row: { parameters: Map<string, unknown>; stamp: unknown },
  dispatch: Dispatch[],
): Promise<RecordKey> {
  const { view, grant, action } = plan
  const entity = requireEntity(view)
  const key = readKey(view, entity, row.parameters)
  if (!key)
    throw invalid(`Parameters must hold the key: ${view.keys.map((k) => k.name).join(', ')}`)
  const scope: RecordScope = { tx, view, entity, grant, context: mutation.context }
  const purpose = PURPOSES.get(action.capability ?? 'Update') ?? 'read'
  const found = await requireStored(scope, key, purpose, action.when)
  await requireStamp(scope, key, found.row, {
    given: row.stamp,
    isRequired: false,
    merge: undefined,
  })
  if (!found.isPermitted) throw notPermittedNow()
  const output = await loadRow(scope, key)
  if (!output) throw missingRecord()
  await runEffects(effectScope(tx, mutation, plan, { scope, key, output }), dispatch)
  return key
}

function effectScope(
  tx: Tx,
  mutation: Mutation,
  { view, action, grant, values, parameters }: ActionPlan,
  row: { scope: RecordScope; key: RecordKey; output: SqlRow } | undefined,
): EffectScope {
  const known = new Map<string, SqlArg>()
  for (const [name, value] of Object.entries(row?.output ?? {}))
    known.set(name.toLowerCase(), value)
  for (const parameter of action.parameters) {
    const name = parameter.name.toLowerCase()
    known.set(name, toArg(parameter, values.get(name) ?? null))
  }
  return {
    tx,
    view,
    grant,
    context: mutation.context,
    effects: action.effects,
    values: known,
    parameters,
    reload: row ? () => loadRow(row.scope, row.key) : undefined,
  }
}

/** One envelope of a kind is enough, however many rows sent it. */
function dedupe(dispatch: readonly Dispatch[]): Dispatch[] {
  const seen = new Set<string>()
  return dispatch.filter((envelope) => {
    const text = JSON.stringify(envelope)
    return !seen.has(text) && seen.add(text)
  })
}
