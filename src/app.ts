/** The table of contents: what stands around every request, then one line for each feature. */
import { Elysia } from 'elysia'
import type { AnyElysia, InternalRoute } from 'elysia'
import { authFeature } from './features/auth/routes.ts'
import { impersonationFeature } from './features/impersonation/routes.ts'
import { companyFeature } from './features/company/routes.ts'
import { timeZoneFeature } from './features/timezone/routes.ts'
import { accessUsersFeature } from './features/access-users/routes.ts'
import { accessRolesFeature } from './features/access-roles/routes.ts'
import { accessExplorerFeature } from './features/access-explorer/routes.ts'
import { accessBoardFeature } from './features/access-board/routes.ts'
import { objectFeature } from './features/object/routes.ts'
import { handlersFeature } from './features/object/handler-routes.ts'
import { objectExplorerFeature } from './features/object-explorer/routes.ts'
import { rpcFeature } from './features/rpc/routes.ts'
import { scriptsFeature } from './features/scripts/routes.ts'
import { filesFeature } from './features/files/routes.ts'
import { executeScriptFeature } from './features/execute-script/routes.ts'
import { auditFeature } from './features/audit/routes.ts'
import { healthFeature, healthRoutes } from './features/health/routes.ts'
import { swaggerRoutes } from './features/swagger/routes.ts'
import type { AppContext } from './server/context.ts'
import type { Area, Feature } from './server/feature.ts'
import { RequestPipeline } from './server/request-pipeline.ts'
import type { PipelineApp } from './server/request-pipeline.ts'

/** All that the server can do, in the order of its document. */
export const FEATURES: readonly Feature[] = [
  authFeature,
  impersonationFeature,
  companyFeature,
  timeZoneFeature,
  accessUsersFeature,
  accessRolesFeature,
  accessExplorerFeature,
  accessBoardFeature,
  objectFeature,
  objectExplorerFeature,
  rpcFeature,
  scriptsFeature,
  filesFeature,
  executeScriptFeature,
  handlersFeature,
  auditFeature,
  healthFeature,
]

/**
 * The whole HTTP application. `standardHostname: false`: Elysia finds the path also behind a host
 * of one letter; the session looks for it in the same way. `systemRouter: false`: one way in, for
 * tests and for Bun. `normalize: 'typebox'`: Elysia's own copying turns a text that stands where an
 * object belongs into an object of its letters, before it is checked, and takes minutes for it.
 * Health stands also beside the base path, for supervisors that know of none.
 */
export function createApp(context: AppContext, features = FEATURES) {
  const pipeline = new RequestPipeline(context, (): PipelineApp => app)
  // Routes are complete, and asked for, after the start only.
  const listRoutes = (): readonly InternalRoute[] => app.routes
  const basePath = context.settings.get('Svc:Http:BasePath')
  const app = new Elysia({
    systemRouter: false,
    normalize: 'typebox',
    handler: { standardHostname: false },
  })
    .wrap((handle, request) => () => pipeline.answer(handle, request))
    .onError(({ request, error }) => pipeline.refuse(request, error))
    .onParse(({ request, route, params }) => pipeline.parse(request, route, params))
    .onTransform(({ request, route, params, body }) =>
      pipeline.guard(route, { request, params, body: body ?? null }),
    )
    .use(basePath === '' ? new Elysia() : healthRoutes(context))
    .use(serve(context, features, listRoutes))
  return app
}

/** The features below the base path, and the document that tells of them. */
function serve(
  context: AppContext,
  features: readonly Feature[],
  listRoutes: () => readonly InternalRoute[],
) {
  const prefix = context.settings.get('Svc:Http:BasePath')
  const app: AnyElysia = new Elysia({ prefix, strictPath: true })
  for (const { routes } of features) for (const plan of routes) app.use(plan(context))
  return app.use(swaggerRoutes(context, { listRoutes, areas: listAreas(features) }))
}

/** The areas of the OpenAPI document that features bring, in their order. */
export const listAreas = (features = FEATURES): Area[] =>
  features.flatMap(({ areas }) => areas ?? [])
