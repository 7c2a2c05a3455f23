/** POST /execute-row-action: a declared action on a row, on the selected rows, or on none. */
import { invalid, validation } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { RowAction } from '../../../model/compiled/action.ts'
import type { View } from '../../../model/compiled/view.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { type EffectRun, runEffects } from '../after-write/effects.ts'
import { raiseAction, takeDispatch } from '../after-write/pending-events.ts'
import { addTrace } from '../after-write/record-traces.ts'
import { missingRecord } from '../form/load-form.ts'
import { mayLabel } from '../form/lookup.ts'
import { type Mutation, writeMutation } from '../mutation.ts'
import { readParameters } from '../parameters.ts'
import { requireRowAction, requireView } from '../read/find-view.ts'
import { purposeOf } from '../read/source.ts'
import { companyOf } from '../record/record-values.ts'
import {
  keyValues,
  loadRow,
  loadSaved,
  openRecords,
  type RecordKey,
  requireKey,
} from '../record/record.ts'
import { requireChangeable } from '../rules/conflict.ts'
import { masking } from '../rules/masked-faults.ts'
import { findHidden } from '../rules/row-rules.ts'
import type { Dispatch, ExecuteRowActionRequest, ObjectActionResult } from '../schema.ts'
import { toArg } from '../value.ts'
import type { RecordAccess } from '../view-access.ts'
import { readActionValues, validateParameters } from './action-parameters.ts'
import { namesOfKey } from './delete-row.ts'
import { findFileFaults } from './file-values.ts'
import { findAction, requireActionGrant } from './mutation-rights.ts'
import { listIgnored, stampOf, toWireKey } from './result.ts'

const ACTION_ROWS_MAX = 5000

/** An action that passed its gate. */
interface ActionPlan {
  view: View
  action: RowAction
  grant: Grant
  /** Typed parameters of the action by lower-case name. */
  values: Map<string, SqlValue>
  parameters: Map<string, unknown>
  /** Lower-case names of parameters that came and that a condition barred on some row. */
  dropped: Set<string>
}

/** @throws denied, notFound, validation, conflict, invalid; every refusal leaves nothing. */
export async function executeRowAction(
  mutation: Mutation,
  request: ExecuteRowActionRequest,
): Promise<ObjectActionResult> {
  const plan = planAction(mutation, request)
  const { view, action } = plan
  const rows = requireRows(plan, request)
  return writeMutation(mutation, view.name, async (tx) => {
    const done: Done[] = []
    if (action.for === 'View') await runOnView(tx, mutation, plan)
    for (const row of rows) done.push(await runOnRow(tx, mutation, plan, row))
    await tx.runAfterWrite()
    const keys = done.map(({ key }) => key)
    const result = toResult(plan, request, { keys, dispatch: takeDispatch(tx) })
    return { ...result, ...(await loadStored(action, done)) }
  })
}

/** A record that an action ran on. */
interface Done {
  access: RecordAccess
  key: RecordKey
}

/**
 * The one record of an action as it is stored now, so that a save needs no reload; nothing where it
 * is removed, or has left the rows that the caller reads.
 */
async function loadStored(
  action: RowAction,
  [done]: readonly Done[],
): Promise<Pick<ObjectActionResult, 'RowVersion' | 'Values'>> {
  if (action.for !== 'Row' || !done?.access.grant.reads) return {}
  const values = await loadSaved(done.access, done.key, 'read')
  return values ? { ...stampOf(done.access.view, values), Values: values } : {}
}

function toResult(
  plan: ActionPlan,
  request: ExecuteRowActionRequest,
  { keys, dispatch }: { keys: readonly RecordKey[]; dispatch: readonly Dispatch[] },
): ObjectActionResult {
  const { action } = plan
  const wire = keys.map(toWireKey)
  return {
    Action: action.name,
    Keys: action.for === 'Rows' ? wire : (wire[0] ?? null),
    Ignored: listDropped(plan, request),
    Dispatch: dedupe(dispatch),
  }
}

/** Lists names of the request that the action did not use or a condition barred on some row. */
function listDropped(
  { view, action, dropped }: ActionPlan,
  { Parameters, Keys }: ExecuteRowActionRequest,
): string[] {
  const own = action.parameters.map(({ name }) => name.toLowerCase())
  const isSelected = action.for === 'Rows' && (Keys?.length ?? 0) > 0
  const ofRow = namesOfKey(view)
  const isOnRow = action.for !== 'View' && !isSelected
  const taken = new Set([...own.filter((name) => !dropped.has(name)), ...(isOnRow ? ofRow : [])])
  const rows = isSelected ? (Keys ?? []) : []
  return [
    ...listIgnored(Parameters, taken),
    ...rows.flatMap((row, at) => listIgnored(row, ofRow, `Keys[${at}].`)),
  ]
}

/**
 * The gate of an action is its capability, and Update without one (src/model/README.md, Permit).
 */
function planAction(mutation: Mutation, request: ExecuteRowActionRequest): ActionPlan {
  const view = requireView(mutation.model, request.ObjectName)
  const grant = requireActionGrant(mutation, findAction(view, request), mutation)
  const action = requireRowAction(view, request.ActionName)
  if (action.opens)
    throw invalid(say`'${action.name}' only opens another page and cannot be run here`)
  const parameters = readParameters(request.Parameters)
  const values = readActionValues(action, parameters)
  return { view, action, grant, parameters, values, dropped: new Set() }
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
    throw invalid(say`An action can run on at most ${ACTION_ROWS_MAX} rows at once`)
  }
  return request.Keys.map((item) => {
    const own = readParameters(item)
    return { parameters: own, stamp: own.get('rowversion') }
  })
}

async function runOnView(tx: Tx, mutation: Mutation, plan: ActionPlan): Promise<void> {
  const { view, grant } = plan
  const { caller, context } = mutation
  const on = { row: undefined, company: caller.companyId }
  const valid = await validatePlan(tx, mutation, plan, on)
  const access = { reader: tx, view, grant, context }
  await masking(access, undefined, () => runEffects(planRun(tx, mutation, valid, {})))
}

async function runOnRow(
  tx: Tx,
  mutation: Mutation,
  plan: ActionPlan,
  row: { parameters: Map<string, unknown>; stamp: unknown },
): Promise<Done> {
  const { view, action } = plan
  const access = openRecords(tx, mutation, plan)
  const key = requireKey(access, row.parameters)
  const stored = await requireChangeable(access, key, {
    purpose: purposeOf(action.capability ?? 'Update'),
    permit: action.when,
    given: row.stamp,
    isRequired: false,
  })
  const output = await loadRow(access, key)
  if (!output) throw missingRecord()
  const subject = subjectOf(access, key, stored)
  const former = { isNew: false, row: stored }
  const hidden = await findHidden(access, key)
  const reload = () => loadRow(access, key)
  const on = { row: output, former, reload, subject, hidden }
  const valid = await validatePlan(tx, mutation, plan, { row: output, company: subject.company })
  const facts = { Action: action.name, Object: view.name }
  addTrace(tx, { ...subject, entity: access.entity, action: 'action', facts })
  await masking(access, key, () => runEffects(planRun(tx, mutation, valid, on)))
  raiseAction(tx, { view, key: subject.key, action: action.name, company: subject.company })
  return { access, key }
}

/** The plan with the parameters as they are beside this row. @throws validation. */
async function validatePlan(
  tx: Tx,
  { context }: Mutation,
  plan: ActionPlan,
  on: { row: SqlRow | undefined; company: SqlValue },
): Promise<ActionPlan> {
  const { view, action, grant, parameters } = plan
  const dropped = new Set<string>()
  const access = { reader: tx, view, action, grant, context, parameters, dropped, ...on }
  const values = await validateParameters(access, plan.values)
  for (const name of dropped) plan.dropped.add(name)
  const faults = await findFileFaults({ tx, view, context, row: on.row }, action.parameters, values)
  if (Object.keys(faults).length > 0) throw validation(faults)
  return { ...plan, values }
}

function subjectOf({ entity, context }: RecordAccess, key: RecordKey, stored: SqlRow) {
  return {
    entity: entity.name,
    key: keyValues(entity, key),
    company: companyOf(entity, stored, context),
  }
}

/** The row that an action runs on, or none. */
interface ActionTarget extends Partial<Pick<EffectRun, 'row' | 'former' | 'reload' | 'subject'>> {
  /** Lower-case names of the fields that the row hides from the caller. */
  hidden?: ReadonlySet<string>
}

function planRun(
  tx: Tx,
  mutation: Mutation,
  { view, action, grant, values }: ActionPlan,
  { row, former, reload, subject, hidden }: ActionTarget,
): EffectRun {
  const known = new Map<string, SqlArg>()
  for (const [name, value] of Object.entries(row ?? {})) {
    known.set(name.toLowerCase(), toArg(view.fieldByName.get(name.toLowerCase()), value))
  }
  for (const parameter of action.parameters) {
    const name = parameter.name.toLowerCase()
    known.set(name, toArg(parameter, values.get(name) ?? null))
  }
  const { companyId } = grant.caller
  return {
    tx,
    context: mutation.context,
    owner: view,
    effects: action.effects,
    of: `${view.name}.${action.name}`,
    company: companyId,
    shadowScope: grant.allCompanies ? 'all' : 'company',
    values: known,
    former,
    row,
    reload: reload ?? (() => Promise.resolve(undefined)),
    subject: subject ?? { entity: undefined, key: undefined, company: companyId },
    sees: (name) => grant.sees(name) && !hidden?.has(name.toLowerCase()),
    mayLabel: (of) => action.parameters.every((each) => each !== of) || mayLabel(of, grant),
  }
}

/** One envelope of a kind is enough, however many rows sent it. */
function dedupe(dispatch: readonly Dispatch[]): Dispatch[] {
  const known = new Set<string>()
  return dispatch.filter((envelope) => {
    const text = JSON.stringify(envelope)
    return !known.has(text) && known.add(text)
  })
}
