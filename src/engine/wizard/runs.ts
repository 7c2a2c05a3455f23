/** Runs of a caller: to be listed, looked at, ended. A form without a run. */
import { Grant } from '../../access/grant.ts'
import { mayGiveStep } from '../object/read/permissions.ts'
import type { Caller } from '../../access/caller.ts'
import { notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Step } from '../../model/compiled/wizard.ts'
import type { Model } from '../../model/model.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Reader, Store } from '../../store/store.ts'
import { systemScope } from '../../store/store.ts'
import type { Context } from '../object/context.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { parseValue } from '../object/value.ts'
import { holdUploads } from './held-uploads.ts'
import { readMembers, toBoundText } from './given-values.ts'
import { deleteRun, findRun, listRuns, missingRun } from './run-records.ts'
import type { WizardRun } from './run-records.ts'
import type { RunEntry, StepForm, StepFormRequest } from './schema.ts'
import { loadStepForm } from './step-form.ts'
import { listEarlier, requireStep, type WizardAccess, type WizardUse } from './wizard-access.ts'

/**
 * A run of the caller's with its wizard, as they may use it now.
 * @throws notFound for any other run, and for a wizard that is gone; denied without Create
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
    throw notFound(say`The wizard of this run is not there any more`, { code: 'WIZARD_NOT_FOUND' })
  const grant = Grant.require(caller, model, view.resource, ['Create'])
  return { view, wizard: view.wizard, grant, context, run }
}

/** The caller's runs of wizards that they may go on with, the latest first. */
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
        ...{ RunId: run.Id, Wizard: view.name, Label: renderMessage(view.label, caller.language) },
        Step: run.Step,
        StepLabel: step ? renderMessage(step.label, caller.language) : run.Step,
        ...{ CreatedAt, ChangedAt, ExpiresAt },
      },
    ]
  })
}

/** Ends a run of the caller's, whatever they may do with its wizard. @throws notFound */
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

/** The form of a step without a run: all values that it is made with come with the request. */
export function loadFormOf(
  access: WizardAccess<QueryCache>,
  request: StepFormRequest,
): Promise<StepForm> {
  const { wizard } = access
  const step = requireStep(wizard, request.Step)
  const before = wizard.steps.slice(0, wizard.steps.indexOf(step))
  const values = readMembers(request.Values)
  const own = step.kind === 'List' ? values.get(step.name.toLowerCase()) : request.Values
  const earlier = listEarlier(before)
  return loadStepForm({ ...access, step, earlier, bound: bindBefore(access, before, values), own })
}

/** What fits of the values of earlier steps, as far as they are the caller's to give. */
function bindBefore(
  { grant }: WizardUse,
  before: readonly Step[],
  values: ReadonlyMap<string, unknown>,
): Map<string, SqlValue> {
  const bound = new Map<string, SqlValue>()
  for (const field of listEarlier(before)) {
    const key = field.name.toLowerCase()
    const given = mayGiveStep(grant, field) ? values.get(key) : undefined
    const parsed = parseValue(field, given ?? null)
    bound.set(key, parsed.fault === undefined ? parsed.value : null)
  }
  for (const { name, kind } of before) {
    const given = values.get(name.toLowerCase())
    if (kind !== 'List' && kind !== 'Query') continue
    bound.set(name.toLowerCase(), toBoundText(given))
  }
  return bound
}
