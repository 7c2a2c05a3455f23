/** The table of contents: what stands around every request, then one line per feature. */
import { Elysia } from 'elysia'
import type { InternalRoute } from 'elysia'
import { authRoutes } from './features/auth/routes.ts'
import { healthRoutes } from './features/health/routes.ts'
import { objectRoutes } from './features/object/routes.ts'
import { swaggerRoutes } from './features/swagger/routes.ts'
import type { AppContext } from './server/context.ts'
import { Exchange } from './server/exchange.ts'
import type { ExchangedApp } from './server/exchange.ts'

/**
 * The whole HTTP application. `standardHostname: false`: Elysia finds the path also behind a host
 * of one letter; the session looks for it in the same way. `systemRouter: false`: one way in, for
 * tests and for Bun. `normalize: 'typebox'`: Elysia's own copying turns a text that stands where an
 * object belongs into an object of its letters, before it is checked, and takes minutes for it.
 */
export function createApp(context: AppContext) {
  const exchange = new Exchange(context, (): ExchangedApp => app)
  // Routes are complete, and asked for, after the start only.
  const listRoutes = (): readonly InternalRoute[] => app.routes
  const app = new Elysia({
    systemRouter: false,
    normalize: 'typebox',
    handler: { standardHostname: false },
  })
    .wrap((handle, request) => () => exchange.answer(handle, request))
    .onError(({ request, error }) => exchange.refuse(request, error))
    .onParse(({ request, route }) => exchange.parse(request, route))
    .use(healthRoutes(context))
    .use(swaggerRoutes(context, listRoutes))
    .use(authRoutes(context))
    .use(objectRoutes(context))
  return app
}
