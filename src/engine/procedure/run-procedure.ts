/**
 * Calls of stored procedures: a reading one on one state of the data in a lane, a writing one in
 * one transaction by the path of every authored statement.
 */
import { findReads } from '../../kernel/charged.ts'
import { invalid, notFound } from '../../kernel/failure.ts'
import { JsonText } from '../../kernel/json-text.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { SqlArg } from '../../store/sql.ts'
import { type Reader, systemScope, type Tx } from '../../store/store.ts'
import type { Procedure, ProcedureStatement } from '../../model/compiled/procedure.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { type CompanyOfWork, engineCaller } from '../../access/callers/engine-caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { runStatement, type StatementRun } from '../object/after-write/authored-statement.ts'
import { requireRowCount } from '../object/after-write/effects.ts'
import type { RowLimits } from '../object/capped-rows.ts'
import type { Context } from '../object/context.ts'
import { type Mutation, type ObjectEngine, writeMutation } from '../object/mutation.ts'
import { readParameters } from '../object/parameters.ts'
import { describeParameter } from '../object/read/metadata.ts'
import { toArg } from '../object/value.ts'
import { readActionValues, validateParameters } from '../object/write/action-parameters.ts'
import { readResultSet, type ResultSet, toResultSet } from './result-sets.ts'

/** Form of a procedure's name; any other text is refused. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/
/** Most characters of a call's parameters, as JSON; larger data has its own ways in. */
const PARAMETERS_CHARACTERS_MAX = 512 * 1024

/** The procedure of a name, in any case. @throws invalid for a faulty name, notFound. */
export function requireProcedure(model: Model, name: string): Procedure {
  if (!NAME.test(name)) throw invalid(say`This is not a valid procedure name`)
  const procedure = model.procedures.get(name.toLowerCase())
  if (!procedure) throw notFound(say`There is no such procedure`, { code: 'PROCEDURE_NOT_FOUND' })
  return procedure
}

/** A call that its gate let pass, with the limits of its answer. */
interface ProcedureCall {
  procedure: Procedure
  /** Grant by Execute on the procedure's resource, or of the cause of the call. */
  grant: Grant
  parameters: Readonly<Record<string, unknown>> | null | undefined
  limits: RowLimits
}

/**
 * Runs a procedure and gives `{ResultSets, RowsAffected}` as JSON.
 * @throws validation for its parameters, invalid for what is too much.
 */
export async function runProcedure(mutation: Mutation, call: ProcedureCall): Promise<JsonText> {
  const { engine, context, caller, allCompanies } = mutation
  const { procedure } = call
  const running = planCall(call, call.grant.over(allCompanies), context, caller.companyId)
  if (procedure.mode === 'Read')
    return engine.store.snapshot(timesName(procedure), (reader) =>
      runStatements({ reader }, call, running),
    )
  return writeMutation(mutation, sourceOf(procedure), (tx) =>
    runStatements({ reader: tx, tx }, call, running),
  )
}

/** A call of the engine's own: in a company, or over all of them. */
interface OwnCall extends Omit<ProcedureCall, 'grant'> {
  company: CompanyOfWork | undefined
  /** Trace id of the job: audit entries name it. */
  traceId: string
}

const NO_COMPANY: CompanyOfWork = { id: 0, code: '', timeZone: 'UTC' }

const ALL_COMPANIES = systemScope('a schedule runs over all companies')

/** Runs a procedure as the engine, as `runProcedure` does for callers. */
export async function runOwnProcedure(
  engine: ObjectEngine,
  model: Model,
  own: OwnCall,
): Promise<JsonText> {
  const { procedure, company, traceId } = own
  const caller = engineCaller(company ?? NO_COMPANY)
  const grant = Grant.ofCause(caller, model, procedure.resource).over(company === undefined)
  const context: Context = { caller: undefined, company, now: engine.clock.now(), model }
  const running = planCall(own, grant, context, company?.id ?? null)
  if (procedure.mode === 'Read')
    return engine.store.snapshot(timesName(procedure), (reader) =>
      runStatements({ reader }, own, running),
    )
  return engine.store.write(
    (tx) => {
      tx.facts.origin = { context, source: sourceOf(procedure), traceId }
      return runStatements({ reader: tx, tx }, own, running)
    },
    {
      ...(company ? { company: company.id } : ALL_COMPANIES),
      revalidate: () => engine.models.requireHeld(model),
    },
  )
}

const sourceOf = ({ name }: Procedure): string => `rpc/${name}`

/** @throws validation for its parameters, invalid for too many of them. */
function planCall(
  { procedure, parameters: given }: Omit<ProcedureCall, 'grant'>,
  grant: Grant,
  context: Context,
  company: number | null,
): Running {
  if (JSON.stringify(given ?? {}).length > PARAMETERS_CHARACTERS_MAX)
    throw invalid(say`Parameters can have at most ${PARAMETERS_CHARACTERS_MAX} characters`)
  const parameters = readParameters(given)
  return { grant, context, company, parameters, values: readActionValues(procedure, parameters) }
}

/** The name under which statements are timed; another text has another name. */
const timesName = ({ name, statements }: Procedure): string =>
  [`rpc ${name}`, ...statements.map(({ sql }) => sql.text)].join('\n')

/** A call that is running. */
interface Running {
  grant: Grant
  context: Context
  company: number | null
  parameters: ReadonlyMap<string, unknown>
  values: ReturnType<typeof readActionValues>
}

/** The place where a call runs: a call that only reads has no transaction. */
interface Place {
  reader: Reader
  tx?: Tx
}

async function runStatements(
  { reader, tx }: Place,
  { procedure, limits }: Omit<ProcedureCall, 'grant'>,
  { grant, context, company, parameters, values }: Running,
): Promise<JsonText> {
  const fieldByName = new Map(procedure.parameters.map((each) => [each.name.toLowerCase(), each]))
  const view = { name: procedure.name, fieldByName, entity: undefined }
  const requested = { reader, view, action: procedure, grant, context, parameters, company }
  const valid = await validateParameters(
    { ...requested, row: undefined, dropped: new Set() },
    values,
  )
  const bound = new Map<string, SqlArg>()
  for (const [name, parameter] of fieldByName)
    bound.set(name, toArg(parameter, valid.get(name) ?? null))
  const run: StatementRun = {
    context,
    company,
    values: bound,
    owner: { name: procedure.name, entity: undefined, fields: [] },
    of: procedure.name,
    shadowScope: grant.allCompanies ? 'all' : 'company',
    former: undefined,
  }
  const answer = new Answer(limits)
  for (const statement of procedure.statements) await runOne({ reader, tx }, run, statement, answer)
  return answer.toJson()
}

async function runOne(
  { reader, tx }: Place,
  run: StatementRun,
  statement: ProcedureStatement,
  answer: Answer,
): Promise<void> {
  const { sql, result, rows: expected, message, into } = statement
  const room = answer.room()
  let set: ResultSet
  if (tx === undefined || sql.writes.length === 0) {
    set = await readResultSet(reader, run, sql, room)
    requireRowCount(expected, set.count, message)
  } else {
    const { rows, changes } = await runStatement(tx, run, sql)
    requireRowCount(expected, changes, message)
    answer.rowsAffected += changes
    set = toResultSet(run.context.model, sql, rows, room)
  }
  if (into !== undefined) run.values.set(into.toLowerCase(), set.first)
  if (result === undefined) return
  if (tx) findReads()?.noteStatement(sql.text)
  answer.add(result, set)
}

/** The answer so far. */
class Answer {
  rowsAffected = 0
  readonly #limits: RowLimits
  readonly #sets: string[] = []
  #bytes = 0

  constructor(limits: RowLimits) {
    this.#limits = limits
  }

  room() {
    return { limits: this.#limits, left: this.#limits.bytes - this.#bytes }
  }

  add(name: string, { columns, rows, bytes }: ResultSet): void {
    this.#bytes += bytes
    const list = JSON.stringify(columns)
    this.#sets.push(`${JSON.stringify(name)}:{"Columns":${list},"Rows":${rows}}`)
  }

  toJson(): JsonText {
    const sets = this.#sets.join(',')
    return new JsonText(`{"ResultSets":{${sets}},"RowsAffected":${this.rowsAffected}}`)
  }
}

/** A procedure by name, label and mode. */
interface ProcedureEntry {
  Name: string
  Label: string
  Mode: 'Read' | 'Write'
}

/** Lists the procedures that the caller may Execute, by name. */
export function listProcedures(model: Model, caller: Caller): ProcedureEntry[] {
  return [...model.procedures.values()]
    .filter(({ resource }) => Grant.findCapability(caller, model, resource, 'Execute'))
    .map((procedure) => toEntry(procedure, caller.language))
    .sort((a, b) => (a.Name < b.Name ? -1 : 1))
}

const toEntry = ({ name, label, mode }: Procedure, language?: string): ProcedureEntry => ({
  Name: name,
  Label: renderMessage(label, language),
  Mode: mode,
})

/** A procedure with its parameters and what it returns, without any SQL. */
export const describeProcedure = (procedure: Procedure, language?: string) => ({
  ...toEntry(procedure, language),
  Parameters: procedure.parameters.map((each) =>
    describeParameter(each, { isDescribed: () => true, language }),
  ),
  Results: procedure.statements.flatMap(({ result, sql }) =>
    result === undefined
      ? []
      : [{ Name: result, Columns: sql.columns.map((column) => column.name) }],
  ),
})
