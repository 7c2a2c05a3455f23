/** The parameters of an action, validated beside the row that it runs on. */
import { type FieldErrors, validation } from '../../../kernel/failure.ts'
import { type Message, say } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { ActionParameter, RowAction } from '../../../model/compiled/action.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import { checkField } from '../../../model/fields/check.ts'
import { isReference, mayLabel } from '../form/lookup.ts'
import type { Named } from '../parameters.ts'
import { loadDefault } from '../read/defaults.ts'
import { type ConditionEvaluation, holdsWhen } from '../rules/field-condition.ts'
import { findFaultyReference } from '../rules/references.ts'
import { parseValue, toWire } from '../value.ts'
import type { ViewAccess } from '../view-access.ts'

/** Typed values of parameters by lower-case name. */
type ActionValues = Map<string, SqlValue>

/**
 * Reads the values sent, typed. @throws validation for one that does not fit, whatever the row; a
 * parameter that a condition may hide, or that a row gives its default, is required later.
 */
export function readActionValues(
  action: Pick<RowAction, 'parameters'>,
  parameters: ReadonlyMap<string, unknown>,
): ActionValues {
  const values: ActionValues = new Map()
  const faults: FieldErrors = {}
  for (const parameter of action.parameters) {
    const name = parameter.name.toLowerCase()
    const parsed = parseValue(parameter, parameters.get(name) ?? literalDefault(parameter))
    if (parsed.fault !== undefined) faults[parameter.name] = parsed.fault
    else {
      const message = mayWait(parameter, parsed.value)
        ? undefined
        : checkField(parsed.value, parameter)
      if (message !== undefined) faults[parameter.name] = message
      values.set(name, parsed.value)
    }
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
  return values
}

function literalDefault(parameter: ActionParameter): string | null {
  return parameter.default?.kind === 'literal' ? parameter.default.value : null
}

const isComputed = (parameter: ActionParameter): boolean =>
  parameter.default !== undefined && parameter.default.kind !== 'literal'

const mayWait = (parameter: ActionParameter, value: SqlValue): boolean =>
  value === null && (parameter.visibleWhen !== undefined || isComputed(parameter))

type ActedOn = Named & { name: string; entity: Entity | undefined }

/** Inputs of validating parameters. */
interface ParameterAccess extends ViewAccess<Reader, ActedOn> {
  action: Pick<RowAction, 'parameters'>
  /** The request's, by lower-case name. */
  parameters: ReadonlyMap<string, unknown>
  /** Lower-case names of what came and a condition bars: added to. */
  dropped: Set<string>
  /** The row's output columns; undefined for an action without a row. */
  row: SqlRow | undefined
  /** Fields that a caller gave before: references, too, that they have to be able to pick. */
  earlier?: readonly FieldFeatures[]
  company: SqlValue
}

/**
 * The values that the action runs with: defaults where nothing came, nothing where a condition bars
 * it. @throws validation for parameters that are required and missing, and for references to
 * nothing.
 */
export async function validateParameters(
  access: ParameterAccess,
  given: ActionValues,
): Promise<ActionValues> {
  const { action } = access
  if (!action.parameters.some(isValidated)) return given
  const evaluation = planValidation(access)
  const values = await completeValues(access, given, evaluation)
  const draft = () => planDraft(access.row, values)
  const faults: FieldErrors = {}
  for (const parameter of action.parameters) {
    const value = values.get(parameter.name.toLowerCase()) ?? null
    const fault = await findFault(access, parameter, value, { evaluation, draft: draft() })
    if (fault !== undefined) faults[parameter.name] = fault
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
  return values
}

/**
 * Adds defaults, and drops what a condition bars: it is nothing for the defaults of the other
 * parameters too, which depend on the row and on what came, never on what else a request says.
 */
async function completeValues(
  access: ParameterAccess,
  given: ActionValues,
  evaluation: ConditionEvaluation,
): Promise<ActionValues> {
  const { action, parameters, dropped } = access
  for (;;) {
    const isGiven = (name: string): boolean => parameters.has(name) && !dropped.has(name)
    const values: ActionValues = new Map(given)
    for (const name of dropped) values.set(name, null)
    const requested = { ...access, view: { ...access.view, ...evaluation.view } }
    const computed = action.parameters.filter(
      (parameter) => isComputed(parameter) && !isGiven(parameter.name.toLowerCase()),
    )
    if (computed.length > 0) {
      const row = await pickable(access, access.earlier ?? [], planDraft(access.row, new Map()))
      const own = await pickable(access, action.parameters, values)
      const known = toWireValues(new Map([...row, ...own]), evaluation)
      for (const parameter of computed) {
        const value = await loadDefault(parameter, { ...requested, parameters: known })
        values.set(parameter.name.toLowerCase(), value)
      }
    }
    const before = dropped.size
    for (const parameter of action.parameters) {
      const name = parameter.name.toLowerCase()
      if (!isBarred(parameter, planDraft(access.row, values), evaluation)) continue
      values.set(name, null)
      if (isGiven(name)) dropped.add(name)
    }
    if (dropped.size === before) return values
  }
}

/** Without references that the caller may not pick: no default names their records. */
async function pickable(
  access: ParameterAccess,
  fields: readonly FieldFeatures[],
  values: ActionValues,
): Promise<ActionValues> {
  const known = new Map(values)
  const draft = planDraft(access.row, values)
  for (const field of fields) {
    const name = field.name.toLowerCase()
    const value = values.get(name) ?? null
    if (value === null || !isReference(field)) continue
    const isPicked =
      mayLabel(field, access.grant) &&
      (await findFaultyReference({ ...access, draft: () => draft }, field, value, true)) ===
        undefined
    if (!isPicked) known.delete(name)
  }
  return known
}

/** Values of the row and the parameters as a request would have them. */
function toWireValues(draft: Draft, { view }: ConditionEvaluation): Map<string, unknown> {
  return new Map(
    [...draft].map(([name, value]) => {
      const field = view.fieldByName.get(name)
      return [name, field ? toWire(field, value) : value]
    }),
  )
}

function isValidated(parameter: ActionParameter): boolean {
  const { requiredWhen, visibleWhen, readOnlyWhen, references, lookup } = parameter
  const what = requiredWhen ?? visibleWhen ?? readOnlyWhen ?? references ?? lookup
  return what !== undefined || isComputed(parameter)
}

/** Conditions may name the fields of the row and the other parameters. */
function planValidation({ view, action, grant, context }: ParameterAccess): ConditionEvaluation {
  const fields = new Map<string, FieldFeatures>(view.fieldByName)
  for (const parameter of action.parameters) fields.set(parameter.name.toLowerCase(), parameter)
  const zone = grant.caller.timeZone
  return { view: { fieldByName: fields }, zone, today: dayIn(context.now, zone) }
}

type Draft = Map<string, SqlValue>

function planDraft(row: SqlRow | undefined, values: ActionValues): Draft {
  const own = Object.entries(row ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
  return new Map([...own, ...values])
}

function isBarred(
  parameter: ActionParameter,
  draft: Draft,
  evaluation: ConditionEvaluation,
): boolean {
  const { visibleWhen, readOnlyWhen } = parameter
  if (visibleWhen && !holdsWhen(visibleWhen, draft, evaluation)) return true
  return readOnlyWhen !== undefined && holdsWhen(readOnlyWhen, draft, evaluation)
}

async function findFault(
  access: ParameterAccess,
  parameter: ActionParameter,
  value: SqlValue,
  { evaluation, draft }: { evaluation: ConditionEvaluation; draft: Draft },
): Promise<Message | undefined> {
  const { visibleWhen, requiredWhen } = parameter
  if (visibleWhen && !holdsWhen(visibleWhen, draft, evaluation)) return undefined
  const isDemanded = requiredWhen !== undefined && holdsWhen(requiredWhen, draft, evaluation)
  if (isDemanded && value === null) return say`${parameter.label} is required`
  const broken = checkField(value, parameter)
  if (broken !== undefined) return broken
  const isChosen = access.parameters.has(parameter.name.toLowerCase())
  return findFaultyReference({ ...access, draft: () => draft }, parameter, value, isChosen)
}
