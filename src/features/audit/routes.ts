/** The audit log: `/api/v1/svc/audit`. */
import { Elysia } from 'elysia'
import type { AppContext } from '../../server/context.ts'
import { modelOf } from '../../server/language.ts'
import { ok } from '../../server/reply.ts'
import { callerOf } from '../../server/session.ts'
import { requireFilter } from './audit-filter.ts'
import { loadAudit } from './load-audit.ts'
import { LIST_AUDIT } from './operations.ts'
import type { Feature } from '../../server/feature.ts'

const AREA = {
  name: 'Audit',
  description: 'Who changed what from what to what, in a log whose entries are chained by hash.',
}

/** Gate: System, in whichever company: the log of all companies is one. */
function auditRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/audit', strictPath: true, tags: [AREA.name] }).get(
    '',
    async ({ query, request }) => {
      const { store, clock } = app
      const model = modelOf(app, request)
      const scope = { store, model, now: clock.now(), zone: callerOf(request).timeZone }
      return ok(await loadAudit(store, await requireFilter(query, scope), model))
    },
    LIST_AUDIT,
  )
}

/** See `Feature`. */
export const auditFeature: Feature = { areas: [AREA], routes: [auditRoutes] }
