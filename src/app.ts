/** The table of contents: what stands around every request, then one line per feature. */
import { Elysia } from 'elysia'
import type { InternalRoute } from 'elysia'
import { accessExplorerRoutes } from './features/access-explorer/routes.ts'
import { accessRoleRoutes } from './features/access-roles/routes.ts'
import { accessUserRoutes } from './features/access-users/routes.ts'
import { mfaRoutes } from './features/auth/mfa-routes.ts'
import { accountRoutes } from './features/auth/account-routes.ts'
import { accessBoardRoutes } from './features/access-board/routes.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { authRoutes } from './features/auth/routes.ts'
import { companyRoutes } from './features/company/routes.ts'
import { fileRoutes } from './features/files/routes.ts'
import { executeScriptRoutes } from './features/execute-script/routes.ts'
import { healthRoutes } from './features/health/routes.ts'
import { impersonationRoutes } from './features/impersonation/routes.ts'
import { exportRoutes } from './features/object/export-routes.ts'
import { importRoutes } from './features/object/import-routes.ts'
import { handlerRoutes } from './features/object/handler-routes.ts'
import { objectExplorerRoutes } from './features/object-explorer/routes.ts'
import { objectRoutes } from './features/object/routes.ts'
import { uploadRoutes } from './features/object/upload-routes.ts'
import { rpcRoutes } from './features/rpc/routes.ts'
import { scriptRoutes } from './features/scripts/routes.ts'
import { swaggerRoutes } from './features/swagger/routes.ts'
import { timeZoneRoutes } from './features/timezone/routes.ts'
import type { AppContext } from './server/context.ts'
import { RequestPipeline } from './server/request-pipeline.ts'
import type { PipelineApp } from './server/request-pipeline.ts'

/**
 * The whole HTTP application. `standardHostname: false`: Elysia finds the path also behind a host
 * of one letter; the session looks for it in the same way. `systemRouter: false`: one way in, for
 * tests and for Bun. `normalize: 'typebox'`: Elysia's own copying turns a text that stands where an
 * object belongs into an object of its letters, before it is checked, and takes minutes for it.
 * Health stands also beside the base path, for supervisors that know of none.
 */
export function createApp(context: AppContext) {
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
    .use(features(context, { prefix: basePath, listRoutes }))
  return app
}

interface FeatureOptions {
  /** What every route stands below. */
  prefix: string
  /** The routes of the whole app, for its document. */
  listRoutes: () => readonly InternalRoute[]
}

function features(context: AppContext, { prefix, listRoutes }: FeatureOptions) {
  return new Elysia({ prefix, strictPath: true })
    .use(healthRoutes(context))
    .use(swaggerRoutes(context, listRoutes))
    .use(authRoutes(context))
    .use(accountRoutes(context))
    .use(mfaRoutes(context))
    .use(impersonationRoutes(context))
    .use(auditRoutes(context))
    .use(companyRoutes(context))
    .use(timeZoneRoutes(context))
    .use(accessUserRoutes(context))
    .use(accessRoleRoutes(context))
    .use(accessExplorerRoutes(context))
    .use(accessBoardRoutes(context))
    .use(scriptRoutes(context))
    .use(objectExplorerRoutes(context))
    .use(rpcRoutes(context))
    .use(executeScriptRoutes(context))
    .use(handlerRoutes(context))
    .use(objectRoutes(context))
    .use(exportRoutes(context))
    .use(importRoutes(context))
    .use(uploadRoutes(context))
    .use(fileRoutes(context))
}
