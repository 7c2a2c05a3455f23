/** The object explorer: `/api/v1/svc/object-explorer` (src/server/README.md, Objects). */
import { Elysia } from 'elysia'
import { describeObject, listObjects } from '../../engine/explorer/objects.ts'
import { runQuery } from '../../engine/explorer/query.ts'
import type { AppContext } from '../../server/context.ts'
import { requireGrant } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { ok, okText } from '../../server/reply.ts'
import { callerOf } from '../../server/session.ts'
import { DESCRIBE_OBJECT, LIST_OBJECTS, RUN_QUERY } from './operations.ts'

/** Gate: List on the object. */
export function objectExplorerRoutes(app: AppContext) {
  const limits = { bytes: app.settings.get('Svc:Results:MaxBytes') }
  return new Elysia({
    prefix: '/api/v1/svc/object-explorer',
    strictPath: true,
    tags: ['Object explorer'],
  })
    .get(
      '/objects',
      ({ request }) => ok(listObjects(modelOf(app, request), callerOf(request))),
      LIST_OBJECTS,
    )
    .get(
      '/objects/:name',
      ({ params, request }) => {
        const { view, grant } = requireGrant(app, request, params.name, ['List'])
        return ok(describeObject(view, grant))
      },
      DESCRIBE_OBJECT,
    )
    .post(
      '/query',
      async ({ body, request }) => {
        const granted = requireGrant(app, request, body.ObjectName, ['List'], body.AllCompanies)
        const asked = { request: body, ...granted }
        return okText(await runQuery(app.store, asked, limits, request.signal))
      },
      RUN_QUERY,
    )
}
