/** Runs of a caller, to list, read and end, and the form of a step without a run. */
import { notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { type Reader, type Store, systemScope } from '../../store/store.ts'
import { type Step, STEP_KINDS } from '../../model/compiled/wizard.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { Context } from '../object/context.ts'
import { mayGiveStep } from '../object/read/permissions.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { readGiven, readMembers, readRows } from './given-values.ts'
import { holdUploads } from './held-uploads.ts'
import { keepChoices } from './kept-choices.ts'
import { deleteRun, findRun, listRuns, missingRun, type WizardRun } from './run-records.ts'
import type { RunEntry, StepForm, StepFormRequest } from './schema.ts'
import { loadStepForm } from './step-form.ts'
import {
  type Bound,
  listEarlier,
  requireStep,
  type WizardAccess,
  type WizardUse,
} from './wizard-access.ts'

/**
 * A run of the caller's with its wizard, as they may use it now.
 * @throws notFound for any other run, and for a removed wizard; denied without Create
 */
export async function openRun(
  reader: Reader,
  { caller, model, context }: { caller: Caller; model: Model; context: Context },
  id: string,
): Promise<WizardUse & { run: WizardRun }> {
  const run = await findRun(reader, caller, id, context.now)
  if (!run) throw missingRun()
  const view = model.views.get(run.Wizard)
  if (!view?.wizard)
    throw notFound(say`The wizard of this run no longer exists`, { code: 'WIZARD_NOT_FOUND' })
  const grant = Grant.require(caller, model, view.resource, ['Create'])
  return { view, wizard: view.wizard, grant, context, run }
}

/** The caller's runs of wizards that they may continue, the latest first. */
export async function loadRuns(
  reader: Reader,
  { caller, model, context }: { caller: Caller; model: Model; context: Context },
): Promise<RunEntry[]> {
  const runs = await listRuns(reader, caller, context.now)
  return runs.flatMap((run) => {
    const view = model.views.get(run.Wizard)
    if (!view?.wizard || !Grant.find(caller, model, view.resource, 'Create')) return []
    const step = view.wizard.steps.find(({ name }) => name === run.Step)
    const { CreatedAt, ChangedAt, ExpiresAt } = run
    return [
      {
        RunId: run.Id,
        Wizard: view.name,
        Label: renderMessage(view.label, caller.language),
        Step: run.Step,
        StepLabel: step ? renderMessage(step.label, caller.language) : run.Step,
        CreatedAt,
        ChangedAt,
        ExpiresAt,
      },
    ]
  })
}

/** Ends a run of the caller's, even without a right to its wizard. @throws notFound */
export async function removeRun(
  store: Store,
  { caller, model, context }: { caller: Caller; model: Model; context: Context },
  id: string,
): Promise<void> {
  const { now } = context
  await store.write(async (tx) => {
    const run = await findRun(tx, caller, id, now)
    if (!run) throw missingRun()
    await deleteRun(tx, run)
    const wizard = model.views.get(run.Wizard)?.wizard
    if (wizard) await holdUploads(tx, undefined, { caller, wizard, now, before: run })
  }, systemScope('runs of wizards belong to users'))
}

/** The form of a step without a run: the request brings all the values that it needs. */
export async function loadFormOf(
  access: WizardAccess<QueryCache>,
  request: StepFormRequest,
): Promise<StepForm> {
  const { wizard } = access
  const step = requireStep(wizard, request.Step)
  const before = wizard.steps.slice(0, wizard.steps.indexOf(step))
  const values = readMembers(request.Values)
  const bound = await bindBefore(access, before, values)
  const given = STEP_KINDS[step.kind].hasRows ? values.get(step.name.toLowerCase()) : request.Values
  const { stored: own } = await keepChoices(
    { ...access, step, bound, isAsking: true },
    given ?? undefined,
  )
  return loadStepForm({ ...access, step, earlier: listEarlier(before), bound, own })
}

/** Binds values of earlier steps that fit and that the caller may give and choose. */
async function bindBefore(
  access: WizardAccess,
  before: readonly Step[],
  values: ReadonlyMap<string, unknown>,
): Promise<Bound> {
  let bound: Bound = new Map()
  for (const step of before) {
    const given =
      STEP_KINDS[step.kind].binds === 'fields'
        ? Object.fromEntries(values)
        : values.get(keyOf(step))
    const kept = await keepChoices({ ...access, step, bound }, takeGiven(access, step, given))
    bound = new Map([...bound, ...readGiven(step, kept.stored)])
  }
  return bound
}

const keyOf = ({ name }: { name: string }): string => name.toLowerCase()

/** Takes the fields that the caller may give from the values of a step, or from each row of it. */
function takeGiven({ grant }: WizardUse, { kind, fields }: Step, given: unknown): unknown {
  if (STEP_KINDS[kind].asksByQuery) return given ?? undefined
  const open = new Set(fields.filter((field) => mayGiveStep(grant, field)).map(keyOf))
  const take = (value: unknown): Record<string, unknown> => {
    const members = Object.entries(Object(value) as object)
    return Object.fromEntries(members.filter(([name]) => open.has(name.toLowerCase())))
  }
  if (!STEP_KINDS[kind].hasRows) return take(given)
  return given === undefined ? undefined : readRows(given).map(take)
}
