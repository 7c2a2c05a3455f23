/** The audit log: `/api/v1/svc/audit`. */
import { Elysia } from 'elysia'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { rolesGate } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf } from '../../server/session.ts'
import { requireFilter } from './audit-filter.ts'
import { GERMAN } from './german.ts'
import { loadAudit } from './load-audit.ts'
import { AuditPage, AuditQuery } from './schema.ts'

const LIST_AUDIT = {
  query: AuditQuery,
  response: Envelope(AuditPage),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'listAudit',
    summary: 'Who changed what from what to what',
    description:
      'Changes to entities with Audit="Enabled", to users, roles and companies, and who acted as ' +
      'whom; of every company unless narrowed. A change made while acting as another user names ' +
      'both. `appengine check --audit` proves that no entry was changed. Gate: System.',
  },
}

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
      const { timeZone, language } = callerOf(request)
      const scope = { store, model, now: clock.now(), zone: timeZone }
      return ok(await loadAudit(store, await requireFilter(query, scope), model, language))
    },
    LIST_AUDIT,
  )
}

/** See `Feature`. */
export const auditFeature: Feature = {
  areas: [AREA],
  routes: [auditRoutes],
  translations: { de: GERMAN },
}
