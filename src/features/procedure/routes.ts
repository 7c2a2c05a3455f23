/** Stored procedures: `/api/v1/svc/rpc` (src/server/README.md, Objects). */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
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
import { AUTHENTICATED, namedGate, textMember } from '../../server/gate.ts'
import {
  answerIdempotent,
  IDEMPOTENT,
  type RecordResponse,
  takeKeyNow,
} from '../../server/idempotent-response.ts'
import { modelOf } from '../../server/language.ts'
import { planRequestMutation } from '../../server/mutation.ts'
import { envelopeOf, ok, okEnvelope } from '../../server/reply.ts'
import { found, type Incoming } from '../../server/route-call.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf, requireFacts } from '../../server/session.ts'

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
type CallRequest = Static<typeof CallRequest>

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

/** Gate: Execute on the resource of the procedure. */
function rpcRoutes(app: AppContext) {
  const limits = readLimits(app)
  return new Elysia({ prefix: '/api/v1/svc/rpc', strictPath: true, tags: [AREA.name] })
    .get(
      '',
      ({ request }) => ok(listProcedures(modelOf(app, request), callerOf(request))),
      LIST_PROCEDURES,
    )
    .get(
      '/:name',
      ({ params, request }) => {
        const { procedure } = found(app, GET_PROCEDURE.detail, { request, params })
        return ok(describeProcedure(procedure, languageOf(request)))
      },
      GET_PROCEDURE,
    )
    .post(
      '/:name',
      async ({ params, body, request }) => {
        const find = () => found(app, CALL_PROCEDURE.detail, { request, params })
        const run = (recordResponse?: RecordResponse) =>
          runProcedure(planRequestMutation(app, request, recordResponse, body), {
            ...find(),
            parameters: body.Parameters,
            limits,
          })
        // A procedure that only reads has no transaction to be remembered in, and needs none.
        if (find().procedure.mode === 'Read') {
          requireFacts(request).isSafe = true
          return okEnvelope(envelopeOf(await run()))
        }
        return answerIdempotent(request, run)
      },
      {
        ...CALL_PROCEDURE,
        transform: async ({ request, params, body }: Incoming) => {
          const { procedure } = found(app, CALL_PROCEDURE.detail, { request, params })
          const { mode, resource } = procedure
          if (mode !== 'Write') return
          await takeKeyNow(app, { request, body }, () => [{ resource, rights: ['Execute'] }])
        },
      },
    )
}

/** See `Feature`. */
export const rpcFeature: Feature = {
  areas: [AREA],
  routes: [rpcRoutes],
  recurring: [(app) => listScheduledProcedures(app, app.settings.get(JOBS.timeZone))],
  jobFinders: [(app) => findProcedureJobs(app, readLimits(app))],
  settings: [{ RESULTS_MAX_ROWS }],
}
