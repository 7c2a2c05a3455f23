/** The table of contents: what stands around every request, then one line per feature. */
import { Elysia } from 'elysia'
import { healthRoutes } from './features/health/routes.ts'
import type { AppContext } from './server/context.ts'
import { Exchange } from './server/exchange.ts'
import type { ExchangedApp } from './server/exchange.ts'

/**
 * The whole HTTP application. `strictPath`: a path is the one that is documented, without a further
 * slash. `standardHostname: false`: Elysia finds the path also behind a host of one letter; the
 * session looks for it in the same way. `systemRouter: false`: one way in, for tests and for Bun.
 */
export function createApp(context: AppContext) {
  const exchange = new Exchange(context, (): ExchangedApp => app)
  const app = new Elysia({
    strictPath: true,
    systemRouter: false,
    handler: { standardHostname: false },
  })
    .wrap((handle, request) => () => exchange.answer(handle, request))
    .onError(({ request, error }) => exchange.refuse(request, error))
    .onParse(({ request, route }) => exchange.parse(request, route))
    .use(healthRoutes(context))
  return app
}
