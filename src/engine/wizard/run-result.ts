/** A run as its owner sees it: the form of the step that asks, and the steps taken so far. */
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import { STEP_KINDS } from '../../model/compiled/wizard.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { isOfNow, listLostValues } from './lost-values.ts'
import { findPosition, isLast, type Position, withOwn } from './position.ts'
import type { WizardRun } from './run-records.ts'
import type { Progress, WizardRunResult } from './schema.ts'
import { loadStepForm } from './step-form.ts'
import { loadSummary } from './summary.ts'
import { comesNext, listEarlier, type WizardAccess } from './wizard-access.ts'

/** Result and position of a run, by the present model, rights and data. */
export async function loadRunResult(
  access: WizardAccess<QueryCache>,
  run: WizardRun,
  ignored: readonly string[] = [],
): Promise<WizardRunResult> {
  const position = await findPosition(access, run)
  const { path, step, bound } = position
  const { view, grant } = access
  const { language } = grant.caller
  const summary = STEP_KINDS[step.kind].isSummary ? await loadSummary(access, position) : []
  const own = position.given[step.name]
  const notices = listNotices(run, position, access)
  return {
    RunId: run.Id,
    Wizard: view.name,
    Label: renderMessage(view.label, language),
    Step: step.name,
    Form: await loadStepForm({ ...access, step, bound, earlier: listEarlier(path), own }, summary),
    Progress: await planProgress(access, position),
    Version: run.Version,
    ExpiresAt: run.ExpiresAt,
    Ignored: [...ignored],
    Notice: notices.map((each) => renderMessage(each, language)).join('. ') || null,
  }
}

async function planProgress(access: WizardAccess, position: Position): Promise<Progress> {
  const { steps } = access.wizard
  const { path, step } = position
  const { language } = access.grant.caller
  const bound = withOwn(position)
  const at = steps.indexOf(step)
  const listed: Progress['Steps'] = []
  for (const [index, each] of steps.entries()) {
    const comes = path.includes(each) || (index > at && (await comesNext(access, each, bound)))
    const State = each === step ? 'current' : !comes ? 'passedOver' : index < at ? 'done' : 'open'
    listed.push({ Name: each.name, Label: renderMessage(each.label, language), State })
  }
  const comes = listed.filter(({ State }) => State !== 'passedOver')
  return {
    Index: path.length + 1,
    Count: comes.length,
    IsLast: await isLast(access, position),
    Steps: listed,
  }
}

/** Lists notices for the owner: another step asks than the one they left, or values are lost. */
function listNotices(
  run: WizardRun,
  { step, misfits }: Position,
  access: Pick<WizardAccess, 'view' | 'wizard' | 'grant'>,
): Message[] {
  const moved = isOfNow(run, access)
    ? say`Data or rights have changed since you left the wizard. Continue from here.`
    : say`The wizard has changed since you left it. Continue from here.`
  const lost = [...new Set([...listLostValues(run, access), ...misfits])]
  const gone = say`These values are no longer valid: ${lost.join(', ')}`
  return [...(step.name === run.Step ? [] : [moved]), ...(lost.length > 0 ? [gone] : [])]
}
