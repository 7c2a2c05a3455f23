/** The audit log: `/api/v1/svc/audit`. */
import { findReads } from '../../kernel/charged.ts'
import { counter } from '../../kernel/figures.ts'
import type { Model } from '../../model/model.ts'
import type { Feature } from '../../server/feature.ts'
import { rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { openArchiving } from './archive-audit.ts'
import { requireFilter } from './audit-filter.ts'
import { findArchived } from './find-archived.ts'
import { GERMAN } from './german.ts'
import { loadAudit } from './load-audit.ts'
import { openReadLogging } from './log-reads.ts'
import { AuditPage, AuditQuery } from './schema.ts'
import { AUDIT } from './settings.ts'

const LIST_AUDIT = {
  query: AuditQuery,
  response: Envelope(AuditPage),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'listAudit',
    summary: 'Who changed what from what to what',
    description:
      'Changes to entities with Audit="Enabled" or "Reads", to users, roles and companies, and ' +
      'who acted as whom; of every company unless narrowed. A change made while acting as ' +
      'another user names both. With kind=read: who was shown which records of entities with ' +
      'Audit="Reads". `Archived` tells of entries that `Svc:Audit:Keep` has moved into files; ' +
      'null where all are here. `appengine check --audit` proves that no entry was changed. ' +
      'Gate: System.',
  },
}

const AREA = {
  name: 'Audit',
  description: 'Who changed what from what to what, in a log whose entries are chained by hash.',
}

/** Gate: System, in whichever company: the log of all companies is one. */
const AUDIT_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/audit',
  area: AREA.name,
  routes: [
    route('GET', '', LIST_AUDIT, async (call) => {
      const { store, clock, reads, folder } = call.app
      await reads.flush()
      const model = call.model
      const { timeZone, language } = call.caller
      const scope = { store, model, now: clock.now(), zone: timeZone }
      const page = await loadAudit(store, await requireFilter(call.query, scope), model, language)
      noteEntries(model, page)
      return ok({ ...page, Archived: await findArchived(store, folder, call.language) })
    }),
  ],
}

/** Values of changes are shown of records, too. */
function noteEntries(model: Model, { Entries }: Pick<AuditPage, 'Entries'>): void {
  for (const { Entity, Key, Changes } of Entries)
    if (Changes.length > 0 && model.entities.get(Entity)?.logsReads === true)
      findReads()?.noteRecords(Entity, 'svc_audit', JSON.stringify(Key))
}

/** See `Feature`. */
export const auditFeature: Feature = {
  areas: [AREA],
  routes: [AUDIT_ROUTES],
  settings: [AUDIT],
  background: [openReadLogging, openArchiving],
  figures: [
    ({ reads }) =>
      () => [
        counter('appengine_audit_reads_total', 'Showings of records that were logged', reads.lines),
      ],
  ],
  translations: { de: GERMAN },
}
