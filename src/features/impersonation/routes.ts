/** Acting as another user: `/api/v1/impersonation`. */
import { Elysia } from 'elysia'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { callerOf, networkOf, traceIdOf } from '../../server/session.ts'
import { START, STOP } from './operations.ts'
import { startImpersonation } from './start.ts'
import { stopImpersonation } from './stop.ts'

const wayOf = (request: Request) => ({
  address: networkOf(request),
  client: request.headers.get('user-agent') ?? undefined,
  traceId: traceIdOf(request),
})

/** Gates: start is for System, stop for whoever has a token. */
export function impersonationRoutes(app: AppContext) {
  return new Elysia({
    prefix: '/api/v1/impersonation',
    strictPath: true,
    tags: ['Impersonation'],
  })
    .post(
      '/start',
      async ({ body, request }) =>
        ok(await startImpersonation(app, callerOf(request), body, wayOf(request))),
      START,
    )
    .post(
      '/stop',
      async ({ request }) => ok(await stopImpersonation(app, callerOf(request), wayOf(request))),
      STOP,
    )
}
