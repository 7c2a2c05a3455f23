/** Rebuild of the index of the global search: `/api/v1/svc/search/rebuild`. */
import { Elysia } from 'elysia'
import { type FieldErrors, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { enqueueRebuild } from '../../engine/global-search/rebuild-job.ts'
import { listIndexedViews } from '../../engine/object/read/indexed-view.ts'
import type { AppContext } from '../../server/context.ts'
import { rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf, traceIdOf } from '../../server/session.ts'
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
export function rebuildRoutes(app: AppContext, area: string) {
  return new Elysia({ prefix: '/api/v1/svc/search', strictPath: true, tags: [area] }).post(
    '/rebuild',
    async ({ body, request }) => ok({ JobId: await rebuild(app, body, request) }),
    REBUILD,
  )
}

function rebuild(
  { store, clock, models }: AppContext,
  { Objects }: SearchRebuildRequest,
  request: Request,
): Promise<number> {
  const caller = callerOf(request)
  const model = models.get()
  const views = Objects && requireViews(model, Objects)
  const now = clock.now()
  const actor = actorOf(caller, { now, source: 'search/rebuild', traceId: traceIdOf(request) })
  return store.write(
    async (tx) => {
      const order = { caller, language: languageOf(request), model, views, now }
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
