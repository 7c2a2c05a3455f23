/** A script that somebody runs, from its parameters to its result. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { explainRun, ExtensionRun } from './extension-run.ts'
import type { Outcome, AnswerCall, RunOptions } from './extension-run.ts'
import type { Declared, Extensions } from './extensions.ts'
import { LOG_CHARACTERS_MAX, RESULT_CHARACTERS_MAX } from './limits.ts'
import { readPartParameters } from './part-parameters.ts'
import type { ScriptPart } from './parts.ts'
import type { Order } from './rpc-messages.ts'
import { Type } from '@sinclair/typebox'
import type { TSchema, Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Caller } from '../../access/caller.ts'
import { requireValidCaller } from '../../access/caller-validity.ts'
import { toEnvelope, toFailure } from '../../kernel/envelope.ts'
import type { Log } from '../../kernel/log.ts'
import { isDoubtful, isReplaced } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import { SqlFault } from '../../store/gate-fault.ts'
import type { SqlRead } from '../../store/sql.ts'
import { newContext } from '../object/context.ts'
import { requireViewUse } from '../object/read/find-view.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { loadTable } from '../object/read/load-table.ts'
import { newMutation } from '../object/mutation.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import { SubmitRequest, TableRequest } from '../object/schema.ts'
import { submit } from '../object/write/submit.ts'
import type { ExtensionQueries } from './query.ts'

/** Lines of a log that outlive a script which has no answer to put them in. */
const LAST_LINES = 20
const LAST_LINE_CHARACTERS_MAX = 500

/** What a script gives. */
export interface ScriptOutcome {
  /** JSON text. */
  resultJson: string
  log: string[]
  durationMs: number
}

/**
 * Runs a script for its caller, in a process of its own.
 * @throws validation, invalid for parameters; invalid for a script that fails or is ended
 */
export async function runScript(
  extensions: Extensions,
  { part, file }: Declared<ScriptPart>,
  given: Record<string, unknown> | null | undefined,
  api: CallerApi,
  begin: () => Promise<void>,
): Promise<ScriptOutcome> {
  const parameters = readPartParameters(part.Parameters, given)
  const { folder } = extensions
  const order = { do: 'run', folder, file, name: part.Name, parameters } as const
  const work = async (): Promise<ScriptOutcome> => {
    await begin()
    return runOrder(extensions, order, { api, answer: openCallerApi(api, part.Name) })
  }
  return extensions.semaphore.run(work, String(api.caller.userId))
}

/** Who a run is for, what answers its calls, and what ends it besides the server. */
export interface OrderOptions {
  api: CallerApi
  answer: AnswerCall
  signal?: AbortSignal
}

/** Runs an order that has a result. @throws invalid where it fails or is ended */
export async function runOrder(
  extensions: Extensions,
  order: Extract<Order, { do: 'run' | 'report' }>,
  { api, answer, signal }: OrderOptions,
): Promise<ScriptOutcome> {
  const startedAt = performance.now()
  const lines = new ScriptLog()
  const { limits } = extensions
  const signals = [extensions.signal, ...(signal ? [signal] : [])]
  await using run = new ExtensionRun(order, {
    ...limits,
    signal: AbortSignal.any(signals),
    onLog: (text) => lines.add(text),
    answer,
    reportError: openReporter(api),
  })
  const { log, traceId } = api
  const outcome = await run.finish().catch((error: unknown) => {
    const lastLines = lines.last()
    throw explainRun(error, order.name, { log, limits, traceId, lastLines })
  })
  return {
    resultJson: requireResult(outcome, order.name),
    log: lines.list(),
    durationMs: Math.round(performance.now() - startedAt),
  }
}

function requireResult(outcome: Outcome, name: string): string {
  const text = 'result' in outcome ? outcome.result : 'null'
  if (text.length > RESULT_CHARACTERS_MAX)
    throw invalid(say`The result of '${name}' is larger than ${RESULT_CHARACTERS_MAX} characters`)
  try {
    JSON.parse(text)
  } catch (cause) {
    throw invalid(say`'${name}' ended its process; the server's log has the reason`, { cause })
  }
  return text
}

/** The lines of a log, up to its bound. */
class ScriptLog {
  readonly #lines: string[] = []
  #characters = 0

  add(text: string): void {
    if (this.#characters > LOG_CHARACTERS_MAX) return
    this.#characters += text.length + 1
    this.#lines.push(this.#characters > LOG_CHARACTERS_MAX ? '… the log is longer' : text)
  }

  list(): string[] {
    return this.#lines
  }

  last(): string[] {
    return this.#lines.slice(-LAST_LINES).map((text) => text.slice(0, LAST_LINE_CHARACTERS_MAX))
  }
}

/** Who asks, and what answers. */
export interface CallerApi {
  engine: ObjectEngine
  reader: QueryCache
  queries: ExtensionQueries
  log: Log
  caller: Caller
  /** The one that serves now. */
  readonly model: Model
  language: string
  traceId: string
}

const SqlCall = Type.Object({
  sql: Type.String(),
  parameters: Type.Record(Type.String(), Type.Unknown()),
})
const TableCall = Type.Composite([Type.Object({ ObjectName: Type.String() }), TableRequest])

/** Answers the calls of a run by the rights of its caller, in the company that they are in. */
export const openCallerApi =
  (by: CallerApi, name: string): AnswerCall =>
  async (what, given, signal) => {
    // A script may run for minutes: its caller may not be let in any more.
    await requireValidCaller(by.caller)
    if (what === 'sql') {
      const query = { ...requireShape(SqlCall, given), of: name, signal }
      return planAgain(by, 'read', () => readSql(by, query))
    }
    if (what === 'table') {
      const request = requireShape(TableCall, given)
      return planAgain(by, 'read', () => readTable(by, request))
    }
    const request = requireShape(SubmitRequest, given)
    // A write that was begun goes to its end, or to its own deadline: never half-way.
    return planAgain(by, 'write', () => save(by, request))
  }

/** A call is planned again, once, where another model came between: it may have met its tables. */
async function planAgain(
  { engine }: CallerApi,
  kind: 'read' | 'write',
  call: () => Promise<unknown>,
): Promise<unknown> {
  const served = engine.models.get()
  try {
    const answer = await call()
    if (kind === 'write' || !isDoubtful(engine, served)) return answer
    await engine.store.migrated()
  } catch (error) {
    if (!(await isReplaced(engine, served))) throw error
  }
  return call()
}

/** What a refusal is to the extension's code: what its caller would be answered. */
const openReporter =
  ({ log, language, traceId }: CallerApi): NonNullable<RunOptions['reportError']> =>
  (error) => {
    if (error instanceof SqlFault) return { code: 'SQL_REFUSED', message: error.message }
    const failure = toFailure(error)
    if (failure.kind === 'internal') log.error('a call of an extension failed', error, { traceId })
    const { code, error: message, fieldErrors } = toEnvelope(failure, traceId, false, language)
    return { code, message, ...(fieldErrors && { fieldErrors }) }
  }

function readSql(
  { engine, queries, caller, model }: CallerApi,
  { sql, parameters, ...read }: Static<typeof SqlCall> & Pick<SqlRead, 'of' | 'signal'>,
): Promise<unknown> {
  const context = newContext(engine, caller, model)
  return queries.read({ text: sql, parameters }, { ...read, context, model })
}

/** What a call says of all companies does not count: an extension works in its caller's. */
async function readTable(
  { engine, reader, caller, model }: CallerApi,
  { ObjectName, ...request }: Static<typeof TableCall>,
): Promise<unknown> {
  const use = requireViewUse(engine, { caller, model }, ObjectName, ['View'])
  return JSON.parse(await loadTable({ reader, request, ...use })) as unknown
}

const save = (by: CallerApi, request: SubmitRequest): Promise<unknown> =>
  submit(newMutation(by), request)

/** @throws invalid naming the first member that does not fit */
function requireShape<T extends TSchema>(schema: T, given: unknown): Static<T> {
  if (Value.Check(schema, given)) return given
  const path = Value.Errors(schema, given).First()?.path.slice(1) ?? ''
  throw invalid(say`The request is not valid: ${path}`)
}
