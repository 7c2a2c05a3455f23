/** The operation of `/api/v1/svc/audit` as the OpenAPI document tells it. */
import { rolesGate } from '../../server/gate.ts'
import { Envelope } from '../../server/schema.ts'
import { AuditPage, AuditQuery } from './schema.ts'

export const LIST_AUDIT = {
  query: AuditQuery,
  response: Envelope(AuditPage),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'listAudit',
    summary: 'Who changed what from what to what',
    description:
      'Changes to entities with Audit="Enabled", to users, roles and companies, and who acted as ' +
      'whom; of every company unless narrowed. A change made while acting as somebody else names ' +
      'both. `appengine check --audit` proves that no entry was changed. Gate: System.',
  },
}
