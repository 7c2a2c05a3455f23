/** Values that a request gives in a step, validated as a form is, by the present rights. */
import { Failure, type FieldErrors, validation } from '../../kernel/failure.ts'
import { FIELD_ERRORS_MAX } from '../../kernel/limits.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../store/sql.ts'
import { type Step, STEP_KINDS, type StepField } from '../../model/compiled/wizard.ts'
import { isStepHidden, mayGiveStep } from '../object/read/permissions.ts'
import { readActionValues, validateParameters } from '../object/write/action-parameters.ts'
import { listIgnored, type Sent } from '../object/write/result.ts'
import { readMembers, readRows, toBoundText, toStored } from './given-values.ts'
import { loadStepFields } from './queried-fields.ts'
import { findBrokenRules } from './step-rules.ts'
import { type Bound, listFieldsFor, type StepAccess } from './wizard-access.ts'

/** Most rows of a List without a Max. */
export const LIST_ROWS_MAX = 1000

/** The result of a step. */
export interface TakenStep {
  /** The stored form. */
  stored: unknown
  /** Values that the step binds, by lower-case name. */
  values: ReadonlyMap<string, SqlValue>
  /** Members of the request that were not used, as they were sent. */
  ignored: readonly string[]
  /** Values of forms by the prefix of their faults: `''`, `Lines[0].`. */
  forms: readonly { prefix: string; values: ReadonlyMap<string, SqlValue> }[]
}

/** @throws validation naming fields, of a row of a List as `Lines[0].Quantity` */
export async function takeStep(access: StepAccess, sent: Sent): Promise<TakenStep> {
  const { step } = access
  if (STEP_KINDS[step.kind].isSummary) {
    const ignored = listIgnored(sent, new Set())
    return { stored: {}, values: new Map(), ignored, forms: [] }
  }
  if (STEP_KINDS[step.kind].hasRows) return takeList(access, sent)
  const fields = await loadStepFields(access, step, access.bound)
  const form = await takeForm(access, fields, sent)
  await requireRules(access, [form])
  const { values, stored, ignored } = form
  if (STEP_KINDS[step.kind].asksByQuery) {
    const whole = new Map([[step.name.toLowerCase(), toBoundText(stored)]])
    return { stored, values: whole, ignored, forms: [] }
  }
  return { stored, values, ignored, forms: [form] }
}

/** Adds the step's name to the refusal of its fields: a client goes there by `back`. */
export function nameStep(error: unknown, { name }: Step): unknown {
  if (!(error instanceof Failure) || !error.fieldErrors) return error
  const { kind, text, code, fieldErrors } = error
  return new Failure(kind, text, { code, fieldErrors, members: { step: name } })
}

/** One form: a step, or a row of a List. */
interface TakenForm {
  prefix: string
  values: ReadonlyMap<string, SqlValue>
  stored: Record<string, unknown>
  ignored: string[]
}

async function takeList(access: StepAccess, sent: Sent): Promise<TakenStep> {
  const { step } = access
  const { name, fields } = step
  const rows = readRows(readMembers(sent).get(name.toLowerCase()))
  requireCount(step, rows.length)
  const forms: TakenForm[] = []
  const faults: FieldErrors = {}
  for (const [at, row] of rows.entries()) {
    if (Object.keys(faults).length >= FIELD_ERRORS_MAX) break
    const prefix = `${name}[${at}].`
    try {
      forms.push(await takeForm(access, fields, toSent(row), prefix))
    } catch (error) {
      if (!(error instanceof Failure) || !error.fieldErrors) throw error
      for (const [field, fault] of Object.entries(error.fieldErrors))
        faults[`${prefix}${field}`] = fault
    }
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
  await requireRules(access, forms)
  const stored = forms.map((form) => form.stored)
  return {
    stored,
    values: new Map([[name.toLowerCase(), toBoundText(stored)]]),
    ignored: [
      ...listIgnored(sent, new Set([name.toLowerCase()])),
      ...forms.flatMap((form) => form.ignored),
    ],
    forms,
  }
}

const toSent = (row: unknown): Sent => (typeof row === 'object' && row !== null ? { ...row } : {})

function requireCount({ name, label, min, max = LIST_ROWS_MAX }: Step, count: number): void {
  if (count < min) throw validation({ [name]: say`${label} needs at least ${min} rows` })
  if (count > max) throw validation({ [name]: say`${label} can have at most ${max} rows` })
}

async function takeForm(
  access: StepAccess,
  fields: readonly StepField[],
  sent: Sent,
  prefix = '',
): Promise<TakenForm> {
  const { view, wizard, step, grant, context, reader, bound, earlier } = access
  const open = fields.filter((field) => mayGiveStep(grant, field))
  const names = new Set(open.map(({ name }) => name.toLowerCase()))
  const members = readMembers(sent)
  const parameters = new Map([...members].filter(([name]) => names.has(name)))
  const dropped = new Set<string>()
  const action = {
    parameters: fields.map((each) => (mayGiveStep(grant, each) ? each : serve(each))),
  }
  const given = readActionValues(action, parameters)
  const fieldByName = listFieldsFor(wizard, step)
  const values = await validateParameters(
    {
      reader,
      action,
      grant,
      context,
      parameters,
      dropped,
      earlier,
      view: { name: view.name, fieldByName, entity: undefined },
      row: toRow(bound),
      company: grant.caller.companyId,
    },
    given,
  )
  const taken = new Set([...names].filter((name) => !dropped.has(name)))
  const stored = toStored(fields, values)
  return { prefix, values, stored, ignored: listIgnored(sent, taken, prefix) }
}

/** A field that the caller may not give takes its default and is not required. */
const serve = (field: StepField): StepField => ({
  ...field,
  required: false,
  requiredWhen: undefined,
})

const toRow = (bound: Bound): SqlRow => Object.fromEntries(bound)

/** @throws validation for a broken rule; a hidden field is not named */
async function requireRules(access: StepAccess, forms: readonly TakenForm[]): Promise<void> {
  const faults: FieldErrors = {}
  const broken = await findBrokenRules(access, forms)
  for (const { prefix, field, message } of broken) {
    const own = access.step.fields.find(({ name }) => name === field)
    const shown = own && isStepHidden(access.grant, own.name) ? '' : field
    faults[`${prefix}${shown}`] ??= message
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
}
