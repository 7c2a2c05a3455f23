/** Companies: which there are, and which one a session is in (src/server/README.md, Identity). */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ownRequestOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf } from '../../server/session.ts'
import { Tokens } from '../../server/token-schema.ts'
import {
  changeCompany,
  createCompany,
  listCompanies,
  loadCurrentCompany,
  switchCompany,
} from './companies.ts'
import {
  Company,
  CompanyChangeRequest,
  CompanyPath,
  CompanyQuery,
  NewCompanyRequest,
  SwitchRequest,
} from './schema.ts'

const SYSTEM = rolesGate('System')

const LIST_COMPANIES = {
  query: CompanyQuery,
  response: Envelope(Type.Array(Company)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listCompanies',
    summary: 'The companies that the caller belongs to',
    description:
      'Open ones, by code. With `all=true` a System caller gets every one, closed ones too; for ' +
      'others it changes nothing.',
  },
}

const CREATE_COMPANY = {
  body: NewCompanyRequest,
  response: Envelope(Company),
  detail: {
    'x-gate': SYSTEM,
    'x-example': { Code: 'EAST', Name: 'East Trading', TimeZone: 'Europe/Vienna' },
    operationId: 'createCompany',
    summary: 'Create a company',
    description:
      'Users who are System in all companies belong to it at once, and it has the reference rows ' +
      'that the model gives to each company. The zone is UTC by default. Gate: System.',
  },
}

const CHANGE_COMPANY = {
  params: CompanyPath,
  body: CompanyChangeRequest,
  response: Envelope(Company),
  detail: {
    'x-gate': SYSTEM,
    'x-example': { Name: 'North Trading House' },
    operationId: 'changeCompany',
    summary: 'Change, close or open a company',
    description:
      'What is left out stays. Closing a company ends the sessions in it; 409 for the last open ' +
      'one, and where nobody could act as System any more. Gate: System.',
  },
}

const GET_CURRENT_COMPANY = {
  response: Envelope(Company),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getCurrentCompany',
    summary: 'The company that the token is in',
  },
}

const SWITCH_COMPANY = {
  body: SwitchRequest,
  response: Envelope(Tokens),
  detail: {
    'x-gate': AUTHENTICATED,
    'x-example': { CompanyId: 2 },
    operationId: 'switchCompany',
    summary: 'Go on in another of the caller’s companies',
    description:
      'The session ends and a new one begins in its place: neither its access tokens nor its ' +
      'refresh token work any longer, so that nothing still runs in the company that was left. ' +
      'Other sessions of the user stay where they are. This and signing in are the only ways to ' +
      'choose a company. A company that the caller does not belong to, a closed one and one that ' +
      'does not exist get the same 404.',
  },
}

const AREA = {
  name: 'Companies',
  description:
    'Every record belongs to a company, and every session is in one. Only a sign-in and the ' +
    'switch choose it.',
}

/** Gates: reading and switching serve any caller with what is theirs; the rest is System’s. */
function companyRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/company', strictPath: true, tags: [AREA.name] })
    .get(
      '',
      async ({ query, request }) =>
        ok(await listCompanies(app, callerOf(request), query.all ?? false)),
      LIST_COMPANIES,
    )
    .post(
      '',
      async ({ body, request }) => ok(await createCompany(app, body, ownRequestOf(request))),
      CREATE_COMPANY,
    )
    .put(
      '/:companyId',
      async ({ params, body, request }) =>
        ok(await changeCompany(app, Number(params.companyId), body, ownRequestOf(request))),
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
