/** Arguments of tools are held to their members: a misspelt one must not widen an answer. */
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Failure } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'

const FILTER = ['Field', 'Operator', 'Value']
const GROUP = ['Logic', 'Filters']

/** A call of no tool, or by arguments that its schema does not take: nothing was read. */
export class UnfitCall extends Failure {
  constructor(message: Message, code: string) {
    super('invalid', message, { code })
  }
}

/** @throws UnfitCall for the first one that is unknown, missing or of another type */
export function requireFittingArguments(schema: TSchema, given: unknown): void {
  requireKnownMembers(schema, given)
  const fault = Value.Errors(schema, given).First()
  if (!fault) return
  const name = fault.path.slice(1).replaceAll('/', '.')
  throw fault.value === undefined
    ? new UnfitCall(say`${name} is missing`, 'MISSING_MEMBER')
    : new UnfitCall(say`${name} is of another type: see the schema of the tool`, 'BAD_MEMBER')
}

/** Characters of an unknown name that a message shows. */
const SHOWN_MAX = 60

/**
 * Refuses a member that a tool does not know, at any depth: `op` in place of `Operator` would be a
 * filter by another operator. @throws UnfitCall that names the member and the known ones
 */
function requireKnownMembers(schema: TSchema, given: unknown, path = ''): void {
  const choices: unknown = schema.anyOf
  if (Array.isArray(choices))
    return (choices as TSchema[])
      .filter(({ type }) => type === (Array.isArray(given) ? 'array' : 'object'))
      .forEach((each) => requireKnownMembers(each, given, path))
  if (Array.isArray(given)) {
    const items = schema.items as TSchema | undefined
    if (items)
      for (const [at, each] of given.entries()) requireKnownMembers(items, each, `${path}[${at}]`)
    return
  }
  const properties = schema.properties as Record<string, TSchema> | undefined
  if (!properties || typeof given !== 'object' || given === null) return
  for (const [name, value] of Object.entries(given)) {
    requireKnown(name, Object.keys(properties), path)
    const at = path === '' ? name : `${path}.${name}`
    const member = properties[name]
    if (name === 'Filters') requireFilterMembers(value, at)
    else if (member) requireKnownMembers(member, value, at)
  }
}

/** Filters have no schema that is checked: lists and groups of conditions, nested. */
function requireFilterMembers(given: unknown, path: string): void {
  if (Array.isArray(given))
    return given.forEach((each, at) => requireFilterMembers(each, `${path}[${at}]`))
  if (typeof given !== 'object' || given === null) return
  const isGroup = 'Filters' in given || 'Logic' in given
  for (const name of Object.keys(given)) requireKnown(name, isGroup ? GROUP : FILTER, path)
  if ('Filters' in given) requireFilterMembers(given.Filters, `${path}.Filters`)
}

function requireKnown(name: string, known: readonly string[], path: string): void {
  if (known.includes(name)) return
  const shown = `${path === '' ? '' : `${path}.`}${name.slice(0, SHOWN_MAX)}`
  throw new UnfitCall(
    known.length === 0
      ? say`${shown} is no argument: the tool takes none`
      : say`${shown} is no member; write one of: ${known.join(', ')}`,
    'UNKNOWN_MEMBER',
  )
}
