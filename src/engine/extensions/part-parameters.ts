/** Values of the parameters that a script or a handler declares. */
import { type FieldErrors, invalid, validation } from '../../kernel/failure.ts'
import { isBrief } from '../../kernel/json-writing.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { checkField } from '../../model/fields/check.ts'
import { type FieldShape, plainShape } from '../../model/fields/field-shape.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { TEXT_LENGTH_DEFAULT } from '../../model/fields/text.ts'
import { PARAMETERS_CHARACTERS_MAX } from './limits.ts'
import type { PartParameter } from './parts.ts'
import { readParameters } from '../object/parameters.ts'
import { parseValue, toWire } from '../object/value.ts'

/**
 * Typed values by declared name, as JSON has them; names match without regard to case, and
 * undeclared ones are dropped. @throws invalid, validation
 */
export function readPartParameters(
  declared: readonly PartParameter[],
  given: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  const isLong =
    !isBrief(given ?? null, PARAMETERS_CHARACTERS_MAX) ||
    JSON.stringify(given ?? null).length > PARAMETERS_CHARACTERS_MAX
  if (isLong)
    throw invalid(say`Parameters can have at most ${PARAMETERS_CHARACTERS_MAX} characters as JSON`)
  const named = readParameters(given)
  const values: Record<string, unknown> = {}
  const faults: FieldErrors = {}
  for (const parameter of declared) {
    const read = readValue(parameter, named.get(parameter.Name.toLowerCase()))
    if (read.fault === undefined) values[parameter.Name] = read.value
    else faults[parameter.Name] = read.fault
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
  return values
}

type Read = { value: unknown; fault?: undefined } | { fault: Message }

/** The value of a parameter, or of its default where none was given. */
function readValue(parameter: PartParameter, given: unknown): Read {
  const shape = shapeOf(parameter)
  const parsed = parseValue(shape, given ?? parameter.Default)
  if (parsed.fault !== undefined) return parsed
  const fault = checkField(parsed.value, shape)
  return fault === undefined ? { value: toWire(shape, parsed.value) } : { fault }
}

/** The fault of a default that does not fit its own parameter; undefined where it fits. */
export function findDefaultFault(parameter: PartParameter): Message | undefined {
  if (parameter.Default === null) return undefined
  return parseValue(shapeOf(parameter), parameter.Default).fault
}

const shapeOf = ({ Label, Type, Required, Scale }: PartParameter): FieldShape => ({
  ...plainShape(Label, Type),
  required: Required,
  maxLength: FIELD_KINDS[Type].isText ? TEXT_LENGTH_DEFAULT : undefined,
  scale: Scale,
})
