/** Stored procedures: `/api/v1/svc/rpc` (src/server/README.md, Objects). */
import { Elysia } from 'elysia'
import { Grant } from '../../access/grant.ts'
import { describeProcedure, listProcedures } from '../../engine/procedure/describe.ts'
import { requireProcedure, runProcedure } from '../../engine/procedure/run-procedure.ts'
import type { Procedure } from '../../model/model.ts'
import type { AppContext } from '../../server/context.ts'
import type { Incoming } from '../../server/gate.ts'
import { textMember } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { planMutation } from '../../server/mutation.ts'
import { answerOnce, takeKeyNow, type Seal } from '../../server/once.ts'
import { envelopeOf, ok, okEnvelope } from '../../server/reply.ts'
import { callerOf, requireFacts } from '../../server/session.ts'
import { CALL_PROCEDURE, GET_PROCEDURE, LIST_PROCEDURES } from './operations.ts'

/** Gate: Execute on the resource of the procedure. */
export function rpcRoutes(app: AppContext) {
  const limits = {
    rows: app.settings.get('Svc:Results:MaxRows'),
    bytes: app.settings.get('Svc:Results:MaxBytes'),
  }
  return new Elysia({ prefix: '/api/v1/svc/rpc', strictPath: true, tags: ['Procedures'] })
    .get(
      '',
      ({ request }) => ok(listProcedures(modelOf(app, request), callerOf(request))),
      LIST_PROCEDURES,
    )
    .get(
      '/:name',
      ({ params, request }) => ok(describeProcedure(passGate(app, request, params.name))),
      GET_PROCEDURE,
    )
    .post(
      '/:name',
      async ({ params, body, request }) => {
        const procedure = passGate(app, request, params.name)
        const run = (seal?: Seal) =>
          runProcedure(planMutation(app, request, seal, body), {
            ...{ procedure: passGate(app, request, params.name) },
            ...{ parameters: body.Parameters, limits },
          })
        // What only reads has no transaction to be remembered in, and needs none.
        if (procedure.mode === 'Read') {
          requireFacts(request).isSafe = true
          return okEnvelope(envelopeOf(await run()))
        }
        return answerOnce(request, run)
      },
      {
        ...CALL_PROCEDURE,
        transform: async ({ request, params, body }: Incoming) => {
          const name = textMember(params, 'name') ?? ''
          const { mode, resource } = passGate(app, request, name)
          if (mode !== 'Write') return
          await takeKeyNow(app, { request, body }, () => [{ resource, rights: ['Execute'] }])
        },
      },
    )
}

/** @throws invalid, notFound, denied: before anything but the name is used. */
function passGate(app: AppContext, request: Request, name: string): Procedure {
  const model = modelOf(app, request)
  const procedure = requireProcedure(model, name)
  Grant.requireCapability(callerOf(request), model, procedure.resource, 'Execute')
  return procedure
}
