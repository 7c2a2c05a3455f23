/** A report of an extension, from its parameters to its rows or its file. */
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { type CallerApi, openCallerApi } from './caller-api.ts'
import type { Declared, Extensions } from './extensions.ts'
import type { ReportPart } from './parts.ts'
import { runOrder } from './run-script.ts'

const Rows = Type.Array(Type.Record(Type.String(), Type.Unknown()))
const File = Type.Object({
  /** Base64. */
  Body: Type.String(),
  ContentType: Type.String({
    pattern: '^[\\w.+-]+/[\\w.+-]+(?:; ?[\\w-]+=[\\w-]+)*$',
    maxLength: 200,
  }),
})

/** The rows or the file that a report of an extension gives. */
export type ReportRows = Static<typeof Rows> | Static<typeof File>

/** An order for a report. */
export interface ExtensionReportOrder {
  parameters: Record<string, unknown>
  format: string
  signal: AbortSignal
}

/**
 * Runs a report for its caller, in a process of its own; it reads and does not write.
 * @throws invalid for a report that fails, is ended, or gives neither rows nor a file
 */
export async function runReport(
  extensions: Extensions,
  { part, file }: Declared<ReportPart>,
  { parameters, format, signal }: ExtensionReportOrder,
  api: CallerApi,
): Promise<ReportRows> {
  const { folder } = extensions
  const order = { do: 'report', folder, file, name: part.Name, parameters, format } as const
  const reads = openCallerApi(api, part.Name, { isFile: true })
  const answer: typeof reads = (what, given, until) => {
    if (what === 'submit' || what === 'enqueue') throw invalid(say`A report cannot change data`)
    return reads(what, given, until)
  }
  const run = () => runOrder(extensions, order, { api, answer, signal })
  const { resultJson } = await extensions.semaphore.run(run, String(api.caller.userId))
  const result: unknown = JSON.parse(resultJson)
  if (Value.Check(Rows, result)) return result
  if (Value.Check(File, result)) return result
  throw invalid(say`'${part.Name}' returned neither rows nor a file`, { code: 'SCRIPT_FAILED' })
}
