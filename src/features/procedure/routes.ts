/** Stored procedures: `/api/v1/svc/rpc` (src/server/README.md, Objects). */
import { Type } from '@sinclair/typebox'
import { textMember } from '../../kernel/members.ts'
import { named, oneOf, Values } from '../../kernel/schema.ts'
import { integer } from '../../kernel/setting.ts'
import { Grant } from '../../access/rights/grant.ts'
import { JOBS, RESULTS_MAX_BYTES } from '../../engine/floor.ts'
import type { RowLimits } from '../../engine/object/capped-rows.ts'
import { DataColumn } from '../../engine/object/clr-type.ts'
import { ActionParameterMetadata } from '../../engine/object/metadata-schema.ts'
import {
  findProcedureJobs,
  listScheduledProcedures,
} from '../../engine/procedure/procedure-jobs.ts'
import {
  describeProcedure,
  listProcedures,
  requireProcedure,
  runProcedure,
} from '../../engine/procedure/run-procedure.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import {
  answerIdempotent,
  IDEMPOTENT,
  type RecordResponse,
  takesKey,
} from '../../server/idempotent-response.ts'
import { planMutation } from '../../server/mutation.ts'
import { envelopeOf, ok, okEnvelope } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const Entry = {
  Name: Type.String(),
  Label: Type.String(),
  Mode: oneOf(['Read', 'Write']),
}

const ProcedureEntry = named('Procedure', Type.Object(Entry))

const ProcedureDescription = named(
  'ProcedureDescription',
  Type.Object({
    ...Entry,
    Parameters: Type.Array(ActionParameterMetadata),
    Results: Type.Array(
      named(
        'ProcedureResult',
        Type.Object({ Name: Type.String(), Columns: Type.Array(Type.String()) }),
      ),
    ),
  }),
)

const CallRequest = named(
  'ProcedureCallRequest',
  Type.Object({
    Parameters: Type.Optional(
      Type.Union([Values, Type.Null()], { description: 'Those that the procedure declares' }),
    ),
    AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
  }),
)

const CallResult = named(
  'ProcedureCallResult',
  Type.Object({
    ResultSets: Type.Record(
      Type.String(),
      named(
        'ResultSet',
        Type.Object({ Columns: Type.Array(DataColumn), Rows: Type.Array(Values) }),
      ),
    ),
    RowsAffected: Type.Integer({ description: 'By the statements that write' }),
  }),
)

const RESULTS_MAX_ROWS = integer(
  'Svc:Results:MaxRows',
  'Rows of one result set of a procedure; more is a 400',
  10_000,
  [1, 1_000_000],
)

const AREA = {
  name: 'Procedures',
  description: 'Stored procedures of the model, called by name with declared parameters.',
}

/** @throws invalid, notFound, denied: before anything but the name is used. */
const EXECUTE = namedGate(
  'Execute on the resource of the procedure',
  'path',
  ({ caller, model, params }) => {
    const procedure = requireProcedure(model, textMember(params, 'name') ?? '')
    const grant = Grant.requireCapability(caller, model, procedure.resource, 'Execute')
    return { procedure, grant }
  },
)
const byName = Type.Object({
  name: Type.String({ description: 'Name of the procedure', examples: ['SalesByRegion'] }),
})

const LIST_PROCEDURES = {
  response: Envelope(Type.Array(ProcedureEntry)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listProcedures',
    summary: 'The procedures that the caller may execute',
    description: 'Gate: authentication.',
  },
}

const GET_PROCEDURE = {
  params: byName,
  response: Envelope(ProcedureDescription),
  detail: {
    'x-gate': EXECUTE,
    operationId: 'getProcedure',
    summary: 'A procedure with its parameters and results',
    description: 'Gate: Execute on its Resource, which is its Name unless it says another.',
  },
}

const CALL_PROCEDURE = {
  params: byName,
  body: CallRequest,
  response: Envelope(CallResult),
  detail: {
    ...IDEMPOTENT,
    'x-gate': EXECUTE,
    'x-example': { Parameters: { FromDate: '2026-01-01', ToDate: '2026-12-31' } },
    operationId: 'callProcedure',
    summary: 'Call a procedure',
    description:
      'Its declared parameters are checked like those of a row action; no other name is bound. A ' +
      'procedure that reads sees one state of the data; one that writes runs in one transaction, ' +
      'with rules, audit and events, and honours Idempotency-Key. More rows or bytes than ' +
      '`Svc:Results:MaxRows` and `MaxBytes` are a 400 that names the limit. Gate: Execute on its ' +
      'Resource, which is its Name unless it says another.',
  },
}

const readLimits = ({ settings }: AppContext): RowLimits => ({
  rows: settings.get(RESULTS_MAX_ROWS),
  bytes: settings.get(RESULTS_MAX_BYTES),
})

const PROCEDURES: RouteGroup = {
  prefix: '/api/v1/svc/rpc',
  area: AREA.name,
  routes: [
    route('GET', '', LIST_PROCEDURES, ({ model, caller }) => ok(listProcedures(model, caller))),
    route('GET', '/:name', GET_PROCEDURE, ({ found, language }) =>
      ok(describeProcedure(found.procedure, language)),
    ),
    route('POST', '/:name', CALL_PROCEDURE, (call) => callProcedure(call), {
      before: takesKey(({ found: { procedure } }) =>
        procedure.mode === 'Write'
          ? [{ resource: procedure.resource, rights: ['Execute'] }]
          : undefined,
      ),
    }),
  ],
}

async function callProcedure(call: Call<typeof CALL_PROCEDURE>): Promise<Response> {
  const { app, body } = call
  const limits = readLimits(app)
  const run = (recordResponse?: RecordResponse) =>
    runProcedure(planMutation(call, recordResponse, body), {
      ...call.found,
      parameters: body.Parameters,
      limits,
    })
  // A procedure that only reads has no transaction to be remembered in, and needs none.
  if (call.found.procedure.mode === 'Read') {
    call.facts.isSafe = true
    return okEnvelope(envelopeOf(await run()))
  }
  return answerIdempotent(call, run)
}

/** See `Feature`. */
export const rpcFeature: Feature = {
  areas: [AREA],
  routes: [PROCEDURES],
  recurring: [(app) => listScheduledProcedures(app, app.settings.get(JOBS.timeZone))],
  jobFinders: [(app) => findProcedureJobs(app, readLimits(app))],
  settings: [{ RESULTS_MAX_ROWS }],
}
