/** A wizard as a caller uses it, and the bindings of its authored SQL. */
import { invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlArg, SqlRead, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { listBoundFields } from '../../model/bound-fields.ts'
import type { AuthoredCondition } from '../../model/compiled/authored-sql.ts'
import type { View } from '../../model/compiled/view.ts'
import { type Step, STEP_KINDS, type StepField, type Wizard } from '../../model/compiled/wizard.ts'
import type { Model } from '../../model/model.ts'
import { composeShadowed } from '../../model/sql/shadow.ts'
import { Grant } from '../../access/rights/grant.ts'
import { type Context, contextValue, isContextName } from '../object/context.ts'
import { composeCondition, mayRunInline } from '../object/read/source.ts'
import { isTrue } from '../object/rules/entity-rules.ts'
import { toArg } from '../object/value.ts'

/** A wizard that its caller may go through. */
export interface WizardUse {
  view: View
  wizard: Wizard
  grant: Grant
  context: Context
}

/** The same, with the reader. */
export interface WizardAccess<R extends Reader = Reader> extends WizardUse {
  reader: R
}

/**
 * Bindings of the steps that were taken, typed, by lower-case name: a field's value, the rows of a
 * List and the values of a Query as JSON. A missing value is NULL.
 */
export type Bound = ReadonlyMap<string, SqlValue>

/** A step with the values given before it. */
export interface StepAccess<R extends Reader = Reader> extends WizardAccess<R> {
  step: Step
  bound: Bound
  /** Fields of the steps that were taken. */
  earlier: readonly StepField[]
}

/** The wizard of a name or slug. @throws notFound */
export function requireWizard(model: Model, key: string): { view: View; wizard: Wizard } {
  const view = model.viewByKey.get(key.toLowerCase())
  if (!view?.wizard)
    throw notFound(say`There is no wizard with this name`, { code: 'WIZARD_NOT_FOUND' })
  return { view, wizard: view.wizard }
}

/** A step by its name. @throws invalid */
export function requireStep({ steps }: Wizard, name: string): Step {
  const key = name.toLowerCase()
  const step = steps.find((each) => each.name.toLowerCase() === key)
  if (!step) throw invalid(say`Unknown step '${name.slice(0, 80)}'`, { code: 'UNKNOWN_STEP' })
  return step
}

/** Fields by lower-case name: the wizard's fields bound one by one, and a step's own. */
export function listFieldsFor(wizard: Wizard, step?: Step): Map<string, StepField> {
  const fields = [...listBoundFields(wizard), ...(step?.fields ?? [])]
  return new Map(fields.map((field) => [field.name.toLowerCase(), field]))
}

/** The value of a parameter of authored SQL: from the context, or from given values. */
function bindGiven({ context, wizard }: WizardUse, bound: Bound): (name: string) => SqlArg {
  const fields = listFieldsFor(wizard)
  return (name) => {
    if (isContextName(name, context.model)) return contextValue(name, context)
    const key = name.toLowerCase()
    return toArg(fields.get(key), bound.get(key) ?? null)
  }
}

/** Evaluates the `When` of a step on the values given before it; true without one. */
export async function comesNext(access: WizardAccess, step: Step, bound: Bound): Promise<boolean> {
  const { when } = step
  if (!when) return true
  const read = planRead(access, when, bound, (head) => {
    return `${head}SELECT ${composeCondition(when)} AS v FROM (SELECT 1 AS Step)`
  })
  const row = await access.reader.get({ ...read, of: `${access.view.name}.${step.name}` })
  return isTrue(row?.v ?? null)
}

type Reading = Pick<AuthoredCondition, 'text' | 'parameters' | 'reads' | 'mayRunInline'>

/** A statement around authored SQL that reads, held to the caller's company. */
export function planRead(
  use: WizardUse,
  authored: Reading,
  bound: Bound,
  compose: (head: string) => string,
): SqlRead {
  const { sql, own } = composeShadowed(use.grant.model, authored.reads, 'company', compose)
  const bind = bindGiven(use, bound)
  const names = new Set(authored.parameters)
  if (own !== undefined) names.add('CurrentCompanyId')
  const args = Object.fromEntries([...names].map((name) => [name, bind(name)]))
  return { sql, own, args, runs: mayRunInline(authored, use.grant.model) ? 'measured' : 'lane' }
}

/** Fields of the steps that were taken, where they are bound one by one. */
export const listEarlier = (path: readonly Step[]): StepField[] =>
  path.flatMap(({ kind, fields }) => (STEP_KINDS[kind].binds === 'fields' ? fields : []))
