/** The parameters of an action, judged beside the row that it runs on. */
import type { Grant } from '../../../access/grant.ts'
import { validation, type FieldErrors } from '../../../kernel/failure.ts'
import { say, type Message } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import { checkField } from '../../../model/fields/check.ts'
import type { ActionParameter, Entity, FieldFeatures, RowAction } from '../../../model/model.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { TxReader } from '../../../store/store.ts'
import type { Context } from '../context.ts'
import { loadDefault } from '../read/defaults.ts'
import type { Named } from './parameters.ts'
import { findFaultyReference } from '../lookup/references.ts'
import { askTx } from '../scalar.ts'
import { parseValue } from '../value.ts'
import { holdsWhen, type Judge } from '../read/wire-condition.ts'

/** Typed values of parameters by lower-case name. */
export type ActionValues = Map<string, SqlValue>

/**
 * What the request brought, typed. @throws validation for what does not fit, whatever the row; a
 * parameter that a condition may hide, or that a row gives its default, is demanded later.
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

const isAsked = (parameter: ActionParameter): boolean =>
  parameter.default !== undefined && parameter.default.kind !== 'literal'

const mayWait = (parameter: ActionParameter, value: SqlValue): boolean =>
  value === null && (parameter.visibleWhen !== undefined || isAsked(parameter))

/** What parameters are judged with. */
export interface ParameterScope {
  tx: TxReader
  view: Named & { name: string; entity: Entity | undefined }
  action: Pick<RowAction, 'parameters'>
  grant: Grant
  context: Context
  /** The request's, by lower-case name. */
  parameters: ReadonlyMap<string, unknown>
  /** The row's output columns; undefined for an action without a row. */
  row: SqlRow | undefined
  company: SqlValue
}

/**
 * The values that the action runs with: defaults where nothing came, nothing where a condition bars
 * it. @throws validation for what is demanded and missing, and for references to nothing.
 */
export async function judgeParameters(
  scope: ParameterScope,
  given: ActionValues,
): Promise<ActionValues> {
  const { action, parameters } = scope
  if (!action.parameters.some(isJudged)) return given
  const values = new Map(given)
  for (const parameter of action.parameters) {
    const name = parameter.name.toLowerCase()
    if (isAsked(parameter) && !parameters.has(name)) {
      values.set(name, await loadDefault(parameter, { ...scope, ask: askTx(scope.tx) }))
    }
  }
  const judge = planJudge(scope)
  const draft = () => planDraft(scope.row, values)
  for (const parameter of action.parameters) {
    if (isBarred(parameter, draft(), judge)) values.set(parameter.name.toLowerCase(), null)
  }
  const faults: FieldErrors = {}
  for (const parameter of action.parameters) {
    const value = values.get(parameter.name.toLowerCase()) ?? null
    const fault = await findFault(scope, parameter, value, { judge, draft: draft() })
    if (fault !== undefined) faults[parameter.name] = fault
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
  return values
}

function isJudged(parameter: ActionParameter): boolean {
  const { requiredWhen, visibleWhen, readOnlyWhen, references, lookup } = parameter
  const what = requiredWhen ?? visibleWhen ?? readOnlyWhen ?? references ?? lookup
  return what !== undefined || isAsked(parameter)
}

/** Conditions may name the fields of the row and the other parameters. */
function planJudge({ view, action, grant, context }: ParameterScope): Judge {
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

function isBarred(parameter: ActionParameter, draft: Draft, judge: Judge): boolean {
  const { visibleWhen, readOnlyWhen } = parameter
  if (visibleWhen && !holdsWhen(visibleWhen, draft, judge)) return true
  return readOnlyWhen !== undefined && holdsWhen(readOnlyWhen, draft, judge)
}

async function findFault(
  scope: ParameterScope,
  parameter: ActionParameter,
  value: SqlValue,
  { judge, draft }: { judge: Judge; draft: Draft },
): Promise<Message | undefined> {
  const { visibleWhen, requiredWhen } = parameter
  if (visibleWhen && !holdsWhen(visibleWhen, draft, judge)) return undefined
  const isDemanded = requiredWhen !== undefined && holdsWhen(requiredWhen, draft, judge)
  if (isDemanded && value === null) return say`${parameter.label} is required`
  const broken = checkField(value, parameter)
  if (broken !== undefined) return broken
  const isChosen = scope.parameters.has(parameter.name.toLowerCase())
  return findFaultyReference({ ...scope, draft }, parameter, value, isChosen)
}
