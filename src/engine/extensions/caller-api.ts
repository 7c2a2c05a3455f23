/** Answers the calls of an extension's run, by the rights of its caller. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { toEnvelope, toFailure } from '../../kernel/envelope.ts'
import { invalid, tooMany } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { say } from '../../kernel/messages.ts'
import { SqlFault } from '../../store/gate/fault.ts'
import type { SqlRead } from '../../store/sql.ts'
import { planAnewWhenReplaced } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { enqueueNamed } from './enqueue-named.ts'
import type { AnswerCall, RunOptions } from './extension-run.ts'
import type { Extensions } from './extensions.ts'
import { DELAY_MS_MAX, RUN_JOBS_MAX } from './limits.ts'
import { QUEUE_NAME } from './part-names.ts'
import { newContext } from '../object/context.ts'
import { findMisspelt } from '../object/misspelt-members.ts'
import { newMutation, type ObjectEngine } from '../object/mutation.ts'
import { requireViewUse } from '../object/read/find-view.ts'
import { loadTable } from '../object/read/load-table.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { SubmitRequest, TableRequest } from '../object/schema.ts'
import { submit } from '../object/write/submit.ts'

/** The caller of a run, and the parts that answer its calls. */
export interface CallerApi {
  engine: ObjectEngine
  reader: QueryCache
  extensions: Extensions
  log: Log
  caller: Caller
  /** The one that serves now. */
  readonly model: Model
  language: string
  traceId: string
  /** The event depth of a listener: see `ChangeSource`. */
  eventDepth?: number | undefined
}

const SqlCall = Type.Object({
  sql: Type.String(),
  parameters: Type.Record(Type.String(), Type.Unknown()),
})
const EnqueueCall = Type.Object({
  name: Type.String({ maxLength: 128 }),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  delayMs: Type.Optional(Type.Number({ minimum: 0, maximum: DELAY_MS_MAX })),
  queue: Type.Optional(Type.String({ pattern: QUEUE_NAME.source })),
  exclusiveKey: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
})
const TableCall = Type.Composite([Type.Object({ ObjectName: Type.String() }), TableRequest])

const RETRY_SECONDS = 60

/** The options of one kind of run. */
interface RunKind {
  /** Jobs that it may ask for. */
  jobsMax?: number
  /** True when the run's rows leave as a file. */
  isFile?: boolean
}

/** Answers the calls of a run by the rights of its caller, in the company that they are in. */
export const openCallerApi = (
  by: CallerApi,
  name: string,
  { jobsMax = RUN_JOBS_MAX, isFile = false }: RunKind = {},
): AnswerCall => {
  let enqueued = 0
  return async (what, given, signal) => {
    // A script may run for minutes: its caller may not be let in any more.
    await requireValidCaller(by.caller)
    if (what === 'sql') {
      const query = { ...requireShape(SqlCall, given), of: name, signal }
      return planAgain(by, 'read', (now) => readSql(now, query))
    }
    if (what === 'table') {
      const request = requireShape(TableCall, given)
      const misspelt = findMisspelt(TableCall, request)
      if (misspelt) throw misspelt
      return planAgain(by, 'read', (now) => readTable(now, request, isFile))
    }
    if (what === 'enqueue') {
      const asked = requireShape(EnqueueCall, given)
      if (++enqueued > jobsMax)
        throw tooMany(say`One run can start at most ${jobsMax} jobs`, RETRY_SECONDS)
      return { JobId: await enqueueNamed(by, { ...asked, source: `enqueue/${name}` }) }
    }
    const request = requireShape(SubmitRequest, given)
    // A write that was begun goes to its end, or to its own deadline: never half-way.
    return planAgain(by, 'write', (now) => save(now, request))
  }
}

/** Plans a call again where another model came between: it may have met its tables. */
const planAgain = (
  by: CallerApi,
  kind: 'read' | 'write',
  call: (now: CallerApi) => Promise<unknown>,
): Promise<unknown> =>
  planAnewWhenReplaced(by.engine, (model) => call({ ...by, model }), { isReading: kind === 'read' })

/** Turns an error into the one that the extension's code gets: as its caller would be answered. */
export const openReporter =
  ({
    log,
    language,
    traceId,
  }: Pick<CallerApi, 'log' | 'language' | 'traceId'>): NonNullable<RunOptions['reportError']> =>
  (error) => {
    if (error instanceof SqlFault) return { code: 'SQL_REFUSED', message: error.message }
    const failure = toFailure(error)
    if (failure.kind === 'internal') log.error('a call of an extension failed', error, { traceId })
    const { code, error: message, fieldErrors } = toEnvelope(failure, traceId, false, language)
    return { code, message, ...(fieldErrors && { fieldErrors }) }
  }

function readSql(
  { engine, extensions: { queries }, caller, model }: CallerApi,
  { sql, parameters, ...read }: Static<typeof SqlCall> & Pick<SqlRead, 'of' | 'signal'>,
): Promise<unknown> {
  const context = newContext(engine, caller, model)
  return queries.read({ text: sql, parameters }, { ...read, context, model })
}

/** Reads a table in the caller's company; a request for all companies is ignored. */
async function readTable(
  { engine, reader, caller, model }: CallerApi,
  { ObjectName, ...request }: Static<typeof TableCall>,
  isFile: boolean,
): Promise<unknown> {
  const { view, grant, context } = requireViewUse(engine, { caller, model }, ObjectName, ['View'])
  const own = isFile ? grant.toFile() : grant
  return JSON.parse(await loadTable({ reader, request, view, grant: own, context })) as unknown
}

const save = (by: CallerApi, request: SubmitRequest): Promise<unknown> =>
  submit(newMutation(by), request)

/** @throws invalid naming the first member that does not fit */
function requireShape<T extends TSchema>(schema: T, given: unknown): Static<T> {
  if (Value.Check(schema, given)) return given
  const path = Value.Errors(schema, given).First()?.path.slice(1) ?? ''
  throw invalid(say`The request is not valid: ${path}`)
}
