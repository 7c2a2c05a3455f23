/** The object explorer: `/api/v1/svc/object-explorer` (contract, Objects). */
import { Elysia } from 'elysia'
import { Grant } from '../../access/grant.ts'
import { describeObject, listObjects } from '../../engine/explorer/objects.ts'
import { runQuery } from '../../engine/explorer/query.ts'
import { requireView } from '../../engine/object/find-view.ts'
import type { AppContext } from '../../server/context.ts'
import { modelOf } from '../../server/language.ts'
import { ok, okText } from '../../server/reply.ts'
import { callerOf } from '../../server/session.ts'
import { DESCRIBE_OBJECT, LIST_OBJECTS, RUN_QUERY } from './operations.ts'

/** Gate: List on the object. */
export function objectExplorerRoutes(app: AppContext) {
  const limits = { bytes: app.settings.get('Svc:Results:MaxBytes') }
  const findListed = (request: Request, name: string, allCompanies = false) => {
    const model = modelOf(app, request)
    const view = requireView(model, name)
    const caller = callerOf(request)
    const grant = Grant.require(caller, model, view.resource, ['List'], { allCompanies })
    return { view, grant }
  }
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
        const { view, grant } = findListed(request, params.name)
        return ok(describeObject(view, grant))
      },
      DESCRIBE_OBJECT,
    )
    .post(
      '/query',
      async ({ body, request }) => {
        const { view, grant } = findListed(request, body.ObjectName, body.AllCompanies)
        const { caller, model } = grant
        const context = { caller, model, now: app.clock.now() }
        const asked = { view, request: body, grant, context }
        return okText(await runQuery(app.store, asked, limits))
      },
      RUN_QUERY,
    )
}
