/** A handler that a request names: its gate, its format, its parameters. */
import { type Static, Type } from '@sinclair/typebox'
import { denied, type Failure, invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { named } from '../../kernel/schema.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { findAccess, planAccess } from '../../access/rights/resource-access.ts'
import type { HandlerUse } from '../../engine/extensions/handler-format.ts'
import { PART_NAME } from '../../engine/extensions/part-names.ts'
import { readPartParameters } from '../../engine/extensions/part-parameters.ts'
import { type HandlerPart, ShownParameter } from '../../engine/extensions/parts.ts'
import type { RequestCall } from '../../server/call.ts'

/** Use of a handler. */
type HandlerVerb = 'Export' | 'Import'

/** A handler of an extension, or a format of the engine by its name. */
export type FoundHandler = Pick<HandlerUse, 'handler'> | { builtIn: string }

/**
 * Finds the handler of a name, for a caller who may use it; for others it is like an unknown name.
 * @throws denied, notFound, invalid
 */
export async function requireHandler(
  call: RequestCall,
  name: string,
  verb: HandlerVerb,
): Promise<FoundHandler> {
  const { app } = call
  const key = name.toLowerCase()
  const { exportNames, importNames } = app.formats
  if ((verb === 'Export' ? exportNames : importNames).includes(key)) return { builtIn: key }
  const { handlers } = await app.extensions.load()
  const handler = handlers.get(key)
  if (!handler) throw missing(call, name, verb)
  const { Name, Resource, CanExport, CanImport } = handler.part
  Grant.require(call.caller, call.model, Resource, [verb])
  if (!(verb === 'Export' ? CanExport : CanImport))
    throw notFound(say`'${Name}' does not support ${verb.toLowerCase()}`, {
      code: 'HANDLER_NOT_FOUND',
    })
  return { handler }
}

function missing({ caller, model }: RequestCall, name: string, verb: HandlerVerb): Failure {
  const isName = PART_NAME.test(name)
  const { verbs } = planAccess(model, caller.roles, isName ? name : '', '')
  if (!caller.isSystem && !verbs.has(verb)) return denied()
  if (!isName) return invalid(say`This is not a valid handler name`)
  return notFound(say`There is no such handler`, { code: 'HANDLER_NOT_FOUND' })
}

/**
 * Finds the handler of a format that is not the engine's: the first by name that the caller may
 * use. @throws invalid for a format that none of theirs knows
 */
export async function requireHandlerOf(call: RequestCall, format: string): Promise<string> {
  const { app, caller } = call
  const { handlers } = await app.extensions.load()
  const { model } = call
  const theirs = [...handlers.values()]
    .map(({ part }) => part)
    .filter(({ CanExport }) => CanExport)
    .filter(({ Resource }) => findAccess(model, caller, Resource).verbs.has('Export'))
  const found = theirs.find(({ Formats }) => Formats.includes(format.toLowerCase()))
  if (found) return found.Name
  const names = [...app.formats.exportNames, ...theirs.flatMap(({ Formats }) => Formats)]
  throw invalid(say`Format must be one of: ${names.join(', ')}`, { code: 'UNKNOWN_FORMAT' })
}

/** The use of a handler for one request. @throws invalid, validation */
export function planUse(
  { app, caller, traceId }: RequestCall,
  { handler }: Pick<HandlerUse, 'handler'>,
  requested: { format: string | undefined; parameters: Record<string, unknown> | null | undefined },
): HandlerUse {
  const { Formats, Parameters } = handler.part
  const format = requested.format?.toLowerCase() ?? Formats[0] ?? ''
  if (!Formats.includes(format))
    throw invalid(say`Format must be one of: ${Formats.join(', ')}`, { code: 'UNKNOWN_FORMAT' })
  return {
    extensions: app.extensions,
    handler,
    format,
    log: app.log,
    traceId,
    userId: caller.userId,
    parameters: readPartParameters(Parameters, requested.parameters),
  }
}

export const HandlerEntry = named(
  'Handler',
  Type.Object({
    Name: Type.String({ description: 'As the path of /{name}/export and /{name}/import has it' }),
    Kind: Type.Union([Type.Literal('Export'), Type.Literal('Import')]),
    Label: Type.String(),
    Formats: Type.Array(Type.String(), {
      description: 'The first one is meant where none is named',
    }),
    Parameters: Type.Array(ShownParameter),
  }),
)
export type HandlerEntry = Static<typeof HandlerEntry>

/**
 * Lists the formats that the caller may export to and import from; of the engine's own all, since
 * the gate of these is the object's.
 */
export async function listHandlers({ app, caller, model }: RequestCall): Promise<HandlerEntry[]> {
  const { handlers } = await app.extensions.load()
  const own = (Kind: HandlerEntry['Kind'], names: readonly string[]): HandlerEntry[] =>
    names.map((name) => ({
      Name: name,
      Kind,
      Label: name.toUpperCase(),
      Formats: [name],
      Parameters: [],
    }))
  return [
    ...own('Export', app.formats.exportNames),
    ...own('Import', app.formats.importNames),
    ...[...handlers.values()].flatMap(({ part }) => listKinds(part, caller, model)),
  ]
}

function listKinds(part: HandlerPart, caller: Caller, model: Model): HandlerEntry[] {
  const { Name, Label, Formats, Parameters } = part
  const kinds = [part.CanExport && 'Export', part.CanImport && 'Import'] as const
  return kinds.flatMap((Kind) =>
    Kind !== false && findAccess(model, caller, part.Resource).verbs.has(Kind)
      ? [{ Name, Kind, Label, Formats, Parameters }]
      : [],
  )
}
