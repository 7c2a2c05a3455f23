/** Companies: which there are, and which one a session is in (src/server/README.md, Identity). */
import { Type } from '@sinclair/typebox'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { systemScope } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import {
  type CompanyRow,
  loadAllCompanies,
  loadCompaniesOf,
  requireCompanyById,
  saveCompany,
  saveNewCompany,
} from '../../access/companies.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { requireStillSystem } from '../../access/rights/admin-scope.ts'
import { saveLastCompany } from '../../access/users/users.ts'
import { moveSubscriptions } from '../../engine/web-push/subscriptions.ts'
import { authorOf, type OwnRequest, ownRequestOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { Tokens } from '../../server/token-schema.ts'
import { issueTokens } from '../../server/tokens.ts'
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
    'x-example': { Code: 'EAST', Name: 'East Trading', TimeZone: 'Europe/Vienna', Language: 'de' },
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
      'one, and where no user could act as System any more. Gate: System.',
  },
}

const GET_CURRENT_COMPANY = {
  response: Envelope(Company),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getCurrentCompany',
    summary: 'The company that the token is in',
    description: 'All that the caller reads and writes is of this company; switch changes it.',
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

/** Gates: reading and switching serve any caller, for their companies; the rest is System’s. */
const COMPANY_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/company',
  area: AREA.name,
  routes: [
    route('GET', '', LIST_COMPANIES, async (call) =>
      ok(await listCompanies(call.app, call.caller, call.query.all ?? false)),
    ),
    route('POST', '', CREATE_COMPANY, async (call) =>
      ok(await createCompany(call.app, call.body, ownRequestOf(call))),
    ),
    route('PUT', '/:companyId', CHANGE_COMPANY, async (call) =>
      ok(
        await changeCompany(call.app, Number(call.params.companyId), call.body, ownRequestOf(call)),
      ),
    ),
    route('GET', '/current', GET_CURRENT_COMPANY, async (call) =>
      ok(await loadCurrentCompany(call.app, call.caller)),
    ),
    route('POST', '/switch', SWITCH_COMPANY, async (call) =>
      ok(await switchCompany(call.app, call.caller, call.body.CompanyId)),
    ),
  ],
}

/** See `Feature`. */
export const companyFeature: Feature = { areas: [AREA], routes: [COMPANY_ROUTES] }

/** A company as the wire shows it to a caller. */
const toCompany = (row: CompanyRow, { companyId }: Caller): Company => ({
  Id: row.Id,
  Code: row.Code,
  Name: row.Name,
  TimeZone: row.TimeZone,
  Language: row.Language,
  IsCurrent: row.Id === companyId,
  Active: row.Active,
})

/** The caller's open companies; with `all`, for System alone, every one. By code. */
async function listCompanies(
  { store }: AppContext,
  caller: Caller,
  all: boolean,
): Promise<Company[]> {
  const rows =
    all && caller.isSystem
      ? await loadAllCompanies(store)
      : await loadCompaniesOf(store, caller.userId)
  return rows.map((row) => toCompany(row, caller))
}

/** The company that the caller's session is in. */
async function loadCurrentCompany(app: AppContext, caller: Caller): Promise<Company> {
  const own = await listCompanies(app, caller, false)
  const current = own.find(({ IsCurrent }) => IsCurrent)
  if (!current) throw notFound(say`There is no such company`)
  return current
}

const ALL = systemScope('System makes and changes companies')

/** Creates a company with its reference rows; see `saveNewCompany`. */
async function createCompany(
  app: AppContext,
  body: NewCompanyRequest,
  from: OwnRequest,
): Promise<Company> {
  const { caller } = from
  requireNotImpersonated(caller)
  const actor = authorOf(app, from, 'company/create')
  const { store, models, callers } = app
  const company = {
    code: body.Code,
    name: body.Name,
    timeZone: body.TimeZone ?? undefined,
    language: body.Language ?? undefined,
  }
  const row = await store.write(async (tx) => {
    await requireStillSystem(tx, caller)
    callers.forgetAllWith(tx)
    const id = await saveNewCompany(tx, company, actor, models.get())
    return requireCompanyById(tx, id)
  }, ALL)
  return toCompany(row, caller)
}

/**
 * Changes a company; see `saveCompany`. What follows from it holds from the next request on, and a
 * closed one has no sessions any more.
 */
async function changeCompany(
  app: AppContext,
  id: number,
  body: CompanyChangeRequest,
  from: OwnRequest,
): Promise<Company> {
  const { caller } = from
  requireNotImpersonated(caller)
  const actor = authorOf(app, from, 'company/update')
  const { store, callers, identity } = app
  const change = {
    code: body.Code ?? undefined,
    name: body.Name ?? undefined,
    timeZone: body.TimeZone ?? undefined,
    language: body.Language,
    active: body.Active ?? undefined,
  }
  const saved = await store.write(async (tx) => {
    await requireStillSystem(tx, caller)
    callers.forgetAllWith(tx)
    const before = await requireCompanyById(tx, id)
    return { before, after: await saveCompany(tx, id, change, actor) }
  }, ALL)
  // At an opening as well: a crash after a closing may have left sessions over.
  if (saved.before.Active !== saved.after.Active)
    await identity.sessions.endIn(id, 'The company was closed')
  return toCompany(saved.after, caller)
}

/**
 * Puts a session in another company in the place of the caller's and issues its tokens. 404 alike
 * for a company that is not the caller's, closed, or not there; 401 when the session has ended
 * meanwhile or the membership went while this ran.
 */
async function switchCompany(app: AppContext, caller: Caller, companyId: number): Promise<Tokens> {
  const companies = await loadCompaniesOf(app.store, caller.userId)
  if (!companies.some(({ Id }) => Id === companyId)) throw notFound(say`There is no such company`)
  const session = await app.identity.sessions.move(caller.sessionId, companyId)
  const tokens = await issueTokens(app, session)
  // An impersonator's company is not where the user was last.
  if (caller.impersonatorId === undefined)
    await app.store.write(async (tx) => {
      await saveLastCompany(tx, caller.userId, companyId)
      await moveSubscriptions(tx, caller.sessionId, session.id)
    }, systemScope('users belong to no one company'))
  return tokens
}
