/** Rebuild of the index of the global search: `/api/v1/svc/search/rebuild`. */
import { type FieldErrors, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { enqueueRebuild } from '../../engine/global-search/rebuild-job.ts'
import { listIndexedViews } from '../../engine/object/read/indexed-view.ts'
import type { RequestCall } from '../../server/call.ts'
import { rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { SearchRebuildRequest, SearchRebuildResult } from './schema.ts'

const REBUILD = {
  body: SearchRebuildRequest,
  response: Envelope(SearchRebuildResult),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'rebuildSearch',
    summary: 'Rebuild the index',
    description:
      'For an index that is not to be trusted any more, as after a repair of the database. Every ' +
      'record of every company is read by a job; searches go on meanwhile, and say Rebuilding. ' +
      'Gate: System.',
  },
}

/** Gate: System. */
export const REBUILD_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/search',
  area: 'Search',
  routes: [
    route('POST', '/rebuild', REBUILD, async (call) =>
      ok({ JobId: await rebuild(call, call.body) }),
    ),
  ],
}

function rebuild(call: RequestCall, { Objects }: SearchRebuildRequest): Promise<number> {
  const { app, caller, traceId } = call
  const model = app.models.get()
  const views = Objects && requireViews(model, Objects)
  const now = app.clock.now()
  const actor = actorOf(caller, { now, source: 'search/rebuild', traceId })
  return app.store.write(
    async (tx) => {
      const order = { caller, language: call.language, model, views, now }
      const id = await enqueueRebuild(tx, order)
      const changes = { Objects: [null, views ? [...views] : null] as const }
      await writeAudit(tx, actor, { entity: 'svc_search', id: 'rebuild', action: 'start', changes })
      return id
    },
    scopeOf(caller, 'records of every company are searched'),
  )
}

/** Finds the named views. @throws validation for a name without a searched view */
function requireViews(model: Model, names: readonly string[]): Set<string> {
  const faults: FieldErrors = {}
  const views = names.map((name, at) => {
    const lower = name.toLowerCase()
    const found = listIndexedViews(model).find(
      ({ view }) => view.name.toLowerCase() === lower || view.slug.toLowerCase() === lower,
    )
    if (!found) faults[`Objects[${at}]`] = say`There is no searchable object with this name`
    return found?.view.name ?? ''
  })
  if (Object.keys(faults).length > 0) throw validation(faults)
  return new Set(views)
}
