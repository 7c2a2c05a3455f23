/** An action of a user on an instance: a vote on its task, a move, or both. */
import { Failure, type FieldErrors, invalid, validation } from '../../kernel/failure.ts'
import { plain, say } from '../../kernel/messages.ts'
import type { SqlArg, SqlRow } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { Transition, Workflow } from '../../model/compiled/workflow.ts'
import { Grant } from '../../access/rights/grant.ts'
import { raiseAction } from '../object/after-write/pending-events.ts'
import { missingRecord } from '../object/form/load-form.ts'
import { mayLabel } from '../object/form/lookup.ts'
import { type Mutation, writeMutation } from '../object/mutation.ts'
import { purposeOf } from '../object/read/source.ts'
import {
  loadRow,
  notPermittedNow,
  openRecords,
  type RecordKey,
  requireStored,
  toRecordKey,
} from '../object/record/record.ts'
import { findBroken } from '../object/rules/entity-rules.ts'
import { holdsRule } from '../object/rules/field-condition.ts'
import { masking } from '../object/rules/masked-faults.ts'
import { findHidden } from '../object/rules/row-rules.ts'
import { toArg } from '../object/value.ts'
import type { RecordAccess } from '../object/view-access.ts'
import { readActionValues, validateParameters } from '../object/write/action-parameters.ts'
import { findFileFaults } from '../object/write/file-values.ts'
import { readComment } from './comment.ts'
import { addHistory } from './history.ts'
import { type Move, openMove, placeOf } from './instance-move.ts'
import {
  branchesOf,
  type BranchRow,
  findInstance,
  type InstanceRow,
  missingInstance,
  requireVersion,
  updateInstance,
} from './instance-rows.ts'
import { takeTransition } from './move.ts'
import type { MovedRecord } from './moved-record.ts'
import { findOpenTask, isTaskState, type TaskRow } from './task-rows.ts'
import { type PinnedInstance, requireMovable } from './versions.ts'
import { giveWord, requireSeat, type Seat } from './votes.ts'

/** The action, as a caller asks for it. */
interface ActionRequest {
  action: string
  comment: string | undefined
  /** Values by lower-case name. */
  parameters: ReadonlyMap<string, unknown>
  /** The version of the instance that the caller has seen. */
  version?: number | undefined
  /** The task to act on, where several branches have one. */
  taskId?: number | undefined
  /** Checks more of the record as it is stored; throws where it does not hold. */
  check?: (access: RecordAccess, stored: SqlRow) => Promise<void>
}

/** The result of an action. */
export interface ActionOutcome {
  access: RecordAccess
  key: RecordKey
  instance: InstanceRow
  workflow: Workflow
  /** Lower-case names of parameters that were sent although a condition bars them. */
  dropped: ReadonlySet<string>
}

/** The grant that an action takes. @throws denied; invalid for an unknown action */
export function requireAction(
  { caller, model }: Pick<Mutation, 'caller' | 'model'>,
  { workflow, view }: Pick<PinnedInstance, 'workflow' | 'view'>,
  name: string,
): { grant: Grant; action: string; right: string } {
  const key = name.toLowerCase()
  const found = workflow.transitions.find(
    ({ action, after }) => after === undefined && action.toLowerCase() === key,
  )
  if (!found) throw invalid(say`The workflow has no such action`, { code: 'ACTION_NOT_FOUND' })
  const { capability, action } = found
  const grant = capability
    ? Grant.requireCapability(caller, model, view.resource, capability)
    : Grant.require(caller, model, view.resource, ['Update'])
  return { grant, action, right: capability ?? 'Update' }
}

/**
 * Takes an action, in one transaction with all that follows from it; `present` makes the answer.
 * @throws denied, notFound, conflict, validation, invalid: then nothing has changed
 */
export function performAction<T>(
  mutation: Mutation,
  pinned: PinnedInstance,
  request: ActionRequest,
  present: (tx: Tx, outcome: ActionOutcome) => Promise<T>,
): Promise<T> {
  requireMovable(pinned)
  const { workflow, view } = pinned
  const { grant, action, right } = requireAction(mutation, pinned, request.action)
  const comment = readComment(request.comment)
  return writeMutation(mutation, view.name, async (tx) => {
    const access = openRecords(tx, mutation, { view, grant })
    const instance = await findInstance(tx, pinned.instance.Id)
    if (!instance || instance.VersionHash !== pinned.instance.VersionHash) throw missingInstance()
    const key = toRecordKey(access, JSON.parse(instance.RecordKey) as (string | number)[])
    const acting: Acting = {
      access,
      mutation,
      instance,
      workflow,
      key,
      action,
      right,
      request,
      comment,
    }
    const chosen = await choose(acting)
    const values = await validate(acting, chosen.transition)
    const said = { comment, forUserId: chosen.seat?.forUserId ?? null }
    const record = await openRecord(acting, chosen.transition, values)
    const move = openMove(record, instance)
    const words = { ...chosen, said, given: [...values.entries, ['comment', comment]] as Given }
    if (await masking(access, key, () => decide(move, acting, words))) raiseMove(move, action)
    await tx.runAfterWrite()
    return present(tx, { access, key, workflow, instance: move.instance, dropped: values.dropped })
  })
}

interface Acting {
  access: RecordAccess
  mutation: Mutation
  instance: InstanceRow
  workflow: Workflow
  key: RecordKey
  action: string
  /** The right that the action takes, whichever state it leaves. */
  right: string
  request: ActionRequest
  comment: string | null
}

/** A transition that may be taken now, from a branch or from the instance itself. */
interface Choice {
  transition: Transition
  branch: BranchRow | undefined
  task: TaskRow | undefined
  seat: Seat | undefined
}

type Given = readonly (readonly [string, SqlArg])[]

/**
 * Finds the first transition of the action, in the order of the document, that leads from a present
 * state, and whose condition holds. Rows and condition are checked first.
 */
async function choose(acting: Acting): Promise<Choice> {
  const { access, instance, workflow, key, action, right, request } = acting
  const { reader: tx } = access
  const branches = await branchesOf(tx, acting)
  const places = [undefined, ...branches]
  const candidates = places.flatMap((branch) =>
    workflow.transitions
      .filter((each) => each.action === action && each.after === undefined)
      .filter(({ from }) => from.includes((branch ?? instance).State))
      .map((transition) => ({ branch, transition })),
  )
  const purpose = purposeOf(right)
  let refusal: unknown = notPermittedNow()
  for (const { branch, transition } of candidates.length > 0 ? candidates : [NO_CANDIDATE]) {
    const { row, isPermitted } = await requireStored(access, key, purpose, transition?.when)
    requireVersion(instance, request.version)
    await request.check?.(access, row)
    if (!transition || !isPermitted || instance.Status !== 'Running') continue
    try {
      return { branch, transition, ...(await takeSeat(acting, branch)) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      refusal = error
    }
  }
  throw refusal
}

const NO_CANDIDATE = { branch: undefined, transition: undefined }

/** The caller's right to the task of a branch, where it has one. */
async function takeSeat(
  { access, instance, workflow, mutation, request }: Acting,
  branch: BranchRow | undefined,
): Promise<Pick<Choice, 'task' | 'seat'>> {
  const { reader: tx, context } = access
  const { State } = branch ?? instance
  const isTask = isTaskState(workflow, State)
  if (!isTask && request.taskId !== undefined) throw notPermittedNow()
  if (!isTask) return { task: undefined, seat: undefined }
  const of = { instance: instance.Id, branch: branch?.Id ?? null }
  const task = await findOpenTask(tx, of)
  if (!task || (request.taskId ?? task.Id) !== task.Id) throw notPermittedNow()
  const by = { caller: mutation.caller, now: context.now }
  return { task, seat: await requireSeat(tx, task, by) }
}

/** Values of the parameters, bound beside the record. */
interface Values {
  entries: Given
  dropped: ReadonlySet<string>
  output: SqlRow
  hidden: ReadonlySet<string>
}

async function validate(acting: Acting, transition: Transition): Promise<Values> {
  const { access, mutation, request, key, comment } = acting
  const { reader: tx, view, grant, context, entity } = access
  const { parameters } = request
  const read = readActionValues(transition, parameters)
  const output = await loadRow(access, key)
  if (!output) throw missingRecord()
  const hidden = await findHidden(access, key)
  const dropped = new Set<string>()
  const given = await validateParameters(
    {
      reader: tx,
      view,
      action: transition,
      grant,
      context,
      parameters,
      dropped,
      row: output,
      company: acting.instance.CompanyId,
    },
    read,
  )
  const files = { tx, view, context: mutation.context, row: output }
  const faults = await findFileFaults(files, transition.parameters, given)
  if (Object.keys(faults).length > 0) throw validation(faults)
  const entries = transition.parameters.map((each) => {
    const name = each.name.toLowerCase()
    return [name, toArg(each, given.get(name) ?? null)] as const
  })
  const row: SqlRow = { ...output, Comment: comment }
  for (const { name } of transition.parameters) row[name] = given.get(name.toLowerCase()) ?? null
  await masking(access, key, () => requireRules({ tx, entity, context, view }, transition, row))
  return { entries, dropped, output, hidden }
}

/** @throws validation for broken rules of the transition */
async function requireRules(
  { tx, entity, context, view }: Pick<MovedRecord, 'tx' | 'entity' | 'context' | 'view'>,
  { validates, parameters }: Transition,
  row: SqlRow,
): Promise<void> {
  const faults: FieldErrors = {}
  const draft = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]))
  const find = (name: string) =>
    parameters.find((each) => each.name.toLowerCase() === name.toLowerCase()) ??
    view.fieldByName.get(name.toLowerCase())
  for (const rule of validates)
    if (rule.kind === 'compare' && !holdsRule(rule, find, draft, context.caller?.timeZone ?? 'UTC'))
      faults[rule.field ?? ''] ??= plain(rule.message)
  const inSql = validates.filter(({ kind }) => kind === 'sql')
  const records = [{ row, former: { isNew: false, row } }]
  for (const { field, message } of await findBroken(tx, inSql, { entity, context, records }))
    faults[field] ??= message
  if (Object.keys(faults).length > 0) throw validation(faults)
}

async function openRecord(
  { access, mutation, instance, workflow, key }: Acting,
  transition: Transition,
  { output, hidden }: Values,
): Promise<MovedRecord> {
  const { reader: tx, view, entity, grant } = access
  return {
    tx,
    context: mutation.context,
    workflow,
    view,
    entity,
    row: output,
    key: JSON.parse(instance.RecordKey) as (string | number)[],
    company: instance.CompanyId,
    reload: () => loadRow(access, key),
    shadowScope: 'company',
    shown: {
      sees: (name) => grant.sees(name) && !hidden.has(name.toLowerCase()),
      mayLabel: (of) => transition.parameters.every((each) => each !== of) || mayLabel(of, grant),
    },
  }
}

/** Raises the action for its listeners once it moves, not for votes that decide nothing. */
function raiseMove({ record: { tx, view, key, entity, company } }: Move, action: string): void {
  raiseAction(tx, { view, key, action, company: entity.company ? company : null })
}

/** Stores the vote, and moves if it decides; resolves to whether it does. */
async function decide(
  move: Move,
  { mutation, workflow, action }: Acting,
  { transition, branch, task, seat, said, given }: Choice & { said: Said; given: Given },
): Promise<boolean> {
  const { record, instance } = move
  const place = placeOf(move, branch)
  const state = workflow.states.find(({ name }) => name === place.State)
  if (task && seat && state?.assignment) {
    const { caller, context } = mutation
    const word = { task, seat, caller, action, comment: said.comment, now: context.now }
    const { assignment } = state
    const effect = await giveWord(record.tx, word, { workflow, assignment })
    if (effect === 'repeats') return false
    if (effect === 'waits') {
      const entry = { ...said, action, branch, from: place.State, to: place.State }
      await addHistory(record, instance, entry)
      await updateInstance(record.tx, instance)
      return false
    }
  }
  await takeTransition(move, branch, { transition, said, given })
  return true
}

interface Said {
  comment: string | null
  forUserId: number | null
}
