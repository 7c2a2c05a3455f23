/** A request's Parameters of a view: output columns and declared Parameters. */
import { type FieldErrors, validation } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlArg } from '../../../store/sql.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { checkField } from '../../../model/fields/check.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { type Context, contextValue, isInstant } from '../context.ts'
import { isParent, isServed } from './find-view.ts'
import { isSeen } from './labels.ts'
import { parseValue, toArg } from '../value.ts'

/**
 * Takes the parameters of a request that the view knows, by lower-case name: declared ones, and
 * output columns that the caller may narrow by. The rest is dropped (src/model/README.md, How a
 * query is composed).
 * @throws validation where a required Parameter is missing
 */
export function takeParameters(
  view: View,
  grant: Grant,
  given: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, unknown> {
  requireParameters(view, given)
  let known: Map<string, unknown> | undefined
  for (const name of given.keys()) {
    if (view.parameters.has(name) || findNarrowing(view, grant, name)) continue
    known ??= new Map(given)
    known.delete(name)
  }
  return known ?? given
}

/** The field of a name in lower case, where the caller may narrow the rows by it. */
export function findNarrowing(view: View, grant: Grant, name: string): Field | undefined {
  const field = view.fieldByName.get(name)
  return field && isSeen(grant, field) && mayNarrow(view, grant, field) ? field : undefined
}

/** A parent narrows even if its field is not served: a caller who gives it knows it already. */
function mayNarrow(view: View, grant: Grant, field: Field): boolean {
  return isServed(view, grant, field) || isParent(grant.model, view, field)
}

/** Tells whether a view can be read without any Parameter. */
export const isFreeOfParameters = (view: View): boolean =>
  [...view.parameters.values()].every((each) => !isDemanded(each))

const isDemanded = ({ required, default: preset }: FieldFeatures): boolean =>
  required && preset === undefined

/** Tells whether a Parameter may be the instant of the request, which no two requests share. */
export const takesInstant = ({ parameters }: View): boolean => {
  for (const { default: preset } of parameters.values())
    if (preset?.kind === 'context' && isInstant(preset.parameter)) return true
  return false
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

function requireParameters({ parameters }: View, given: ReadonlyMap<string, unknown>): void {
  if (parameters.size === 0) return
  const faults: FieldErrors = {}
  for (const [key, parameter] of parameters)
    if (isDemanded(parameter) && isEmpty(given.get(key)))
      faults[parameter.name] = say`${parameter.label} is required`
  if (Object.keys(faults).length > 0) throw validation(faults)
}

/**
 * The value of a declared Parameter, or of its Default where none was given.
 * @throws validation naming the Parameter, for a value that does not fit its declaration
 */
export function parseDeclared(parameter: FieldFeatures, given: unknown, context: Context): SqlArg {
  const parsed = parseValue(parameter, isEmpty(given) ? defaultOf(parameter, context) : given)
  const fault = parsed.fault ?? checkField(parsed.value, { ...parameter, required: false })
  if (fault !== undefined) throw validation({ [parameter.name]: fault })
  return parsed.fault === undefined ? toArg(parameter, parsed.value) : null
}

function defaultOf({ default: preset }: FieldFeatures, context: Context): unknown {
  if (preset?.kind === 'literal') return preset.value
  return preset?.kind === 'context' ? contextValue(preset.parameter, context) : null
}
