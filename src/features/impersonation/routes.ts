/** Acting as another user: `/api/v1/impersonation`. */
import { Elysia } from 'elysia'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { callerOf, networkOf, traceIdOf } from '../../server/session.ts'
import { START, STOP } from './operations.ts'
import { startImpersonation } from './start.ts'
import { stopImpersonation } from './stop.ts'
import type { Feature } from '../../server/feature.ts'

const AREA = {
  name: 'Impersonation',
  description:
    'A System user acts as another one for some minutes, with that user’s rights; what is ' +
    'written is audited under both names.',
}

const wayOf = (request: Request) => ({
  address: networkOf(request),
  client: request.headers.get('user-agent') ?? undefined,
  traceId: traceIdOf(request),
})

/** Gates: start is for System, stop for whoever has a token. */
function impersonationRoutes(app: AppContext) {
  return new Elysia({
    prefix: '/api/v1/impersonation',
    strictPath: true,
    tags: [AREA.name],
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

/** See `Feature`. */
export const impersonationFeature: Feature = { areas: [AREA], routes: [impersonationRoutes] }
