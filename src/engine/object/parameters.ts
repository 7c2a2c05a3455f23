/**
 * The Parameters of a request: matched without regard to case, typed by the view, never trusted.
 */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlArg, SqlValue } from '../../store/sql.ts'
import type { FieldFeatures } from '../../model/compiled/field-features.ts'
import { isContextParameter } from './context.ts'
import { parseKey, toArg } from './value.ts'

/**
 * Parameters by lower-case name; of two spellings the first wins. Context parameters are dropped;
 * what a model declares beside them is bound by its name before a request is asked.
 */
export function readParameters(
  parameters: Record<string, unknown> | null | undefined,
): Map<string, unknown> {
  const known = new Map<string, unknown>()
  if (!parameters) return known
  for (const name of Object.keys(parameters)) {
    const key = name.toLowerCase()
    if (known.has(key)) continue
    if (key === 'formloadtime' || !isContextParameter(key)) known.set(key, parameters[name])
  }
  return known
}

/** The source of the types of parameters: a view or a procedure; by lower-case name. */
export interface Named {
  fieldByName: ReadonlyMap<string, FieldFeatures>
  /** The Parameters that a view declares. */
  parameters?: ReadonlyMap<string, FieldFeatures>
}

/**
 * The value of an authored `@` parameter: by the field of its name, a text as it is stored, else a
 * simple value as it came.
 * @throws invalid naming the parameter.
 */
export function parseParameter(name: string, view: Named, value: unknown): SqlArg {
  if (value === undefined || value === null) return null
  const field = view.fieldByName.get(name.toLowerCase())
  if (field) {
    const parsed = parseKey(field, value)
    if (parsed.fault !== undefined) throw invalid(say`Parameter '${field.name}': ${parsed.fault}`)
    return toArg(field, parsed.value)
  }
  return simpleValue(name, value)
}

/** @throws invalid for a list or an object. */
export function simpleValue(name: string, value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw invalid(say`Parameter '${name}' must be text, a number or a boolean`)
}
