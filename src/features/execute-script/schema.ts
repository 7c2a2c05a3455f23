/** Requests and results of `/api/v1/svc/execute-script`. */
import { Type, type Static } from '@sinclair/typebox'
import { ShownParameter } from '../../engine/extensions/parts.ts'

const Loose = Type.Record(Type.String(), Type.Unknown())

export const ExecuteScriptRequest = Type.Object({
  Name: Type.String({ description: 'Name of the script, without regard to case' }),
  Parameters: Type.Optional(
    Type.Union([Loose, Type.Null()], {
      description: 'By the names that the script declares; what it does not is dropped',
    }),
  ),
  Background: Type.Optional(
    Type.Boolean({ description: 'As a job; refused as long as this engine has none' }),
  ),
})
export type ExecuteScriptRequest = Static<typeof ExecuteScriptRequest>

export const ExecuteScriptResult = Type.Object({
  Result: Type.Unknown({ description: 'What the script returned' }),
  Log: Type.Array(Type.String(), { description: 'The lines that it wrote' }),
  DurationMs: Type.Integer(),
})

export const ScriptEntry = Type.Object({
  Name: Type.String(),
  Label: Type.String(),
  Parameters: Type.Array(ShownParameter),
})
export type ScriptEntry = Static<typeof ScriptEntry>
