/** The file formats that there are, as handlers: those of the engine and those of extensions. */
import { Type, type Static } from '@sinclair/typebox'
import type { Caller } from '../../access/caller.ts'
import { findAccess } from '../../access/resource-access.ts'
import { ShownParameter } from '../../engine/extensions/parts.ts'
import type { HandlerPart } from '../../engine/extensions/parts.ts'
import type { Model } from '../../model/model.ts'
import type { AppContext } from '../../server/context.ts'
import { modelOf } from '../../server/language.ts'
import { callerOf } from '../../server/session.ts'

export const HandlerEntry = Type.Object({
  Name: Type.String({ description: 'As the path of /{name}/export and /{name}/import has it' }),
  Kind: Type.Union([Type.Literal('Export'), Type.Literal('Import')]),
  Label: Type.String(),
  Formats: Type.Array(Type.String(), { description: 'The first one is meant unless told' }),
  Parameters: Type.Array(ShownParameter),
})
export type HandlerEntry = Static<typeof HandlerEntry>

/**
 * What the caller may export to and import from; of the engine's own formats everything, since it
 * is the object that has their gate.
 */
export async function listHandlers(app: AppContext, request: Request): Promise<HandlerEntry[]> {
  const caller = callerOf(request)
  const model = modelOf(app, request)
  const { handlers } = await app.extensions.load()
  const own = (Kind: HandlerEntry['Kind'], names: readonly string[]): HandlerEntry[] =>
    names.map((name) => ({
      ...{ Name: name, Kind, Label: name.toUpperCase(), Formats: [name], Parameters: [] },
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
