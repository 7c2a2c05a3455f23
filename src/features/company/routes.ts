/** Companies: which there are, and which one a session is in (src/server/README.md, Identity). */
import { Elysia } from 'elysia'
import { actorOf } from '../../access/audit-entry.ts'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { callerOf, traceIdOf } from '../../server/session.ts'
import { changeCompany, createCompany } from './change-company.ts'
import { listCompanies, loadCurrentCompany } from './list-companies.ts'
import {
  CHANGE_COMPANY,
  CREATE_COMPANY,
  GET_CURRENT_COMPANY,
  LIST_COMPANIES,
  SWITCH_COMPANY,
} from './operations.ts'
import { switchCompany } from './switch-company.ts'
import type { Feature } from '../../server/feature.ts'

const AREA = {
  name: 'Companies',
  description:
    'Every record belongs to a company, and every session is in one. Only a sign-in and the ' +
    'switch choose it.',
}

/** Gates: reading and switching serve any caller with what is theirs; the rest is System’s. */
function companyRoutes(app: AppContext) {
  const actorFor = (request: Request, source: string) =>
    actorOf(callerOf(request), {
      now: app.clock.now(),
      source,
      traceId: traceIdOf(request),
    })
  return new Elysia({ prefix: '/api/v1/svc/company', strictPath: true, tags: [AREA.name] })
    .get(
      '',
      async ({ query, request }) =>
        ok(await listCompanies(app, callerOf(request), query.all ?? false)),
      LIST_COMPANIES,
    )
    .post(
      '',
      async ({ body, request }) =>
        ok(await createCompany(app, body, callerOf(request), actorFor(request, 'company/create'))),
      CREATE_COMPANY,
    )
    .put(
      '/:companyId',
      async ({ params, body, request }) => {
        const actor = actorFor(request, 'company/update')
        return ok(
          await changeCompany(app, Number(params.companyId), body, callerOf(request), actor),
        )
      },
      CHANGE_COMPANY,
    )
    .get(
      '/current',
      async ({ request }) => ok(await loadCurrentCompany(app, callerOf(request))),
      GET_CURRENT_COMPANY,
    )
    .post(
      '/switch',
      async ({ body, request }) => ok(await switchCompany(app, callerOf(request), body.CompanyId)),
      SWITCH_COMPANY,
    )
}

/** See `Feature`. */
export const companyFeature: Feature = { areas: [AREA], routes: [companyRoutes] }
