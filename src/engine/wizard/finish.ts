/** The end of a run: every step once more, then its effects, in one transaction. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlArg, SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { Entity } from '../../model/compiled/entity.ts'
import { STEP_KINDS, type StepField } from '../../model/compiled/wizard.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { type EffectRun, runEffects } from '../object/after-write/effects.ts'
import { takeDispatch } from '../object/after-write/pending-events.ts'
import { mayLabel } from '../object/form/lookup.ts'
import { type Mutation, writeMutation } from '../object/mutation.ts'
import { isStepHidden } from '../object/read/permissions.ts'
import { type ConstraintOwner, ownerOf } from '../object/rules/constraint.ts'
import { maskFaults, shownFieldsOf, type ShowsField } from '../object/rules/masked-faults.ts'
import type { ObjectActionResult } from '../object/schema.ts'
import { toArg } from '../object/value.ts'
import { holdUploads } from './held-uploads.ts'
import { listLostValues } from './lost-values.ts'
import { findPosition } from './position.ts'
import { deleteRun, findRun, missingRun, type WizardRun } from './run-records.ts'
import { requireFiles, requireVersion } from './run-steps.ts'
import type { FinishRequest } from './schema.ts'
import { nameStep, takeStep } from './take-step.ts'
import {
  comesNext,
  listFieldsFor,
  type StepAccess,
  type WizardAccess,
  type WizardUse,
} from './wizard-access.ts'

/**
 * Takes the last step's values, validates all steps again as they are stored, in order and by the
 * present rights, lookups and rules, runs the effects, and removes the run.
 * @throws validation with the name of the failing step, invalid before the last step
 */
export async function finishRun(
  mutation: Mutation,
  { run: before, ...use }: WizardUse & { run: WizardRun },
  { Values, Version }: FinishRequest,
): Promise<ObjectActionResult> {
  const { caller, context } = mutation
  const { now } = context
  return writeMutation(mutation, use.view.name, async (tx) => {
    const run = await findRun(tx, caller, before.Id, now)
    if (!run) throw missingRun()
    requireVersion(run, Version)
    const access = { ...use, reader: tx }
    const { bound, ignored } = await takeAll(access, run, Values)
    const lost = listLostValues(run, access)
    const key = await runFinish(tx, mutation, use, bound)
    await deleteRun(tx, run)
    await holdUploads(tx, undefined, { caller, wizard: use.wizard, now, before: run })
    await audit(tx, mutation, run)
    return {
      Action: 'finish',
      Keys: key,
      Ignored: [...ignored, ...lost],
      Dispatch: takeDispatch(tx),
    }
  })
}

type Bound = ReadonlyMap<string, SqlValue>

/** Goes through all steps again; values given in a step that is passed over bind NULL. */
async function takeAll(
  access: WizardAccess<Tx>,
  run: WizardRun,
  last: FinishRequest['Values'],
): Promise<{ bound: Bound; ignored: readonly string[] }> {
  const { step: asking } = await findPosition(access, run)
  let bound: Bound = new Map()
  let ignored: readonly string[] = []
  let isOver = false
  const earlier: StepField[] = []
  for (const step of access.wizard.steps) {
    if (!(await comesNext(access, step, bound))) continue
    if (isOver)
      throw invalid(say`The step ${step.label} is still open. Continue with next.`, {
        code: 'WIZARD_NOT_AT_END',
      })
    isOver = step === asking
    const given = run.Given[step.name]
    const sent = isOver && last ? last : asSent(given, step)
    const taken = await takeOne({ ...access, step, bound, earlier: [...earlier] }, sent)
    if (isOver && last) ignored = taken.ignored
    bound = new Map([...bound, ...taken.values])
    if (STEP_KINDS[step.kind].binds === 'fields') earlier.push(...step.fields)
  }
  return { bound, ignored }
}

/** The stored values of a step, in the form of a request. */
function asSent(given: unknown, { name, kind }: StepAccess['step']): Record<string, unknown> {
  if (STEP_KINDS[kind].hasRows) return { [name]: given ?? [] }
  return typeof given === 'object' && given !== null ? { ...given } : {}
}

async function takeOne(access: StepAccess<Tx>, sent: Record<string, unknown>) {
  const { step, reader } = access
  try {
    const taken = await takeStep(access, sent)
    await requireFiles(reader, access, { step, taken })
    return taken
  } catch (error) {
    throw nameStep(error, step)
  }
}

/** Runs the effects; resolves to the key of the first record that they made of the entity. */
async function runFinish(
  tx: Tx,
  mutation: Mutation,
  use: WizardUse,
  bound: Bound,
): Promise<Record<string, unknown> | null> {
  const { entity } = use.wizard
  const effects = () => runEffects(planRun(tx, mutation, use, bound))
  try {
    if (!entity || entity.builtIn) {
      await effects()
      await tx.runAfterWrite()
      return null
    }
    const { key } = await tx.insertedBy(entity.name, effects)
    await tx.runAfterWrite()
    return key
      ? Object.fromEntries(entity.keys.map(({ name }, at) => [name, key[at] ?? null]))
      : null
  } catch (error) {
    throw maskFaults(error, shownTo(use))
  }
}

/** Faults name fields of the wizard that the caller sees, and columns that views show them. */
function shownTo({ view, wizard, grant, context }: WizardUse): ShowsField {
  const columns = shownFieldsOf({ view: { ...view, entity: wizard.entity }, grant, context })
  const own = new Set(listFieldsFor(wizard).keys())
  return (name) => (own.has(name.toLowerCase()) ? !isStepHidden(grant, name) : columns(name))
}

function planRun(
  tx: Tx,
  { context }: Mutation,
  { view, wizard, grant }: WizardUse,
  bound: Bound,
): EffectRun {
  const fields = listFieldsFor(wizard)
  const values = new Map<string, SqlArg>()
  for (const { name } of wizard.steps) values.set(name.toLowerCase(), null)
  for (const name of fields.keys()) values.set(name, null)
  for (const [name, value] of bound) values.set(name, toArg(fields.get(name), value))
  const { companyId } = grant.caller
  return {
    tx,
    context,
    effects: wizard.effects,
    of: `${view.name}.finish`,
    owner: { name: view.name, ...ownerIn(wizard.entity, fields) },
    company: companyId,
    shadowScope: 'company',
    values,
    former: undefined,
    row: undefined,
    reload: () => Promise.resolve(undefined),
    subject: { entity: undefined, key: undefined, company: companyId },
    sees: (name) => !isStepHidden(grant, name),
    mayLabel: (of) => mayLabel(of, grant),
  }
}

/** Violated constraints of the entity name its columns by the wizard's labels. */
function ownerIn(entity: Entity | undefined, own: ReadonlyMap<string, StepField>): ConstraintOwner {
  if (!entity) return { entity, fields: [] }
  const { fields } = ownerOf(entity)
  const labelled = fields.map((field) => ({
    ...field,
    label: own.get(field.name.toLowerCase())?.label ?? field.label,
  }))
  return { entity, fields: labelled }
}

async function audit(tx: Tx, mutation: Mutation, { Id, Wizard }: WizardRun): Promise<void> {
  const { caller, context, traceId } = mutation
  const actor = actorOf(caller, { now: context.now, source: Wizard, traceId })
  const changes = { Wizard: [Wizard, null] } as const
  await writeAudit(tx, actor, { entity: 'svc_wizard_runs', id: Id, action: 'finish', changes })
}
