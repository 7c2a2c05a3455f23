/**
 * The access board: who may do what, changed with its impact told (src/server/README.md, Access).
 */
import { Elysia } from 'elysia'
import { planAdminReach } from '../../access/board-users.ts'
import type { BoardScope } from '../../access/board-users.ts'
import { applyBoard } from '../../engine/access-board/apply.ts'
import { loadMatrix } from '../../engine/access-board/matrix.ts'
import { loadPrincipals } from '../../engine/access-board/principals.ts'
import type { BoardSource } from '../../engine/access-board/principals.ts'
import { exportRbac, importRbac } from '../../engine/access-board/rbac-files.ts'
import { loadStatistics } from '../../engine/access-board/statistics.ts'
import type { AppContext } from '../../server/context.ts'
import { modelOf } from '../../server/language.ts'
import { ok, okText } from '../../server/reply.ts'
import { callerOf, traceIdOf } from '../../server/session.ts'
import {
  APPLY,
  EXPORT_RBAC,
  GET_STATISTICS,
  IMPORT_RBAC,
  LIST_PRINCIPALS,
  LOAD_MATRIX,
} from './operations.ts'
import type { Feature } from '../../server/feature.ts'

const PAGE_SIZE_DEFAULT = 50

/** Gates: System, Admin and AccessManager; the Rbac as a whole is System’s. */
function accessBoardRoutes(app: AppContext) {
  const sourceOf = (request: Request, scope?: BoardScope | null): BoardSource => ({
    reader: app.store,
    reach: planAdminReach(callerOf(request), scope),
    model: modelOf(app, request),
  })
  return new Elysia({ prefix: '/api/v1/svc/auth', strictPath: true, tags: ['Access'] })
    .get(
      '/statistics',
      async ({ query, request }) => {
        const source = { ...app, model: app.models.get(), now: app.clock.now() }
        return ok(await loadStatistics(source, planAdminReach(callerOf(request), query.scope)))
      },
      GET_STATISTICS,
    )
    .get(
      '/board/principals',
      async ({ query, request }) => {
        const { kind, search = '' } = query
        const page = Number(query.page ?? 1)
        const pageSize = Number(query.pageSize ?? PAGE_SIZE_DEFAULT)
        const requested = { kind, search, page, pageSize }
        return ok(await loadPrincipals(sourceOf(request, query.scope), requested))
      },
      LIST_PRINCIPALS,
    )
    .post(
      '/board/matrix',
      async ({ body, request }) => {
        const { Scope, Principals, Resources } = body
        const requested = { principals: Principals ?? undefined, resources: Resources ?? undefined }
        const matrix = await loadMatrix(sourceOf(request, Scope), requested)
        // As text: checking tens of thousands of cells takes longer than making them.
        return okText(JSON.stringify(matrix))
      },
      LOAD_MATRIX,
    )
    .post(
      '/board/apply',
      async ({ body, request }) => {
        const requested = { ...body, DryRun: body.DryRun ?? false }
        return ok(await applyBoard(app, callerOf(request), requested, traceIdOf(request)))
      },
      APPLY,
    )
    .get('/rbac/export', async () => ok(await exportRbac(app.store, app.models.get())), EXPORT_RBAC)
    .post(
      '/rbac/import',
      async ({ body, request }) => {
        const requested = {
          Files: body.Files ?? undefined,
          Users: body.Users ?? undefined,
          DryRun: body.DryRun ?? false,
        }
        return ok(await importRbac(app, callerOf(request), requested, traceIdOf(request)))
      },
      IMPORT_RBAC,
    )
}

/** See `Feature`. */
export const accessBoardFeature: Feature = { routes: [accessBoardRoutes] }
