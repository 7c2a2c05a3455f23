/**
 * The position of a run: derived from the steps that were taken, the values given, and the present
 * model and data. Changed branches and other models need no other handling.
 */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Step } from '../../model/compiled/wizard.ts'
import { readGiven } from './given-values.ts'
import { keepChoices, type LostChoice } from './kept-choices.ts'
import type { Given, WizardRun } from './run-records.ts'
import { comesNext, type WizardAccess } from './wizard-access.ts'

/** A run up to the step that asks. */
export interface Position {
  /** Steps that were taken, in order; `bound` has their bindings. */
  path: readonly Step[]
  /** The step that asks now. */
  step: Step
  bound: ReadonlyMap<string, SqlValue>
  /** Values given in these steps, by the steps' names, where they may still be chosen. */
  given: Given
  /** Choices in the steps that were taken which the caller may no longer make. */
  lost: readonly LostChoice[]
  /** `Step.Field` of choices that the caller's rows and a FieldQuery no longer give. */
  misfits: readonly string[]
}

type Taken = Pick<WizardRun, 'Path' | 'Given'>

/**
 * Goes through the taken steps whose `When` holds, to the first that was not taken, or the last.
 * @throws invalid where no step applies at all
 */
export async function findPosition(access: WizardAccess, run: Taken): Promise<Position> {
  const taken = new Set(run.Path)
  const path: Step[] = []
  const misfits: string[] = []
  const lost: LostChoice[] = []
  const given: Record<string, unknown> = {}
  let bound = new Map<string, SqlValue>()
  let before = bound
  for (const step of access.wizard.steps) {
    if (!(await comesNext(access, step, bound))) continue
    const isAsking = !taken.has(step.name)
    const kept = await keepChoices({ ...access, step, bound, isAsking }, run.Given[step.name])
    given[step.name] = kept.stored
    const names = [...kept.gone, ...kept.lost.map(({ field }) => field)]
    misfits.push(...names.filter((name) => name !== '').map((name) => `${step.name}.${name}`))
    if (isAsking) return { path, step, bound, given, lost, misfits }
    before = bound
    bound = new Map([...bound, ...readGiven(step, kept.stored)])
    lost.push(...kept.lost)
    path.push(step)
  }
  const step = path.pop()
  if (!step)
    throw invalid(say`None of the steps of this wizard currently applies to you`, {
      code: 'WIZARD_EMPTY',
    })
  return {
    path,
    step,
    bound: before,
    given,
    lost: lost.filter((each) => each.step !== step),
    misfits,
  }
}

/** Known values of the step that asks, beside those given before. */
export const withOwn = ({ step, bound, given }: Position): Map<string, SqlValue> =>
  new Map([...bound, ...readGiven(step, given[step.name])])

/**
 * Tells whether the step that asks is the last one, as well as can be known: a step whose `When`
 * names one of its fields may follow until that is given.
 */
export async function isLast(access: WizardAccess, position: Position): Promise<boolean> {
  const { steps } = access.wizard
  const own = position.step
  const isGiven = position.given[own.name] !== undefined
  const bound = withOwn(position)
  const open = new Set(isGiven ? [] : listNames(own))
  for (const step of steps.slice(steps.indexOf(own) + 1)) {
    if (step.when?.parameters.some((name) => open.has(name.toLowerCase()))) return false
    if (await comesNext(access, step, bound)) return false
  }
  return true
}

const listNames = ({ name, fields }: Step): string[] =>
  [name, ...fields.map((field) => field.name)].map((each) => each.toLowerCase())
