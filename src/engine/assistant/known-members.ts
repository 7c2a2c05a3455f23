/** Arguments of tools are held to their members: a misspelt one must not widen an answer. */
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Failure } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { findUnknownMember, type UnknownMember } from '../../kernel/unknown-members.ts'

/** A call of no tool, or by arguments that its schema does not take: nothing was read. */
export class UnfitCall extends Failure {
  constructor(message: Message, code: string) {
    super('invalid', message, { code })
  }
}

/**
 * Returns the arguments of a tool, held to its schema as it is shown: `op` in place of `Operator`
 * would be a filter by another operator.
 * @throws UnfitCall for the first member that is unknown, missing or of another type
 */
export function requireFittingArguments<T extends TSchema>(schema: T, given: unknown): Static<T> {
  const unknown = findUnknownMember(schema, given, { judge: refuseUnknown, asShown: true })
  if (unknown) throw unknown
  if (Value.Check(schema, given)) return given
  const fault = Value.Errors(schema, given).First()
  const name = fault?.path.slice(1).replaceAll('/', '.') ?? ''
  throw fault?.value === undefined
    ? new UnfitCall(say`${name} is missing`, 'MISSING_MEMBER')
    : new UnfitCall(say`${name} has the wrong type. See the schema of the tool.`, 'BAD_MEMBER')
}

/** Characters of an unknown name that a message shows. */
const SHOWN_MAX = 60

function refuseUnknown({ name, path, known }: UnknownMember): UnfitCall {
  const shown = writePath([...path, name.slice(0, SHOWN_MAX)])
  return new UnfitCall(
    known.length === 0
      ? say`Unknown member '${shown}'. This tool has no arguments.`
      : say`Unknown member '${shown}'. It must be one of: ${known.join(', ')}`,
    'UNKNOWN_MEMBER',
  )
}

/** Writes the way to a member: `Filters[0].op`. */
const writePath = (path: readonly (string | number)[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
